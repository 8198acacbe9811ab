"""SQL from outside runs in a child process: it gives the same, and what it does to the child harms nobody."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from fathom.databases import Database, connect
from fathom.errors import QueryError, QueryFailed, QueryRefused, QueryTimedOut
from fathom.processes.child import CEILING, Child
from fathom.records import Limits
from tests.databases.makers import duckdb_databases, sqlite_databases

MAKERS = {"sqlite": sqlite_databases, "duckdb": duckdb_databases}
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n > 0) SELECT count(*) FROM r"
# One call, inside which no engine looks at the clock.
DEAF = {
    "sqlite": f"WITH b AS (SELECT group_concat('{'a' * 100}', '') AS s FROM many, many AS m)"
    " SELECT instr(s, substr(s, 1, 1000000) || 'b') FROM b",
    # One list, soon made: counting what differs in it looks at no interrupt.
    "duckdb": "SELECT list_unique(l) + len(list_distinct(l)) FROM (SELECT list(hash(a.n, b.n, c.n)) AS l"
    " FROM many a, many b, many c WHERE c.n < 40)",
}
MEMORY = {
    "sqlite": f"WITH b AS (SELECT group_concat('{'a' * 500}', '') AS s FROM many, many AS m) SELECT "
    + ", ".join(f"s || {n}" for n in range(40))
    + " FROM b",
    "duckdb": "SELECT string_agg(a.label || b.label || c.label, '') FROM many a, many b, many c",
}
VALUES = {
    "sqlite": "SELECT NULL, 1, -9223372036854775808, 1.5, 'Ü☃', x'00ff', '' UNION ALL SELECT 1,2,3,4,5,6,7",
    "duckdb": "SELECT NULL, 170141183460469231731687303715884105727::HUGEINT, 1.25::DECIMAL(9,2),"
    " DATE '2020-02-29',"
    " TIMESTAMPTZ '2020-01-01 00:00:00+02', INTERVAL 3 DAY, [1, NULL], {'a': [1], 'b': 'x'}, MAP {'k': 1},"
    " 'a'::BLOB, uuid(), TIME '10:00:00', 'inf'::DOUBLE",
}


@pytest.fixture(scope="module", params=list(MAKERS))
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    rows = ", ".join(f"({n}, '{'label ' * 30}{n}')" for n in range(300))
    with MAKERS[request.param](tmp_path_factory.mktemp("contained")) as make:
        yield make(
            "CREATE TABLE many (n INTEGER, label VARCHAR)",
            f"INSERT INTO many VALUES {rows}",
            "CREATE TABLE long (label VARCHAR)",
            f"INSERT INTO long VALUES ('{'abcd' * 20000}'), ('{'xyz' * 30000}')",
        )


def _children(parent: int | None = None) -> list[psutil.Process]:
    found = psutil.Process(parent).children(recursive=True)
    return [p for p in found if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def _child_of(database: Database) -> int:
    (session,) = database._contained._idle
    return int(session._child.pid)  # type: ignore[attr-defined]


def _works(database: Database) -> bool:
    return database.run("SELECT count(*) FROM many").rows == ((300,),)


def test_values_and_cuts_are_those_of_this_process(database: Database) -> None:
    for sql, limits in (
        (
            VALUES[database.dialect].replace("uuid()", "'00000000-0000-0000-0000-000000000001'::UUID"),
            Limits(),
        ),
        ("SELECT * FROM many", Limits()),
        ("SELECT * FROM many", Limits(rows=17)),
        ("SELECT * FROM many", Limits(rows=0)),
        ("SELECT * FROM many ORDER BY n", Limits(bytes=10_000)),
        ("SELECT * FROM many WHERE n < 0", Limits()),
    ):
        outside, ours = database.run(sql, limits), database.run(sql, limits, trusted=True)
        assert (outside.columns, outside.truncated) == (ours.columns, ours.truncated)
        assert repr(outside.rows) == repr(ours.rows)
    assert _child_of(database) in {p.pid for p in _children()}


def test_refusals_and_failures_come_with_their_facts(database: Database) -> None:
    with pytest.raises(QueryRefused) as refused:
        database.run("DELETE FROM many")
    assert refused.value.rule == "write"
    with pytest.raises(QueryFailed) as failed:
        database.run("SELECT nope FROM many")
    assert failed.value.error_class == "no_such_table_or_column"
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.rule, again.sql) == (str(refused.value), "write", refused.value.sql)


def test_a_call_that_nothing_interrupts_is_killed_a_second_after_the_limit(database: Database) -> None:
    assert _works(database)
    before = _child_of(database)
    started = time.monotonic()
    with pytest.raises(QueryTimedOut, match=r"stopped after 0\.5 s"):
        database.run(DEAF[database.dialect], Limits(seconds=0.5))
    assert time.monotonic() - started < 3
    assert _works(database)
    assert not psutil.pid_exists(before)


def test_what_can_be_interrupted_keeps_its_process(database: Database) -> None:
    assert _works(database)
    before = _child_of(database)
    for _ in range(3):
        with pytest.raises(QueryTimedOut):
            database.run(ENDLESS, Limits(seconds=0.1))
    assert _works(database)
    assert _child_of(database) == before


def test_what_takes_too_much_memory_fails_and_the_next_query_runs(database: Database) -> None:
    most = [0]
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            for child in _children():
                try:
                    most[0] = max(most[0], child.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with pytest.raises(QueryError, match=r"GB of memory|stopped after"):
            database.run(MEMORY[database.dialect], Limits(seconds=10))
    finally:
        over.set()
        watching.join()
    assert most[0] < CEILING + 100_000_000
    assert _works(database)


@pytest.mark.parametrize(
    ("sign", "told"), [("SIGSEGV", "crashed"), ("SIGKILL", "memory"), ("SIGABRT", "crashed")]
)
def test_a_crash_is_told_and_the_next_query_runs(database: Database, sign: str, told: str) -> None:
    assert _works(database)
    child = _child_of(database)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(database.run, ENDLESS, Limits(seconds=60))
        time.sleep(0.3)
        os.kill(child, getattr(signal, sign))
        with pytest.raises(QueryFailed, match=told):
            waiting.result(timeout=10)
    assert _works(database)


def test_a_child_that_died_while_nothing_ran_is_replaced_unseen(database: Database) -> None:
    assert _works(database)
    child = psutil.Process(_child_of(database))
    child.kill()
    psutil.wait_procs([child], timeout=5)
    assert _works(database)
    assert _child_of(database) != child.pid


def test_a_child_that_was_started_for_a_refused_query_may_leave(database: Database) -> None:
    database._contained.forget_idle()
    with pytest.raises(QueryRefused):
        database.run("DELETE FROM many; SELECT 1")
    for child in [psutil.Process(c.pid) for c in database._contained.engine._begun]:  # type: ignore[attr-defined]
        child.kill()
        psutil.wait_procs([child], timeout=0.2)
    assert _works(database)


def test_threads_have_children_of_their_own_and_few_are_kept(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: database.run(f"SELECT {n} FROM many").rows[0][0], range(40)))
    assert found == list(range(40))
    assert 1 <= len(database._contained._idle) <= 4
    while len(database._contained._idle) > 1:
        database._contained._idle.pop().close()


def test_a_stream_that_is_left_early_stops_its_child(database: Database) -> None:
    sql = "SELECT a.label, b.label FROM many a, many b, many c"
    for _ in range(3):
        with database.stream(sql, Limits(rows=None, bytes=None)) as batches:
            next(iter(batches))
        assert _works(database)
    time.sleep(0.1)
    child = psutil.Process(_child_of(database))
    before = child.cpu_times().user
    time.sleep(0.2)
    assert child.cpu_times().user - before < 0.1


def test_closing_ends_the_children(tmp_path: Path) -> None:
    before = {p.pid for p in _children()}
    with sqlite_databases(tmp_path) as make:
        database = make("CREATE TABLE t (n INTEGER)")
        database.run("SELECT * FROM t")
        assert len({p.pid for p in _children()} - before) == 1
    assert {p.pid for p in _children()} <= before


PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs behind a shell ignores it
from fathom.databases import connect
from fathom.records import Limits
database = connect(sys.argv[1])
print(database.run("SELECT 1").rows, flush=True)
if len(sys.argv) > 2:
    database.run(sys.argv[2], Limits(seconds=None))
"""


