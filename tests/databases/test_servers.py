"""What only servers do: queries go on without us unless stopped, and connections break."""

import resource
import time
from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.errors import ErrorClass, QueryFailed, QueryTimedOut
from fathom.records import Limits
from tests.databases.makers import Make, mysql_databases, postgres_databases
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


def _none_running(database: Database) -> bool:
    until = time.monotonic() + 5
    while _running(database) and time.monotonic() < until:
        time.sleep(0.05)
    return _running(database) == 0


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
    session = other._sessions.take()[0]
    _execute(session, end)
    session.close()
    time.sleep(0.1)
    assert database.run("SELECT count(*) FROM numbers").rows == ((0,),)
    assert database._read(own) != before


def _execute(session: object, sql: str) -> None:
    connection = getattr(session, "_connection")  # noqa: B009, a private part of either kind of session
    (getattr(connection, "execute", None) or connection.query)(sql)


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
