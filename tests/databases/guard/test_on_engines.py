"""The whole lists against the real engines: honest queries give rows, attacks leave no trace."""

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
import yaml
from sqlalchemy import make_url
from tests.databases.guard.test_guard import HERE, cases

from fathom.databases import Database
from fathom.databases.guard import check
from fathom.errors import QueryError, QueryTimedOut
from fathom.records import Limits

SHORT = Limits(seconds=1.5, rows=1000, bytes=2_000_000)
STOLEN = [Path("/tmp"), Path.cwd()]


def _all(kind: str, dialect: str) -> Iterator[str]:
    for name in ("shared", dialect):
        yield from (str(sql) for _, sql in cases(kind, name))


def test_honest_queries_give_rows(database: Database) -> None:
    found = {}
    for sql in _all("allowed", database.dialect):
        check(sql, database.dialect)
        found[sql] = len(database.run(sql).rows)
    assert [sql for sql, rows in found.items() if not rows] == []


def test_attacks_leave_everything_as_it_was(database: Database) -> None:
    before, files = _picture(database), _files()
    memory = _resident_megabytes()
    for sql in _all("refused", database.dialect):
        if database.dialect == "sqlite":
            # SQLite judges by what it compiles, so an attack of another engine may be a harmless query here.
            _run(database, sql)
        else:
            with pytest.raises(QueryError):
                database.run(sql, SHORT)
    assert _picture(database) == before
    assert _files() == files
    assert _resident_megabytes() - memory < 300


def test_limits_stop_what_no_rule_can_see(database: Database) -> None:
    before, memory = _picture(database), _resident_megabytes()
    for sql in yaml.safe_load((HERE / "runaway.yaml").read_text(encoding="utf-8"))["shared"]:
        check(sql, database.dialect)
        started = time.monotonic()
        try:
            result = database.run(sql, Limits(seconds=0.5, rows=1000, bytes=2_000_000))
        except QueryTimedOut:
            pass
        else:
            ended_by_engine = database.dialect == "mysql" and "RECURSIVE" in sql
            assert result.truncated or ended_by_engine, sql
        assert time.monotonic() - started < 15, sql
    assert _picture(database) == before
    assert _resident_megabytes() - memory < 2500  # DuckDB's own limit is 2 GB


def _run(database: Database, sql: str) -> None:
    try:
        database.run(sql, SHORT)
    except QueryError:
        return


def _files() -> set[str]:
    return {p.name for folder in STOLEN for p in folder.iterdir() if "stolen" in p.name}


def _resident_megabytes() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _picture(database: Database) -> Any:
    """What an attack may have changed: bytes of a file; rows, tables, settings, roles, locks of a server."""
    if database.dialect in {"sqlite", "duckdb"}:
        path = Path(make_url(database.url).database or "")
        neighbours = sorted(p.name for p in path.parent.iterdir() if p.is_file())
        return hashlib.sha256(path.read_bytes()).hexdigest(), neighbours
    asked = _ask_postgres if database.dialect == "postgres" else _ask_mysql
    return {sql: sorted(map(repr, asked(database.url, sql))) for sql in _STATE[database.dialect]}


def _ask_postgres(url: str, sql: str) -> list[Any]:
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        return connection.execute(sql).fetchall()


def _ask_mysql(url: str, sql: str) -> list[Any]:
    parts = make_url(url)
    with (
        pymysql.connect(
            host=parts.host,
            port=parts.port or 3306,
            user=parts.username,
            password=parts.password or "",
            database=parts.database,
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
        return list(cursor.fetchall())


_ROWS = tuple(f"SELECT * FROM {table}" for table in ("kept", "sales", "docs", "words", "few"))
_STATE = {
    "postgres": (
        *_ROWS,
        "SELECT n.nspname, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname <> 'pg_toast'",
        "SELECT proname, pronamespace FROM pg_proc",
        "SELECT rolname, rolsuper, rolpassword FROM pg_authid",
        "SELECT name, setting FROM pg_settings WHERE name NOT LIKE '%time%'",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' OR mode LIKE '%Exclusive%'"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        "SELECT count(*) FROM pg_largeobject_metadata",
        "SELECT query FROM pg_stat_activity WHERE state = 'active' AND datname = current_database()"
        " AND pid <> pg_backend_pid()",
        "SELECT extname FROM pg_extension",
    ),
    "mysql": (
        *_ROWS,
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = DATABASE()",
        "SELECT host, user FROM mysql.user",
        "SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()",
        "SELECT variable_name, variable_value FROM information_schema.global_variables"
        " WHERE variable_name NOT LIKE '%TIMESTAMP%' AND variable_name NOT LIKE 'GTID%'",
        "SELECT info FROM information_schema.processlist"
        " WHERE db = DATABASE() AND command = 'Query' AND id <> CONNECTION_ID()",
    ),
}