def _program(database: Database, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-W", "error", "-c", PROGRAM, str(database.file), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _begun(program: "subprocess.Popen[str]") -> list[psutil.Process]:
    assert program.stdout
    assert program.stdout.readline() == "((1,),)\n"
    return _children(program.pid)


def test_a_program_that_ends_leaves_no_child(database: Database) -> None:
    with _program(database) as program:
        children = _begun(program)
        told = program.communicate(timeout=30)
    assert (told, program.returncode) == (("", ""), 0)
    assert psutil.wait_procs(children, timeout=5)[1] == []


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_program_that_is_stopped_takes_its_busy_child_along(
    database: Database, sign: signal.Signals
) -> None:
    with _program(database, DEAF[database.dialect]) as program:
        children = _begun(program)
        time.sleep(0.3)
        assert len(children) == 1
        program.send_signal(sign)
        _, told = program.communicate(timeout=10)
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert program.returncode == -sign
    assert ("KeyboardInterrupt" in told) == (sign == signal.SIGINT)


def test_messages_may_be_longer_than_a_pipe_holds() -> None:
    child = Child("tests.databases.test_contained:echo")
    try:
        child.send("x" * 5_000_000)
        assert len(child.receive()) == 5_000_000
    finally:
        assert child.end() == -signal.SIGKILL


def echo(channel: object) -> None:
    """Run in a child: what comes goes back."""
    while True:
        channel.send(channel.receive())  # type: ignore[attr-defined]


def test_a_process_with_many_open_files_asks_all_the_same(database: Database) -> None:
    """Files above number 1,023 are more than `select.select` takes."""
    lowest, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < 2_000:
        pytest.skip("this machine lets a process open fewer than 2,000 files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(lowest, 2_000), most))
    with ExitStack() as opened:
        for _ in range(1_100):
            opened.enter_context(open(os.devnull, "rb"))  # noqa: PTH123, as plain as can be
        with connect(database.url) as another:
            assert [another.run("SELECT 1").rows for _ in range(2)] == [((1,),)] * 2
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, most))
