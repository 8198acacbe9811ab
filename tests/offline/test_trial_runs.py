from collections.abc import Iterator
from pathlib import Path
from threading import Barrier

import pytest

from fathom.databases import Database, connect
from fathom.offline.checks.trial_runs import FAILURES_IN_ALL, MOST_READ, RUN_OF_LARGE, TOO_LONG, check
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, Query, Star, TableRef
from fathom.records import Limits, Result
from tests.offline.making import sqlite_of

COUNT = Query((Aggregate("count", Star()),), tables=(TableRef("pet"),))
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def pets(tmp_path: Path) -> Iterator[Database]:
    script = "CREATE TABLE pet (name TEXT); INSERT INTO pet VALUES ('Ada'), ('Bo');"
    with connect(sqlite_of(tmp_path / "pets.sqlite", script)) as database:
        yield database


def test_the_same_sql_is_run_once(pets: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[str] = []
    original = pets.run

    def counted(sql: str, limits: Limits, *, trusted: bool) -> Result:
        run.append(sql)
        return original(sql, limits, trusted=trusted)

    monkeypatch.setattr(pets, "run", counted)
    texts = ["SELECT count(*) FROM pet", "SELECT name FROM pet", "SELECT count(*) FROM pet"]
    one, two, three = check(pets, JoinPlanner(pets.schema), [(COUNT, sql) for sql in texts])
    assert run == texts[:2]
    assert two.result is not None
    assert two.result.rows == (("Ada",), ("Bo",))
    assert one.result is three.result
    assert one.result is not None
    assert one.result.rows == ((2,),)


def test_what_took_too_long_and_what_failed_counts_every_time(pets: Database) -> None:
    planner = JoinPlanner(pets.schema)
    slow = [ENDLESS] * (MOST_READ // TOO_LONG + 5)
    found = check(pets, planner, [(COUNT, sql) for sql in [*slow, "SELECT name FROM pet"]])
    assert all(c.result is None and c.error is None for c in found)
    wrong = ["SELECT nothing FROM pet"] * (FAILURES_IN_ALL + 1)
    found = check(pets, planner, [(COUNT, sql) for sql in [*wrong, "SELECT name FROM pet"]])
    assert [c.error is None for c in found] == [False] * len(wrong) + [True]
    assert found[-1].result is None


AT_ONCE = 4


def test_where_each_query_is_a_journey_several_are_under_way_at_once(
    pets: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(AT_ONCE, timeout=30)
    original = pets.run

    def run(sql: str, limits: Limits, *, trusted: bool) -> Result:
        together.wait()  # nobody goes on before as many are under way
        return original(sql, limits, trusted=trusted)

    monkeypatch.setattr(type(pets), "at_once", AT_ONCE)
    monkeypatch.setattr(pets, "run", run)
    candidates = [(COUNT, f"SELECT {n} FROM pet") for n in range(AT_ONCE)]
    found = check(pets, JoinPlanner(pets.schema), candidates)
    assert [c.result and c.result.rows[0] for c in found] == [(n,) for n in range(AT_ONCE)]


def test_large_databases_run_several_at_once_with_the_same_outcome(
    pets: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["SELECT count(*) FROM pet", ENDLESS, "SELECT nothing FROM pet", "SELECT name FROM pet"] * 8
    candidates = [(COUNT, sql) for sql in texts]
    one_by_one = check(pets, JoinPlanner(pets.schema), candidates)
    monkeypatch.setattr("fathom.offline.checks.trial_runs.LARGE", 1)
    at_once = check(pets, JoinPlanner(pets.schema), candidates)
    assert [c.result and c.result.rows for c in at_once[:RUN_OF_LARGE]] == [
        c.result and c.result.rows for c in one_by_one[:RUN_OF_LARGE]
    ]
    assert [(c.error is None, c.stopped) for c in at_once[:RUN_OF_LARGE]] == [
        (c.error is None, c.stopped) for c in one_by_one[:RUN_OF_LARGE]
    ]
    assert not any(c.result or c.error or c.stopped for c in at_once[RUN_OF_LARGE:])
