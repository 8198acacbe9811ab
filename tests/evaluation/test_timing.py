import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.errors import QueryError
from fathom.evaluation.timing import Ratio, reference_ratio, time_ratio

LONG = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT {}) SELECT count(*) FROM r"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (n)")
    connection.close()
    with connect(tmp_path / "t.sqlite") as opened:
        yield opened


def test_a_query_that_does_a_tenth_of_the_work_is_several_times_faster(database: Database) -> None:
    found = time_ratio(database, LONG.format(2_000), LONG.format(20_000))
    assert found.value > 3
    assert 4 <= found.runs <= 20
    assert reference_ratio(database, LONG.format(2_000), LONG.format(20_000), runs=10).value > 3


def test_a_query_against_itself_is_one(database: Database) -> None:
    assert time_ratio(database, "SELECT 1;", "SELECT 1").value == 1.0


def test_it_stops_early_where_the_interval_is_wide_enough(database: Database) -> None:
    assert time_ratio(database, LONG.format(3_000), LONG.format(9_000), width=100.0).runs == 4


def test_a_query_that_fails_is_told(database: Database) -> None:
    with pytest.raises(QueryError):
        time_ratio(database, "SELECT nope", "SELECT 1")


@pytest.mark.parametrize(
    ("value", "width", "rewarded"),
    [
        (0.97, 0.1, 1.0),
        (0.97, 0.01, 0.97),
        (1.0, 0.1, 1.0),
        (1.98, 0.1, 2.0),
        (0.49, 0.1, 0.5),
        (0.3, 9.0, 0.5),
    ],
)
def test_a_step_that_the_interval_holds_is_reached(value: float, width: float, rewarded: float) -> None:
    assert Ratio(value, width, 10).rewarded == rewarded
