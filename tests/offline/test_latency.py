"""Where any query takes seconds, those that are tried get them too, and fewer are tried."""

from pathlib import Path

import pytest

from fathom.databases.sqlite import SQLite
from fathom.offline.checks.trial_runs import RUN_WHERE_DEAR, brief, check
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, Query, Star, TableRef
from tests.offline.making import made

TABLE = "CREATE TABLE sales (id INTEGER PRIMARY KEY, city TEXT)"


def test_a_file_is_asked_for_a_second(tmp_path: Path) -> None:
    with made(TABLE, tmp_path) as database:
        assert brief(database).seconds == 1.0


def test_an_engine_that_takes_long_for_anything_gets_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SQLite, "latency", 4.0)
    with made(TABLE, tmp_path) as database:
        limits = brief(database)
        assert limits.seconds == 5.0
        assert (limits.rows, limits.bytes) == (3_000, 4_000_000)


def test_where_each_query_is_a_journey_fewer_candidates_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = Query((Aggregate("count", Star()),), tables=(TableRef("sales"),))
    candidates = [(count, f"SELECT {n} FROM sales") for n in range(RUN_WHERE_DEAR + 4)]
    with made(TABLE, tmp_path) as database:
        near = check(database, JoinPlanner(database.schema), candidates)
        monkeypatch.setattr(SQLite, "latency", 4.0)
        away = check(database, JoinPlanner(database.schema), candidates)
    assert [c.result is not None for c in near] == [True] * len(candidates)
    assert [c.result is not None for c in away] == [True] * RUN_WHERE_DEAR + [False] * 4
