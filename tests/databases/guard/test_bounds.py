"""What is too long, too deep or too wide is refused before it is parsed; honest lists aren't."""

import time
from contextlib import suppress

import pytest
from sqlglot.dialects.dialect import Dialect

from fathom.databases.guard import check
from fathom.databases.guard.bounds import MOST_READINGS, most_nodes
from fathom.errors import QueryRefused

DIALECTS = ("duckdb", "mysql", "postgres", "sqlite")
TYPES = sorted(
    {
        word.lower()
        for dialect in DIALECTS
        for word, kind in Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS.items()
        if kind in Dialect.get_or_raise(dialect).parser_class.TYPE_TOKENS and word.isalpha()
    }
)


def refused(sql: str, dialect: str) -> str:
    with pytest.raises(QueryRefused) as found:
        check(sql, dialect)
    return found.value.rule


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '" + "x" * 100_000 + "'",
        "SELECT " + "1+" * 6_000 + "1",
        "SELECT " + "1+" * 1_600 + "1",
        "SELECT 1 IN (" + "1," * 6_000 + "1)",
        "SELECT " + "name," * 6_000 + "name FROM kept",
        "SELECT 1" + " UNION SELECT 1" * 2_000,
        "SELECT " + "a." * 6_000 + "a",
        "SELECT 1 WHERE " + "1 = 1 AND " * 3_000 + "true",
        "SELECT " + "(" * 41 + "1" + ")" * 41,
        "SELECT " + "abs(" * 41 + "1" + ")" * 41,
        "SELECT 1" + ";" * 50_000,
        "SELECT " + "array[" * 20 + "1" + "]" * 20,
        "SELECT " + "date(" * 20 + "'2020-01-01'" + ")" * 20,
        "SELECT " + "struct(" * 20 + "1" + ")" * 20,
        "SELECT " + "struct(" * 9 + ",".join(["'1'"] * 1_400) + ")" * 9,
        "SELECT " + "date(abs(" * 18 + "1" + "))" * 18,
        "SELECT name" + "[1]" * 900 + " FROM kept",
        "SELECT name" + "[1].b" * 590 + " FROM kept",
        "SELECT name" + ".upper()" * 740 + " FROM kept",
        "SELECT name" + " ~ 'x'" * 1_400 + " FROM kept",
        "SELECT " + ",".join("1 IN (" + ",".join("1" * 400) + ")" for _ in range(110)),
    ],
    ids=lambda sql: f"{sql[:24]} {len(sql)}",
)
def test_what_takes_too_long_to_read_is_refused(sql: str, dialect: str) -> None:
    assert refused(sql, dialect) in {"size", "syntax", "encoding"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_brackets_after_every_type_come_to_an_end(dialect: str) -> None:
    """Some would take minutes if nothing bounded them; some are names, and pass."""
    for word in TYPES:
        for opening, closing in (("(", ")"), ("[", "]"), ("(a ", ")")):
            with suppress(QueryRefused):
                check("SELECT " + f"{word}{opening}" * 30 + "1" + closing * 30, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM kept WHERE id IN (" + ", ".join(map(str, range(4_900))) + ")",
        "SELECT 1 FROM kept WHERE name IN (" + ", ".join(f"'n{n}'" for n in range(4_900)) + ")",
        "SELECT 1 FROM kept WHERE " + " OR ".join(f"id = {n}" for n in range(600)),
        "SELECT " + ", ".join(f"max(id) AS c{n}" for n in range(300)) + " FROM kept",
        "SELECT " + "(" * 30 + "1" + ")" * 30,
        "SELECT lower(lower(lower(lower(lower(lower(lower(lower(name)))))))) FROM kept",
        "SELECT id FROM kept WHERE id < -1" + " UNION ALL SELECT id FROM kept" * 200,
    ],
    ids=lambda sql: f"{sql[:34]} {len(sql)}",
)
def test_long_honest_queries_pass(sql: str, dialect: str) -> None:
    check(sql, dialect)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_many_short_chains_are_no_long_one(dialect: str) -> None:
    asked = " OR ".join(f"name ~ 'a{n}'" for n in range(150))
    check(f"SELECT {', '.join(['(array[id])[1]'] * 150)} FROM kept WHERE {asked}", dialect)


def test_stars_of_stars_are_not_counted_out() -> None:
    """On PostgreSQL the guard follows columns; each star of two tables would double them."""
    steps = ", ".join(f"a{n + 1} AS (SELECT * FROM a{n} x, a{n} y)" for n in range(40))
    started = time.process_time()
    assert refused(f"WITH a0 AS (SELECT 1 AS q), {steps} SELECT a40.q FROM a40", "postgres") == "size"
    groups = ", ".join(f"a{n + 1} AS (SELECT * FROM (a{n} x CROSS JOIN a{n} y) AS z)" for n in range(40))
    assert refused(f"WITH a0 AS (SELECT 1 AS q), {groups} SELECT a40.q FROM a40", "postgres") == "size"
    assert time.process_time() - started < 20


def test_what_is_cut_from_a_list_hides_nothing() -> None:
    values = ", ".join("1" for _ in range(100))
    for hidden in ("pg_sleep(1)", "(SELECT pg_sleep(1))", "- pg_sleep(1)", "(1, pg_sleep(1))"):
        assert refused(f"SELECT 1 WHERE 1 IN ({values}, {hidden}, {values})", "postgres") == "function"
    assert refused(f"SELECT 1 WHERE 1 IN ({values}) OR pg_sleep(1) IS NULL", "postgres") == "function"


def test_the_parser_has_a_bound_of_its_own() -> None:
    tokens = Dialect.get_or_raise("postgres").tokenize("SELECT 1")
    assert 500 < most_nodes(tokens) < MOST_READINGS
