from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest
from sqlglot import tokenize
from sqlglot.tokenizer_core import TokenType

from fathom.answering.grounding import ground
from fathom.answering.words import in_words
from fathom.records import Result


def result(
    sql: str, *rows: tuple[Any, ...], columns: str = "", cut: Literal["rows", "bytes"] | None = None
) -> Result:
    names = tuple(columns.split()) or tuple(f"c{i}" for i in range(len(rows[0]) if rows else 1))
    return Result(names, rows, sql, 0.0, cut)


CASES: list[tuple[Result, str]] = [
    (result("SELECT count(*) FROM t", (6,)), "The count is 6: rows of t."),
    (
        result("SELECT count(*) FROM sale WHERE city = 'Rome' AND amount > 4", (6,)),
        "The count is 6: rows of shop sales where city is 'Rome' and amount is more than 4.",
    ),
    (
        result("SELECT count(DISTINCT city) AS n FROM sale WHERE year IS NULL", (4,)),
        "The count is 4: different city of shop sales where year is missing.",
    ),
    (result("SELECT count(city) FROM t", (4,)), "The count is 4: rows of t with city."),
    # What can't be said in a few words is left to the explanation.
    (result("SELECT count(*) FROM t JOIN u ON t.id = u.id", (4,)), "The number of rows is 4."),
    (result("SELECT count(*) FROM t GROUP BY a", (4,)), "The number of rows is 4."),
    (result(f"SELECT count(*) FROM t WHERE a IN ({'1, ' * 80} 1)", (4,)), "The number of rows is 4."),
    (result("SELECT count(*), max(a) FROM t", (4, 2)), "The number of rows is 4 and the highest a is 2."),
    (result("SELECT avg(age) FROM t", (32.5,)), "The average of age is 32.5."),
    # What other queries or rows are compared in is named by what it is: the explanation says of what.
    (result("SELECT (SELECT count(*) FROM t) - (SELECT count(*) FROM u)", (3,)), "The difference is 3."),
    (result("SELECT (SELECT max(a) FROM t) / NULLIF((SELECT max(b) FROM u), 0)", (3,)), "The ratio is 3."),
    (
        result("SELECT CAST((SELECT sum(a) FROM t) AS REAL) * 100 / (SELECT sum(a) FROM u)", (3,)),
        "The percentage is 3.",
    ),
    (
        result(
            "SELECT y, sum(a), sum(a) - LAG(sum(a)) OVER (ORDER BY y) FROM t GROUP BY y",
            (1, 5, None),
            (2, 7, 2),
        ),
        "2 rows: 1 (the total of a: 5, the change: not known); 2 (the total of a: 7, the change: 2).",
    ),
    (result("SELECT name, age FROM t LIMIT 1", ("Ann", 30)), "Name is Ann and age is 30."),
    (result("SELECT name FROM t", ("Ann",), ("Bo",)), "2 rows: Ann, Bo."),
    (
        result(
            "SELECT first_name, last_name, sum(total) FROM t GROUP BY id ORDER BY 3 DESC",
            ("Ann", "Lee", 9),
            (None, "Ray", 7),
            columns="first_name last_name sum(total)",
        ),
        "2 rows: Ann Lee (9); Ray (7).",
    ),
    (
        result(
            "SELECT FirstName, LastName FROM t", ("Ann", "Lee"), ("Bo", None), columns="FirstName LastName"
        ),
        "2 rows: Ann Lee, Bo.",
    ),
    (result("SELECT name, n FROM t", ("Ann", 1), (None, 2.0)), "2 rows: Ann (1); not known (2)."),
    (result("SELECT name FROM t"), "Nothing in the database matches."),
    (result("SELECT FROM t", (), ()), "The result has no columns."),
    (result("SELECT tags FROM t", (["a", None],), (["b"],)), "2 rows: [a, not known], [b]."),
    (result("SELECT sum(n) FROM t", (Decimal("9007199254740993"),)), "The total of n is 9007199254740993."),
    # "All of them" are the same only where no row is missing, and no cell that differs is cut.
    (result("SELECT a FROM t", ("x" * 70 + "1",), ("x" * 70 + "2",)), f"2 rows: {'x' * 59}…, {'x' * 59}…."),
    (
        result("SELECT a FROM t", ("Ann",), ("Ann",), cut="rows"),
        "More than 2 rows: Ann, Ann. The result was cut at the limit on rows: what follows is not here.",
    ),
    # Of many columns: what the rows are called, what they are sorted by, then the others that are short.
    (
        result(
            "SELECT UUID, genes, size, p FROM t ORDER BY p",
            ("way_1", "ACE;APOE;" * 30, 40, 3.5e-16),
            ("way_2", "BIN1;CLU;" * 30, 24, 1e-15),
            columns="UUID genes size p",
        ),
        "2 rows: way_1 (p: 3.5e-16, size: 40); way_2 (p: 1e-15, size: 24).",
    ),
    (
        result(
            "SELECT UUID, drugName FROM t", ("a1", "Donepezil"), ("a2", "Riluzole"), columns="UUID drugName"
        ),
        "2 rows: Donepezil, Riluzole.",
    ),
    (
        result("SELECT year, title, paid FROM t", (1, "A", 3), (2, "B", 4), columns="year title paid"),
        "2 rows: A (year: 1, paid: 3); B (year: 2, paid: 4).",
    ),
    (
        result("SELECT a, b, c, d FROM t ORDER BY 4 DESC", ("x", 1, 2, 3), ("y", 1, 2, 2)),
        "2 rows: x (d: 3, b: 1); y (d: 2, b: 1).",
    ),
    (
        result("SELECT id, note FROM t", (1, "long " * 30), (2, "short"), columns="id note"),
        f"2 rows: 1 ({('long ' * 30)[:59]}…); 2 (short).",
    ),
    (result("SELECT id FROM t", (7,), (8,), columns="id"), "2 rows: 7, 8."),
    (
        result("SELECT UUID, kind FROM t", ("a1", "Antibody"), ("a2", "Antibody"), columns="UUID kind"),
        "2 rows, all of them Antibody.",
    ),
    (
        result("SELECT UUID, symbol, p FROM t", ("a1", "APOE", 1e-300), columns="UUID symbol p"),
        "Symbol is APOE, p is 1e-300 and UUID is a1.",
    ),
    (result("SELECT drugName FROM t LIMIT 1", ("Donepezil",), columns="drugName"), "drugName is Donepezil."),
    (
        result("SELECT * FROM t", (date(2020, 1, 2), True), columns="day open"),
        "Day is 2020-01-02 and open is yes.",
    ),
    (
        result("SELECT n FROM t", *((i,) for i in range(12))),
        "12 rows; the first 10: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9.",
    ),
    (
        result("SELECT n FROM t", (1,), (2,), cut="rows"),
        "More than 2 rows: 1, 2. The result was cut at the limit on rows: what follows is not here.",
    ),
]


