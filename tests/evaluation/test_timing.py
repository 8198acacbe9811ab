import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fathom.databases import Database, connect
from fathom.errors import QueryError
from fathom.evaluation.timing import Ratio, compare_times, reference_ratio, time_ratio

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


@pytest.mark.parametrize("noise", [0.003, 0.03])
def test_equal_work_is_seldom_told_to_be_slower(noise: float) -> None:
    """The interval of the ratio lies below 1 about as often as an interval of 95 % may: 2.5 times of 100."""
    random = Random(1)

    def seconds() -> float:
        return 1 + random.expovariate(1 / noise)

    found = [compare_times(seconds, seconds) for _ in range(1_000)]
    assert 0.4 < sum(ratio.value < 1 for ratio in found) / len(found) < 0.6
    assert sum(ratio.rewarded < 1 for ratio in found) / len(found) < 0.04
    assert sum(ratio.runs for ratio in found) / len(found) < 6  # it needs no more runs for it


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
