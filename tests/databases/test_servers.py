"""What only servers do: queries go on without us unless stopped, and connections break."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import URL, create_engine
from sqlalchemy.pool import NullPool

from fathom.databases import Database, connect
from fathom.databases.engine import Session
from fathom.errors import ConnectionFailed, ErrorClass, QueryFailed, QueryTimedOut
from fathom.records import Limits
from fathom.retrieval import ValueIndex
from tests.databases.makers import (
    Make,
    mysql_databases,
    mysql_url,
    postgres_databases,
    postgres_url,
    settings_in,
)
from tests.databases.suite import NUMBERS, SLOW

TABLE = "CREATE TABLE numbers (id INTEGER, label VARCHAR(20))"
ENDLESS = "SELECT a.label, b.label, c.label FROM numbers a, numbers b, numbers c"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with postgres_databases(tmp_path_factory.mktemp("postgres")) as make:
        yield make


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with mysql_databases(tmp_path_factory.mktemp("mysql")) as make:
        yield make


def _running(database: Database) -> int:
    """How many of our queries over `numbers` the server works on, but for this one."""
    sql = {
        "postgres": "SELECT count(*) FROM pg_stat_activity"
        " WHERE state = 'active' AND query LIKE '%numbers c%'"
        " AND datname = current_database() AND pid <> pg_backend_pid()",
        "mysql": "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%numbers c%'"
        " AND db = database() AND id <> connection_id()",
    }[database.dialect]
    return int(database._read(sql)[0][0])


def _comes_true(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def _none_running(database: Database) -> bool:
    return _comes_true(lambda: _running(database) == 0)


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_the_server_stops_too(server: str, request: pytest.FixtureRequest) -> None:
    database = request.getfixturevalue(server)(TABLE, *NUMBERS)
    with pytest.raises(QueryTimedOut):
        database.run(SLOW, Limits(seconds=0.2))
    assert _none_running(database)
    assert database.run(ENDLESS, Limits(rows=3)).truncated == "rows"
    assert _none_running(database)
    with database.stream(ENDLESS) as stream:
        next(iter(stream))
        assert _running(database) <= 1
    assert _none_running(database)


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_a_broken_connection_is_opened_anew(server: str, request: pytest.FixtureRequest) -> None:
    database = request.getfixturevalue(server)(TABLE)
    kill = {"postgres": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{0}'"}
    own = {"postgres": "SELECT pg_backend_pid()", "mysql": "SELECT connection_id()"}[server]
    before = database._read(own)
    other = request.getfixturevalue(server)()
    end = kill.get(server, "KILL {1}").format(database.name, before[0][0])
    with closing(other._sessions.take()[0]) as session:
        _execute(session, end)
    alive = {
        "postgres": "SELECT count(*) FROM pg_stat_activity WHERE pid = {}",
        "mysql": "SELECT count(*) FROM information_schema.processlist WHERE id = {}",
    }[server].format(before[0][0])
    assert _comes_true(lambda: other._read(alive)[0][0] == 0)
    assert database.run("SELECT count(*) FROM numbers").rows == ((0,),)
    assert database._read(own) != before


def _execute(session: object, sql: str) -> None:
    connection = getattr(session, "_connection")  # noqa: B009, a private part of either kind of session
    (getattr(connection, "execute", None) or connection.query)(sql)


class Proxy:
    """Passes bytes between us and a server, until it falls silent: connections stay, and nothing comes."""

    def __init__(self, server: URL) -> None:
        self._to = (server.host or "127.0.0.1", server.port or {"p": 5432, "m": 3306}[server.drivername[0]])
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._heard = threading.Event()
        self._heard.set()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listening.accept()[0]
                far = socket.create_connection(self._to, timeout=30)
                self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError):
            while read := here.recv(65_536):
                if self._heard.is_set():
                    there.sendall(read)

    def fall_silent(self) -> None:
        self._heard.clear()

    def close(self) -> None:
        for one in (self._listening, *self._open):
            one.close()


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_a_server_that_falls_silent_is_not_waited_for(
    server: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    made = request.getfixturevalue(server)(TABLE)
    own = {"postgres": postgres_url, "mysql": mysql_url}[server]()
    with closing(Proxy(own)) as proxy:
        url = own.set(database=made.name, host="127.0.0.1", port=proxy.port)
        address = url.render_as_string(hide_password=False)
        with connect(address, settings=settings_in(tmp_path)) as database:
            database.run("SELECT 1")
            proxy.fall_silent()
            started = time.monotonic()
            with pytest.raises(QueryTimedOut, match="may still be working") as caught:
                database.run("SELECT 1", Limits(seconds=0.5))
            assert caught.value.may_go_on
            assert time.monotonic() - started < 0.5 + 2 * Session.grace + 1
            with pytest.raises(ConnectionFailed):  # the connection was given up, and no new one to be had
                database.run("SELECT 1", Limits(seconds=0.5))


def test_dates_that_python_has_not_come_as_text(postgres: Make) -> None:
    sql = "SELECT 'infinity'::date, '0044-03-15 BC'::date, 'infinity'::timestamp, '-infinity'::timestamptz"
    assert postgres().run(sql).rows == (("infinity", "0044-03-15 BC", "infinity", "-infinity"),)
    assert postgres().run("SELECT DATE '2024-02-29'").rows[0][0].isoformat() == "2024-02-29"


def test_tables_of_other_schemas_are_qualified(postgres: Make) -> None:
    database = postgres(
        "CREATE SCHEMA other",
        "CREATE TABLE item (id INTEGER PRIMARY KEY)",
        "CREATE TABLE other.item (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES public.item (id))",
        "CREATE MATERIALIZED VIEW seen AS SELECT 1 AS one",
        "CREATE TYPE mood AS ENUM ('glad', 'sad')",
        "CREATE TABLE kinds (a mood, b INTEGER[], c JSONB, d UUID, e INTERVAL, f TIMESTAMPTZ, g BYTEA)",
    )
    assert {t.name for t in database.schema.tables} == {"item", "other.item", "seen", "kinds"}
    assert database.schema.table("seen").is_view
    assert database.identifier("other.item", "item_id") == '"other"."item"."item_id"'
    (key,) = (k for k in database.schema.foreign_keys if not k.inferred)
    assert (key.table, key.target_table) == ("other.item", "item")
    kinds = [c.kind for c in database.schema.table("kinds").columns]
    assert kinds[1:] == ["other", "json", "text", "other", "datetime", "blob"]
    assert list(database.scan("other.item")) == []


def test_partitions_do_not_stand_beside_the_table_they_are_parts_of(postgres: Make) -> None:
    database = postgres(
        "CREATE TABLE visit (day DATE, place TEXT) PARTITION BY RANGE (day)",
        "CREATE TABLE visit_2023 PARTITION OF visit FOR VALUES FROM ('2023-01-01') TO ('2024-01-01')",
        "CREATE SCHEMA old",
        "CREATE TABLE old.visit_2022 PARTITION OF visit FOR VALUES FROM ('2022-01-01') TO ('2023-01-01')",
        "INSERT INTO visit VALUES ('2023-05-01', 'Oslo'), ('2022-05-01', 'Lima')",
        "CREATE TABLE old.visit (day DATE)",
    )
    assert {t.name: t.row_count for t in database.schema.tables} == {"visit": 2, "old.visit": 0}
    assert database.run("SELECT place FROM visit_2023").rows == (("Oslo",),)


def test_an_operator_that_is_missing_is_no_missing_function(postgres: Make) -> None:
    with pytest.raises(QueryFailed) as caught:
        postgres().run("SELECT DATE '2024-01-01' + 'a'::text")
    assert caught.value.error_class is ErrorClass.OTHER
    assert "operator does not exist" in caught.value.message


def test_zero_dates_come_as_text(mysql: Make) -> None:
    database = mysql("SET sql_mode = ''", "CREATE TABLE t (d DATE)", "INSERT INTO t VALUES ('0000-00-00')")
    assert database.run("SELECT d FROM t").rows == (("0000-00-00",),)


def test_giant_results_are_not_held(postgres: Make) -> None:
    database = postgres(TABLE, *NUMBERS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = database.run(ENDLESS, Limits(rows=None, bytes=5_000_000, seconds=20))
    assert result.truncated == "bytes"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KB


LOCKS = {"postgres": "LOCK TABLE city IN ACCESS EXCLUSIVE MODE", "mysql": "LOCK TABLES city WRITE"}


@pytest.mark.parametrize("server", ["postgres", "mysql"])
def test_a_locked_table_is_not_waited_for(
    server: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    database = request.getfixturevalue(server)(
        "CREATE TABLE city (name VARCHAR(20))", "CREATE TABLE lake (name VARCHAR(20))"
    )
    address = {"postgres": postgres_url, "mysql": mysql_url}[server]().set(database=database.name)
    with create_engine(address, poolclass=NullPool).connect() as other:
        other.exec_driver_sql(LOCKS[server])
        assert database.schema.table("lake").row_count == 0
        assert database.schema.table("city").row_count is None
        with ValueIndex.open_or_build(database, tmp_path) as index:
            assert index.lookup("anything") == []


def test_a_table_that_may_not_be_read_hides_no_other(postgres: Make, tmp_path: Path) -> None:
    reader = f"reader_{uuid4().hex[:12]}"
    database = postgres(
        f"CREATE ROLE {reader} LOGIN",
        "CREATE TABLE secret (word TEXT)",
        "CREATE TABLE city (name TEXT)",
        f"GRANT SELECT ON city TO {reader}",
    )
    address = postgres_url().set(database=database.name, username=reader, password=None)
    try:
        with connect(address.render_as_string(hide_password=False), settings=settings_in(tmp_path)) as theirs:
            assert [(t.name, t.row_count) for t in theirs.schema.tables] == [("city", 0), ("secret", None)]
    finally:
        with create_engine(address.set(username=postgres_url().username), poolclass=NullPool).begin() as own:
            own.exec_driver_sql(f"DROP OWNED BY {reader}")
            own.exec_driver_sql(f"DROP ROLE {reader}")


def test_a_reader_who_may_not_see_definitions_sees_tables_and_views(mysql: Make, tmp_path: Path) -> None:
    database = mysql(
        "CREATE TABLE city (name VARCHAR(20) NOT NULL, people INT)",
        "CREATE TABLE secret (word VARCHAR(20), id INT)",
        "CREATE VIEW big AS SELECT name FROM city WHERE people > 10",
    )
    reader = f"reader_{uuid4().hex[:12]}"
    address = mysql_url().set(database=database.name)
    with create_engine(address, poolclass=NullPool).begin() as own:
        try:
            own.exec_driver_sql(f"CREATE USER {reader} IDENTIFIED BY 'letmein'")
            for what in ("SELECT ON city", "SELECT ON big", "SELECT (id) ON secret"):
                own.exec_driver_sql(f"GRANT {what} TO {reader}")
            theirs = address.set(username=reader, password="letmein")
            with connect(
                theirs.render_as_string(hide_password=False), settings=settings_in(tmp_path)
            ) as seen:
                tables = {t.name: [(c.name, c.kind) for c in t.columns] for t in seen.schema.tables}
                assert tables["big"] == [("name", "text")]
                assert tables["city"] == [("name", "text"), ("people", "integer")]
                assert tables["secret"] == [("id", "integer")]
                assert seen.schema.table("big").is_view
        finally:
            own.exec_driver_sql(f"DROP USER IF EXISTS {reader}")
