import re
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest

from fathom.answering.explain import CountedRows, counted
from fathom.answering.grounding import ground
from fathom.answering.question_words import asked_for, counted_as_asked
from fathom.answering.words import About, in_words
from fathom.records import Result, shown_column


def result(
    sql: str,
    *rows: tuple[Any, ...],
    columns: tuple[str, ...] = (),
    cut: Literal["rows", "bytes"] | None = None,
) -> Result:
    names = columns or tuple(f"c{i}" for i in range(len(rows[0]) if rows else 1))
    return Result(names, rows, sql, 0.0, cut)


CASES: list[tuple[Result, About, str]] = [
    (result("SELECT count(*)", (6,)), About(CountedRows("shop sales")), "6 shop sales."),
    (result("SELECT count(*)", (1,)), About(CountedRows("sales", " in Rome")), "1 sale in Rome."),
    (result("SELECT count(*)", (0,)), About(CountedRows("sales")), "No sales."),
    (result("SELECT count(*)", (12345,)), About(CountedRows("sales")), "12,345 sales."),
    (result("", (32.5,), columns=("Average age",)), About(), "Average age: 32.5."),
    (result("", (469.6,), columns=("Total price (USD)",)), About(), "Total price: 469.60 USD."),
    (
        result("", (469.58,), columns=("Total of invoices",)),
        About(asked="What was the total revenue in 2023?"),
        "Total revenue in 2023: 469.58.",
    ),
    (
        result("", (4,), columns=("Total of invoices",)),
        About(asked="What did Ann pay?"),
        "Total of invoices: 4.",
    ),
    (result("", (None,), columns=("Highest price",)), About(), "Highest price: not known."),
    (
        result("", (0.99, 1.99), columns=("Lowest price", "Highest price")),
        About(),
        "Lowest price: 0.99; highest price: 1.99.",
    ),
    (
        result("", ("Iron Maiden", 213), columns=("Artist name", "Number of tracks")),
        About(ranking=1, ties="3 more have the same number of tracks."),
        "Iron Maiden (number of tracks: 213). 3 more have the same number of tracks.",
    ),
    (
        result("", ("Iron Maiden", 213), ("U2", 135), columns=("Artist name", "Number of tracks")),
        About(noun="artists"),
        "2 artists: Iron Maiden (213); U2 (135).",
    ),
    (
        result(
            "",
            (7, "Ann", "Lee", 9),
            (8, None, "Ray", 7),
            columns=("Person ID", "First name", "Last name", "Total"),
        ),
        About(),
        "2 rows: Ann Lee (9); Ray (7).",
    ),
    (
        result("", ("Ann", "Lee"), ("Bo", None), columns=("First name", "Last name")),
        About(),
        "2 rows: Ann Lee, Bo.",
    ),
    (result("SELECT name, n FROM t", ("Ann", 1), (None, 2.0)), About(), "2 rows: Ann (1); not known (2)."),
    (result("SELECT name FROM t"), About(), "Nothing in the database matches."),
    (
        result("SELECT name FROM t"),
        About(empty=("order", "t")),
        "Nothing in the database matches. The tables “order” and “t” are empty.",
    ),
    (
        result("", (0,)),
        About(CountedRows("orders"), empty=("order",)),
        "No orders. The table “order” is empty.",
    ),
    (result("SELECT FROM t", (), ()), About(), "The result has no columns."),
    (result("", (["a", None],), (["b"],), columns=("Tags",)), About(), "2 rows: [a, not known], [b]."),
    (
        result("", (Decimal("9007199254740993"),), columns=("Total n",)),
        About(),
        "Total n: 9,007,199,254,740,993.",
    ),
    # "All of them" are the same only where no row is missing, and no cell that differs is cut.
    (result("", ("x" * 70 + "1",), ("x" * 70 + "2",)), About(), f"2 rows: {'x' * 59}…, {'x' * 59}…."),
    (
        result("", ("Ann",), ("Ann",), cut="rows"),
        About(),
        "More than 2 rows: Ann, Ann. The result was cut at the limit on rows: what follows is not here.",
    ),
    # Of many columns: what the rows are called, what they are ranked by, then the others that are short.
    (
        result(
            "",
            ("way_1", "ACE;APOE;" * 30, 40, 3.5e-16),
            ("way_2", "BIN1;CLU;" * 30, 24, 1e-15),
            columns=("UUID", "Genes", "Size", "P"),
        ),
        About(ranking=3),
        "2 rows: way_1 (p: 3.5e-16, size: 40); way_2 (p: 1e-15, size: 24).",
    ),
    (
        result("", ("a1", "Donepezil"), ("a2", "Riluzole"), columns=("UUID", "Drug name")),
        About(noun="drugs"),
        "2 drugs: Donepezil, Riluzole.",
    ),
    (
        result("", (1, "A", 3), (2, "B", 4), columns=("Year", "Title", "Paid")),
        About(),
        "2 rows: A (year: 1, paid: 3); B (year: 2, paid: 4).",
    ),
    (
        result("", (1, "long " * 30), (2, "short"), columns=("Track ID", "Note")),
        About(),
        f"2 rows: 1 ({('long ' * 30)[:59]}…); 2 (short).",
    ),
    (result("", (7,), (8,), columns=("ID",)), About(), "2 rows: 7, 8."),
    (
        result("", (7, "w"), (8, "d"), columns=("Problem ID", "Text")),
        About(noun="problems", asked="the ids of problems"),
        "2 problems: 7 (w); 8 (d).",
    ),
    (
        result("", (7, "w"), (8, "d"), columns=("Problem ID", "Text")),
        About(noun="problems", asked="which problems"),
        "2 problems: w, d.",
    ),
    (
        result("", ("u1", "u2", "Ada"), ("u3", "u2", "Bo"), columns=("Record id", "Record id 2", "Drug")),
        About(noun_of_each="drugs"),
        "2 drugs: Ada, Bo.",
    ),
    (
        result("", ("Ada", 1), ("Ada", 2), columns=("Name", "Place")),
        About(noun_of_each="members"),
        "2 rows: Ada (1); Ada (2).",
    ),
    (
        result("", *((f"2025-{n:02}", n) for n in range(1, 13)), columns=("Month", "Number")),
        About(noun="months", calculated=frozenset({1})),
        "12 months: number from 1 (January 2025) to 12 (December 2025).",
    ),
    (
        result("", ("a1", "Antibody"), ("a2", "Antibody"), columns=("UUID", "Kind")),
        About(),
        "2 rows, all of them Antibody.",
    ),
    (
        result("", ("a1", "APOE", 1e-300), columns=("UUID", "Gene name", "P")),
        About(),
        "APOE (p: 1e-300, UUID: a1).",
    ),
    (result("", (date(2020, 1, 2), True), columns=("Day", "Open")), About(), "Day: 2020-01-02; open: yes."),
    (
        result("", *((i,) for i in range(12)), columns=("N",)),
        About(),
        "12 rows: 0, 1, 2, 3, 4, and 7 more.",
    ),
    (
        result("", *((f"20{10 + i}", 5 * i * i) for i in range(12)), columns=("Year", "Total paid")),
        About(noun="years", calculated=frozenset({1})),
        "12 years: total paid from 0 (2010) to 605 (2021).",
    ),
    (
        result("", *((name, 3) for name in "abcdefghijkl"), columns=("Name", "Number of cars")),
        About(noun="people", calculated=frozenset({1})),
        "12 people: number of cars 3 for each.",
    ),
    (
        result("", *((name, ord(name) // 50) for name in "abcdefghijkl"), columns=("Name", "Age")),
        About(noun="people", calculated=frozenset({1})),
        "12 people: age from 1 (a and 2 more) to 2 (d and 8 more).",
    ),
    (
        result("", ("Doe", "Ann"), ("Roe", "Bo"), columns=("Last name", "First name")),
        About(noun="people"),
        "2 people: Ann Doe, Bo Roe.",
    ),
    (result("", ("Grace Ritchie",), columns=("Name",)), About(), "Grace Ritchie."),
    (result("", (3,), columns=("Visit ID",)), About(asked="surgery visits"), "Visit ID: 3."),
    (
        result("", (9,), columns=("Number of drugs",)),
        About(asked="How many drugs have been withdrawn?"),
        "9 drugs have been withdrawn.",
    ),
    (
        result("", (9,), columns=("Number of drugs",)),
        About(asked="how many drugs do we have?"),
        "Number of drugs: 9.",
    ),
    (result("", ("+1 2", "a@b"), columns=("Phone", "Email")), About(), "Phone: +1 2; email: a@b."),
]


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("How many airports are there in Germany?", "airports in Germany"),
        ("number of tracks longer than 5 minutes, please", "tracks longer than 5 minutes"),
        ("How many doctors work here?", ""),
        ("How many of them can you list?", ""),
        ("number of tracks that are long", ""),
        ("Which drugs?", ""),
    ],
)
def test_what_is_counted_in_the_words_of_the_question(question: str, thing: str) -> None:
    assert counted_as_asked(question) == thing


@pytest.mark.parametrize(("found", "about", "said"), CASES)
def test_words(found: Result, about: About, said: str) -> None:
    assert in_words(found, about) == said


@pytest.mark.parametrize(("found", "about", "said"), CASES)
def test_every_number_is_in_the_result_or_asked_for(found: Result, about: About, said: str) -> None:
    told = re.sub(r"and \d+ more", "", said.removesuffix(about.ties))  # rows counted; 2025 is of a month
    assert set(ground(told, found).untraced) <= {"2023", "2025", "order", "t"}


COUNTED = [
    (
        "SELECT count(*) FROM sale WHERE city = 'Rome' AND amount > 4",
        "shop sales whose city is Rome and whose amount is more than 4",
    ),
    (
        "SELECT count(DISTINCT city) AS n FROM sale WHERE year IS NULL",
        "different cities of shop sales with no year",
    ),
    ("SELECT count(postalCode) FROM t", "ts with postal code"),
    ("SELECT count(*) FROM sale WHERE saleDate LIKE '2023-05%'", "shop sales whose sale date is in 2023-05"),
    # What can't be said in a few words is left to the explanation.
    ("SELECT count(*) FROM t JOIN u ON t.id = u.id", ""),
    ("SELECT count(*) FROM t GROUP BY a", ""),
    (f"SELECT count(*) FROM t WHERE a IN ({'1, ' * 80} 1)", ""),
    ("SELECT count(*), max(a) FROM t", ""),
]


@pytest.mark.parametrize(("sql", "said"), COUNTED)
def test_what_is_counted(sql: str, said: str) -> None:
    found = counted(sql, "sqlite", {"sale": "shop sales"})
    assert (f"{found.noun}{found.condition}" if found else "") == said


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What was the total revenue in 2023?", "Total revenue in 2023"),
        ("average price per track", "Average price per track"),
        ("Show me the capital of Maine.", "Capital of Maine"),
        ("How many customers are there?", ""),
        ("What is the name of the singer who is oldest?", ""),
        ("How much did we sell?", ""),
        ("?", ""),
    ],
)
def test_what_is_asked_for(question: str, thing: str) -> None:
    assert asked_for(question) == thing


@pytest.mark.parametrize(
    ("heading", "cells", "told"),
    [
        ("Total price", [2328.6, 1, None], ["2,328.60", "1.00", "not known"]),
        ("Number of tracks", [12345, 7], ["12,345", "7"]),
        ("Year", [1998, 20231], ["1998", "20231"]),
        ("Order ID", [10248], ["10248"]),
        ("Founded", [1998, 2003], ["1998", "2003"]),
        ("Population", [1234567.0, 12.5], ["1,234,567", "12.5"]),
        ("Born", ["1947-09-19 00:00:00", None], ["1947-09-19", "not known"]),
        (
            "Seen",
            ["1947-09-19 00:00:00", "1947-09-19 10:00:00"],
            ["1947-09-19 00:00:00", "1947-09-19 10:00:00"],
        ),
        ("Height", [1.5, float("nan")], ["1.5", "nan"]),
        ("Open", [True, False], ["yes", "no"]),
    ],
)
def test_cells_of_a_column(heading: str, cells: list[Any], told: list[str]) -> None:
    assert shown_column(heading, cells) == told


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
