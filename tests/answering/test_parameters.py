"""Values of conditions: found in the parse of a query, put back as literals, never as text."""

import sqlite3
from contextlib import closing

import pytest

from fathom.answering.parameters import checked, condition_values, filled
from fathom.errors import InputError
from fathom.records import Column, Schema, Table

QUERY = """SELECT city, STRFTIME('%Y', at), 3 FROM sale s WHERE s.city = 'Bern' AND amount > -5.5
AND STRFTIME('%Y', at) = '2015' AND at BETWEEN '2020-01-01' AND '2021-01-01' AND id IN (1, 2) AND 10 >= year
AND LOWER(city) LIKE 'b%' GROUP BY 1 HAVING sum(amount) > 100 ORDER BY 1 LIMIT 5"""
DIALECTS = (
    "sqlite", "duckdb", "postgres", "mysql", "trino", "spark", "databricks", "bigquery", "snowflake",
)  # fmt: skip
HOSTILE = (
    "x' OR 1=1 --", "\\' OR 1=1 -- ", "\\", "\\\\'", "'';DROP TABLE sale", "a\nb", "%_", "$$x$$", "{{x}}",
    ":p", "?", "/*", "`", '"', "${env:HOME}", "@x", "E'\\x41'", "",
)  # fmt: skip


def schema(dialect: str = "sqlite") -> Schema:
    columns = tuple(Column(n, "TEXT", "text") for n in ("id", "city", "year", "amount", "at"))
    return Schema(dialect, (Table("sale", columns), Table("city", (Column("name", "TEXT", "text"),))))


def test_the_values_of_conditions_are_found_and_no_others() -> None:
    found = condition_values(QUERY, schema())
    assert [(v.column, v.said, v.kind, v.value) for v in found] == [
        ("city", "is", "text", "Bern"),
        ("amount", "over", "number", "-5.5"),
        ("at", "is", "text", "2015"),
        ("at", "at least", "date", "2020-01-01"),
        ("at", "at most", "date", "2021-01-01"),
        ("id", "is one of", "number", "1"),
        ("id", "is one of", "number", "2"),
        ("year", "at most", "number", "10"),
        ("city", "like", "text", "b%"),
        ("amount", "over", "number", "100"),
    ]
    assert {v.table for v in found} == {"sale"}
    for none in ("SELECT 1", "DELETE FROM sale WHERE city = 'Bern'", "SELECT (", "SELECT 1; SELECT 2"):
        assert not condition_values(none, schema())


def test_values_take_the_places_of_literals() -> None:
    places = {v.value: v.place for v in condition_values(QUERY, schema())}
    made = filled(
        QUERY,
        "sqlite",
        {
            places["Bern"]: ("text", "O'Hare"),
            places["-5.5"]: ("number", "7"),
            places["1"]: ("number", "-3"),
            places["2015"]: ("number", "2014"),
        },
    )
    assert "s.city = 'O''Hare' AND amount > 7 AND STRFTIME('%Y', at) = '2014'" in made
    assert "id IN (-3, 2)" in made
    assert "LIMIT 5" in made


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_stays_one_literal(dialect: str, value: str) -> None:
    (place,) = condition_values("SELECT id FROM sale WHERE city = 'Bern'", schema(dialect))
    made = filled("SELECT id FROM sale WHERE city = 'Bern'", dialect, {place.place: ("text", value)})
    (found,) = condition_values(made, schema(dialect))
    assert (found.value, found.column) == (value, "city")


def test_sqlite_reads_each_hostile_value_as_itself() -> None:
    with closing(sqlite3.connect(":memory:")) as opened:
        for value in HOSTILE:
            made = filled("SELECT 'Bern'", "sqlite", {0: ("text", value)})
            assert opened.execute(made).fetchone() == (value,)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", "1 OR 1"), ("number", "nan"), ("number", "1e999"), ("number", ""), ("date", "2024-13-01"),
        ("date", "yesterday"), ("text", "x" * 501), ("text", "a\x00b"), ("text", "a\u202eb"),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused(kind: str, value: str) -> None:
    with pytest.raises(InputError):
        checked(kind, value)  # type: ignore[arg-type]


def test_a_number_s_place_takes_no_text_and_a_missing_place_is_told() -> None:
    with pytest.raises(InputError, match="no number"):
        filled("SELECT id FROM sale WHERE year = 5", "sqlite", {0: ("text", "5 OR 1 = 1")})
    with pytest.raises(InputError, match="has changed"):
        filled("SELECT id FROM sale WHERE year = 5", "sqlite", {3: ("number", "5")})
