"""Whoever waits for an endless query can have it stopped, on all four engines, within a second."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psutil
import pytest

from fathom.cancellation import Cancellation
from fathom.databases import NO_LIMITS, Database
from fathom.databases.engine import Session
from fathom.errors import Cancelled
from fathom.methods import Context
from fathom.records import Limits
from tests.databases.makers import duckdb_databases, mysql_databases, postgres_databases, sqlite_databases
from tests.databases.suite import CANCELLED_WITHIN, NUMBERS, SLOW

MAKERS = {
    "sqlite": sqlite_databases,
    "duckdb": duckdb_databases,
    "postgres": postgres_databases,
    "mysql": mysql_databases,
}
BEGUN = 0.4
AT_WORK = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
    " AND datname = current_database() AND pid <> pg_backend_pid()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE command = 'Query'"
    " AND db = database() AND id <> connection_id()",
}


@pytest.fixture(scope="module", params=list(MAKERS))
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with MAKERS[request.param](tmp_path_factory.mktemp("cancelled")) as make:
        yield make("CREATE TABLE numbers (id INTEGER, label VARCHAR(20))", *NUMBERS)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def _assert_idle(database: Database) -> None:
    """The server works on nothing of ours; an embedded engine takes no more of the processor."""
    if (sql := AT_WORK.get(database.dialect)) is not None:
        assert database._read(sql)[0][0] == 0
        return
    before = _processor_seconds()
    time.sleep(0.2)
    assert _processor_seconds() - before < 0.1


def _processor_seconds() -> float:
    """Of this process and its children."""
    children = psutil.Process().children(recursive=True)
    return time.process_time() + sum(float(t.user + t.system) for t in (c.cpu_times() for c in children))


def _assert_stopped(waiting: Future[Any], since: float) -> None:
    with pytest.raises(Cancelled):
        waiting.result(timeout=15)
    assert time.monotonic() - since < CANCELLED_WITHIN


@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(seconds=60)])
def test_a_query_is_stopped_and_the_next_one_runs(
    database: Database, threads: ThreadPoolExecutor, limits: Limits
) -> None:
    cancellation = Cancellation()
    waiting = threads.submit(database.run, SLOW, limits, cancellation)
    time.sleep(BEGUN)
    assert not waiting.done()
    since = time.monotonic()
    cancellation.cancel()
    assert time.monotonic() - since < 0.1
    _assert_stopped(waiting, since)
    _assert_idle(database)
    assert database.run("SELECT 1").rows == ((1,),)


def test_all_queries_under_one_token_are_stopped(database: Database, threads: ThreadPoolExecutor) -> None:
    cancellation = Cancellation()
    waiting = [threads.submit(database.run, SLOW, NO_LIMITS, cancellation) for _ in range(3)]
    other = threads.submit(database.run, "SELECT count(*) FROM numbers", Limits(), Cancellation())
    time.sleep(BEGUN)
    since = time.monotonic()
    cancellation.cancel()
    for one in waiting:
        _assert_stopped(one, since)
    assert other.result(timeout=15).rows == ((3000,),)
    _assert_idle(database)
    with pytest.raises(Cancelled):
        database.run("SELECT 1", cancellation=cancellation)


def test_a_stream_is_stopped_between_its_batches(database: Database) -> None:
    cancellation = Cancellation()
    endless = "SELECT a.label, b.label, c.label FROM numbers a, numbers b, numbers c"
    until = time.monotonic() + 15
    with database.stream(endless, NO_LIMITS, cancellation) as batches:
        next(iter(batches))
        cancellation.cancel()
        with pytest.raises(Cancelled):
            all(time.monotonic() < until for _ in batches)
    _assert_idle(database)


def test_asking_before_the_statement_begins_stops_it_too(
    database: Database, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancellation = Cancellation()
    begun, go_on = threading.Event(), threading.Event()
    session = database._contained.take()[0]
    begin = type(session).begin

    def begin_slowly(self: Session, limits: Limits) -> None:
        begin(self, limits)
        begun.set()
        go_on.wait(timeout=30)

    monkeypatch.setattr(type(session), "begin", begin_slowly)
    database._contained.give_back(session, usable=True)
    waiting = threads.submit(database.run, SLOW, NO_LIMITS, cancellation)
    begun.wait(timeout=30)
    since = time.monotonic()
    cancellation.cancel()
    time.sleep(0.1)
    go_on.set()
    _assert_stopped(waiting, since)


def test_a_context_stops_what_it_runs(database: Database) -> None:
    async def ask() -> None:
        cancellation = Cancellation()
        context = Context(database, limits=NO_LIMITS, cancellation=cancellation)
        asyncio.get_running_loop().call_later(BEGUN, cancellation.cancel)
        await context.run(SLOW)

    started = time.monotonic()
    with pytest.raises(Cancelled):
        asyncio.run(ask())
    assert time.monotonic() - started < BEGUN + CANCELLED_WITHIN


def test_what_covers_the_thread_stops_its_queries(database: Database, threads: ThreadPoolExecutor) -> None:
    cancellation = Cancellation()

    def own_query() -> object:
        with cancellation.covering():
            return database._read(SLOW)

    waiting = threads.submit(own_query)
    time.sleep(BEGUN)
    since = time.monotonic()
    cancellation.cancel()
    _assert_stopped(waiting, since)
