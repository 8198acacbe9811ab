"""Spans of time are given as the engine spells them: a month isn't thirty days."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path

import pytest

from fathom.answering.documents import as_csv
from fathom.answering.forms import result_as_json
from fathom.evaluation.comparisons.values import canonical
from fathom.records import Interval, shown_value
from tests.databases.makers import Make, duckdb_databases, mysql_databases, postgres_databases

MONTHS = "SELECT INTERVAL '1 month' AS a, INTERVAL '14 months' AS a, INTERVAL '-90 minutes', NULL, 7 -- f"
TIMES = "SELECT CAST('25:15:00' AS TIME), CAST('-01:30:00' AS TIME), CAST(NULL AS TIME), 7"


@pytest.mark.parametrize(
    ("databases", "sql", "cells"),
    [
        (postgres_databases, MONTHS, ("1 mon", "1 year 2 mons", "-01:30:00", None, 7)),
        (duckdb_databases, MONTHS, ("1 month", "1 year 2 months", "-01:30:00", None, 7)),
        (mysql_databases, TIMES, ("25:15:00", "-01:30:00", None, 7)),
    ],
)
def test_spans_are_as_the_engine_has_them(
    databases: Callable[[Path], AbstractContextManager[Make]],
    sql: str,
    cells: tuple[object, ...],
    tmp_path: Path,
) -> None:
    with databases(tmp_path) as make:
        for trusted in (True, False):  # in this process, and in a child's
            result = make("CREATE TABLE t (a INTEGER)").run(sql, trusted=trusted)
            assert result.rows == (cells,)
            assert isinstance(result.rows[0][0], Interval)
            assert result_as_json(result)["rows"] == [list(cells)]
            assert as_csv(result).splitlines()[1].startswith(f"{cells[0]},")
            assert shown_value(result.rows[0][0]) == cells[0]


def test_duckdb_keeps_names_and_order_beside_spans(tmp_path: Path) -> None:
    with duckdb_databases(tmp_path) as make:
        database = make("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1), (3), (2)")
        sql = 'SELECT a, to_months(a) AS age, a AS "a" FROM t ORDER BY a DESC LIMIT 2;'
        result = database.run(sql)
        assert result.columns == ("a", "age", "a")
        assert result.rows == ((3, "3 months", 3), (2, "2 months", 2))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1 mon", (1, 0)),
        ("1 year 2 mons 3 days 04:05:06.5", (14, 3 * 86_400 + 4 * 3600 + 5 * 60 + Decimal("6.5"))),
        ("-1 years", (-12, 0)),
        ("-01:30:00", (0, -5400)),
        ("100:00:00", (0, 360_000)),
        ("P1M", None),
        ("1 fortnight", None),
    ],
)
def test_the_parts_of_a_span(text: str, parts: tuple[int, Decimal] | None) -> None:
    assert Interval(text).parts == parts


def test_a_month_is_compared_as_a_month() -> None:
    month, days = Interval("1 mon"), Interval("30 days")
    assert canonical(month) != canonical(days)
    assert canonical(month) == canonical(Interval("1 month"))
    assert canonical(Interval("24:00:00")) == canonical(Interval("1 day"))
    assert canonical(Interval("P1M")) == "P1M"
