"""What an attack may have changed on a real database: rows, settings, locks, files, memory."""

import hashlib
from pathlib import Path
from typing import Any

import psycopg
import pymysql
from sqlalchemy import make_url

from fathom.databases import Database

STOLEN = [Path("/tmp"), Path.cwd()]


def files() -> set[str]:
    return {p.name for folder in STOLEN for p in folder.iterdir() if "stolen" in p.name}


def resident_megabytes() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def picture(database: Database) -> Any:
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
        "SELECT rolname, rolsuper, rolpassword FROM pg_authid WHERE rolname NOT LIKE 'fathom%'",
        "SELECT name, setting FROM pg_settings WHERE name NOT LIKE '%time%'",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' OR mode LIKE '%Exclusive%'"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        "SELECT count(*) FROM pg_largeobject_metadata",
        "SELECT query FROM pg_stat_activity WHERE state = 'active' AND datname = current_database()"
        " AND pid <> pg_backend_pid()",
        "SELECT extname FROM pg_extension",
        "SELECT last_value, is_called FROM s",
        "SELECT last_value, is_called FROM s",
    ),
    "mysql": (
        *_ROWS,
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = DATABASE()",
        "SELECT host, user FROM mysql.user WHERE user NOT LIKE '%reader%'",
        "SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()",
        "SELECT variable_name, variable_value FROM information_schema.global_variables"
        " WHERE variable_name NOT LIKE '%TIMESTAMP%' AND variable_name NOT LIKE 'GTID%'",
        "SELECT info FROM information_schema.processlist"
        " WHERE db = DATABASE() AND command = 'Query' AND id <> CONNECTION_ID()",
    ),
}