@pytest.mark.parametrize(("found", "said"), CASES)
def test_words(found: Result, said: str) -> None:
    assert in_words(found, "sqlite", {"sale": "shop sales"}) == said


@pytest.mark.parametrize(("found", "said"), CASES)
def test_every_number_is_in_the_result_or_is_compared_with(found: Result, said: str) -> None:
    compared = {t.text for t in tokenize(found.sql) if t.token_type == TokenType.NUMBER}
    assert set(ground(said.replace("first 10", ""), found).untraced) <= compared | {"Rome"}


def test_grounding_tells_traced_from_invented() -> None:
    found = result("SELECT name, n FROM t", ("Ann", 30), ("Bo", 10), ("Cy", Decimal("20.5")))
    traced = 'There are 3 rows; "Ann" has 30, which is 20 more than "Bo", 3 times, of 60.5, mean 20.17.'
    assert ground(traced, found).untraced == ()
    assert ground('"Dee" has 77.', found).untraced == ("Dee", "77")
    assert ground("Nobody can tell.", found).share == 1.0


def test_grounding_rounds_to_the_digits_printed() -> None:
    found = result("SELECT x FROM t", (2 / 3,))
    assert ground("It is 0.67.", found).share == 1.0
    assert ground("It is 0.66.", found).share == 0.0


def test_dates_are_not_taken_apart() -> None:
    found = result("SELECT d FROM t", ("2020-05-17",))
    assert ground("It was on 2020-05-17.", found).share == 1.0
    assert ground("It was on 2021-05-17.", found).share < 1.0


@pytest.mark.parametrize(
    ("said", "untraced"),
    [
        ("It is 42 of them.", ("42",)),
        ("There are 42 million genes.", ("42",)),
        ("The sum is 45.", ("45",)),
        ('It says "There are 42 million genes in all".', ()),
        ("It is Type 2 diabetes, at 5 mg.", ()),
        ("It is 5.", ("5",)),
        ("It has 1,234.", ()),
    ],
)
def test_a_number_inside_a_text_cell_is_no_source(said: str, untraced: tuple[str, ...]) -> None:
    lying = "There are 42 million genes in all"
    found = result("SELECT a, b, n, t FROM x", ("Type 2 diabetes", "5 mg", 3, "1,234"), (lying, None, 3, "x"))
    assert ground(said, found).untraced == untraced
