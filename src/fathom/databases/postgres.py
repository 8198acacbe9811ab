"""PostgreSQL: each query in a read-only transaction of its own, its rows streamed as they are asked for."""

from collections.abc import Generator, Mapping
from contextlib import suppress
from itertools import islice
from os import dup, environ
from socket import SHUT_RDWR, socket
from typing import Any

import psycopg
from psycopg.adapt import Loader
from psycopg.pq import ExecStatus
from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader
from psycopg.types.json import JsonLoader
from psycopg.types.string import TextLoader
from sqlalchemy import event

from fathom.databases.accounts import POSTGRES_EXTENSIONS, POSTGRES_ROLES, AccountRisk
from fathom.databases.engine import (
    LOCK_SECONDS,
    ActingSession,
    Mark,
    Read,
    Row,
    Session,
    counted,
    double_quoted,
    percent_of,
    single_quoted,
)
from fathom.databases.postgres_catalogue import PostgresCatalogue
from fathom.databases.readable import readable
from fathom.databases.server import Counts, Key, Server
from fathom.errors import ConnectionFailed, ErrorClass
from fathom.records import Interval, Limits, Table

_COUNTED_ROWS = 200_000
_EMPTY_UNKNOWN = -1
_ERRORS = {
    "42P01": ErrorClass.NO_SUCH_NAME,
    "42703": ErrorClass.NO_SUCH_NAME,
    "3F000": ErrorClass.NO_SUCH_NAME,
    "42883": ErrorClass.NO_SUCH_FUNCTION,
    "42601": ErrorClass.SYNTAX,
    "57014": ErrorClass.TIMEOUT,
}
_READ_ONLY = "25006"
_TEXT = (0, "text", "varchar", "bpchar", "name", '"char"')  # 0: types that the driver doesn't know
_ESTIMATES = """SELECT n.nspname, c.relname, c.reltuples FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f')"""
_COMMON = """SELECT attname, most_common_vals::text::text[], most_common_freqs FROM pg_catalog.pg_stats
WHERE schemaname = {} AND tablename = {} AND most_common_vals IS NOT NULL"""
_PARTITIONS = """SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relispartition AND c.relkind IN ('r', 'p', 'f')"""

# Each change of a table or column writes its row of the catalogue anew; ANALYZE and VACUUM don't.
_MARK = """WITH shown AS (SELECT c.oid, c.xmin FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
SELECT (SELECT count(*) FROM shown), (SELECT max(xmin::text::bigint) FROM shown), count(*),
max(a.xmin::text::bigint), (SELECT count(*) FROM pg_catalog.pg_constraint),
(SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_catalog.pg_stat_user_tables)
FROM pg_catalog.pg_attribute a JOIN shown ON shown.oid = a.attrelid"""
_MARK_SECONDS = 2.0
_DATABASES = """SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate
AND pg_catalog.has_database_privilege(oid, 'CONNECT') ORDER BY datname"""
# The fields and variables that libpq takes a database's name from, beside the URL's path.
_NAMING_FIELDS, _NAMING_VARIABLES = frozenset({"dbname", "service"}), ("PGDATABASE", "PGSERVICE")

# A database or account may have backslashes end strings elsewhere than the guard saw.
_AS_JUDGED = "SET LOCAL standard_conforming_strings = on"
# Weighing every order of eleven tables takes a backend up to 600 MB, and of each subquery's anew.
_PLANNED = "SET LOCAL geqo = on; SET LOCAL geqo_threshold = 8"

# A session may go back from the current to the first of its two roles.
_RIGHTS = """SELECT bool_or(rolsuper), bool_or(rolreplication) FROM pg_catalog.pg_roles
WHERE rolname IN (current_user, session_user)"""
_MEMBERSHIPS = """SELECT r.rolname FROM pg_catalog.pg_roles r, pg_catalog.pg_roles me
WHERE me.rolname IN (current_user, session_user) AND pg_catalog.pg_has_role(me.oid, r.oid, 'MEMBER')"""
# Extensions of which the account may call a function.
_EXTENSIONS = """SELECT DISTINCT e.extname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_depend d
ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
AND d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e'
WHERE pg_catalog.has_function_privilege(d.objid, 'EXECUTE') ORDER BY 1"""


class PostgresSession(ActingSession):
    """One connection. A query's rows arrive as they are asked for; the server holds no more than it must."""

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection = connection
        self._rows = _nothing()
        self._first: list[Row] = []

    def begin(self, limits: Limits) -> None:
        if limits.seconds is not None:
            timeout = f"statement_timeout = {max(1, int(limits.seconds * 1000))}"
        else:
            timeout = f"lock_timeout = '{LOCK_SECONDS}s'"
        self._connection.execute(f"{_AS_JUDGED}; {_PLANNED}; SET LOCAL {timeout}")

    def act_as(self, role: str) -> None:
        # Until the end of the transaction, that is, of the query.
        self._connection.execute(f"SET LOCAL ROLE {double_quoted(role)}")

    def execute(self, sql: str) -> tuple[str, ...] | None:
        cursor = self._connection.cursor()
        # The stream goes by the extended protocol, in which the server takes one statement only.
        self._rows = _streamed(cursor, sql)
        self._first = list(islice(self._rows, 1))
        if found := cursor.pgresult:
            # Not by the driver's description, which stumbles over names in no known encoding.
            return tuple(readable(found.fname(i) or b"") for i in range(found.nfields))
        return self._columns_of_no_rows(sql)

    def _columns_of_no_rows(self, sql: str) -> tuple[str, ...] | None:
        """The driver forgets the columns of a stream without rows, so the server is asked for them."""
        server = self._connection.pgconn
        server.prepare(b"", sql.encode())
        found = server.describe_prepared(b"")
        names = (found.fname(i) or b"" for i in range(found.nfields))
        return tuple(readable(n) for n in names) or None

    def fetch(self, count: int) -> list[Row]:
        if self._first:
            rows, self._first = self._first, []
            return rows
        return list(islice(self._rows, count))

    def finish(self, *, complete: bool) -> bool:
        self._rows.close()
        self._rows, self._first = _nothing(), []
        # Advisory locks of a session outlive the transaction that took them.
        ended = self._connection.pgconn.exec_(b"ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()")
        return ended.status == ExecStatus.TUPLES_OK

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()

    def interrupt(self) -> None:
        with suppress(psycopg.Error):  # a server that answers nobody: `abandon` is next
            self._connection.cancel_safe(timeout=self.grace)

    def abandon(self) -> None:
        with suppress(psycopg.Error, OSError), socket(fileno=dup(self._connection.fileno())) as wire:
            wire.shutdown(SHUT_RDWR)


def _streamed(cursor: "psycopg.Cursor[Row]", sql: str) -> Generator[Row, None, None]:
    # As bytes, for text with parameters in mind would read a % as one.
    yield from cursor.stream(sql.encode())


def _nothing() -> Generator[Row, None, None]:
    yield from ()


class Postgres(Server):
    """A PostgreSQL database."""

    dialect = "postgres"
    takes_roles = True
    driver = "postgresql+psycopg"
    listing = _DATABASES
    listed_from = "postgres"  # there on nearly every server
    system_schemas = frozenset({"information_schema", "pg_catalog", "pg_toast"})
    errors = (psycopg.Error,)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        # Before SQLAlchemy's own first questions, which fail where text comes as bytes.
        event.listen(self._connector, "connect", lambda opened, _: _settle_encoding(opened), insert=True)

    def mark(self, read: Read) -> Mark:
        ((*shape, changes),) = read(_MARK, _MARK_SECONDS)
        return Mark(tuple(shape), changes)

    def named_elsewhere(self) -> bool:
        return not _NAMING_FIELDS.isdisjoint(self.address.query) or any(map(environ.get, _NAMING_VARIABLES))

    def open(self) -> Session:
        connection: psycopg.Connection[Row] = self.connect(
            application_name="fathom", connect_timeout=10, prepare_threshold=None
        )
        connection.read_only = True
        for loader in (_Date, _Timestamp, _Timestamptz, _Interval):
            connection.adapters.register_loader(loader.name, loader)
        _settle_encoding(connection)
        return PostgresSession(connection)

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        is_superuser, replicates = read(_RIGHTS)[0]
        extensions = [name for (name,) in read(_EXTENSIONS) if name in POSTGRES_EXTENSIONS]
        found = [
            AccountRisk("extension", f"may call {name}, which {POSTGRES_EXTENSIONS[name]}")
            for name in extensions
        ]
        if is_superuser:
            return (AccountRisk("superuser", "is a superuser"), *found)
        if replicates:
            found.insert(0, AccountRisk("replication", "may copy the whole server (REPLICATION)"))
        roles = {name for (name,) in read(_MEMBERSHIPS)}
        return (*(risk for role, risk in POSTGRES_ROLES.items() if role in roles), *found)

    def catalogue(self, read: Read) -> PostgresCatalogue:
        return PostgresCatalogue(read)

    def is_lost(self, error: Exception) -> bool:
        closed = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
        return closed or (
            isinstance(error, psycopg.Error) and (error.sqlstate or "").startswith(("57P", "08"))
        )

    def classify(self, error: Exception) -> ErrorClass | None:
        if not isinstance(error, psycopg.Error):
            return ErrorClass.OTHER
        if error.sqlstate == _READ_ONLY:
            return None
        if error.sqlstate == "42883" and error.diag.source_function == "op_error":
            return ErrorClass.OTHER  # an operator between types that don't go together
        return _ERRORS.get(error.sqlstate or "", ErrorClass.OTHER)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        return f"(SELECT * FROM {identifier} TABLESAMPLE SYSTEM ({share:.6f}) REPEATABLE (1))"

    def common_texts(self, read: Read, table: Table) -> Mapping[str, Mapping[str, float]]:
        schema, _, name = table.name.rpartition(".")
        asked = (schema or self.default_schema or "", name)
        found: dict[str, dict[str, float]] = {}
        for column, texts, shares in read(_COMMON.format(*map(single_quoted, asked))):
            found[column] = dict(zip(texts, shares, strict=True))
        return found

    def parts(self, read: Read) -> set[Key]:
        default = self.default_schema
        return {(None if schema == default else schema, name) for schema, name in read(_PARTITIONS)}

    def counts(self, read: Read) -> Counts:
        estimates = {(schema, name): int(rows) for schema, name, rows in read(_ESTIMATES)}
        default = self.default_schema

        def count(key: Key, identifier: str) -> tuple[int | None, bool]:
            schema, name = key
            estimate = estimates.get((schema or default, name), _EMPTY_UNKNOWN)
            if estimate > _COUNTED_ROWS:
                return estimate, True
            limited = f"SELECT count(*) FROM (SELECT 1 FROM {identifier} LIMIT {5 * _COUNTED_ROWS}) counted"
            rows = counted(read, limited)
            if rows is None and estimate != _EMPTY_UNKNOWN:
                return estimate, True
            return rows, rows == 5 * _COUNTED_ROWS

        return count


def _settle_encoding(connection: Any) -> None:
    """Speak UTF-8, in which statements are sent, whatever the database's and the account's settings say.

    Where a database doesn't say in which encoding its text is, it is read as well as can be.
    Raises `ConnectionFailed` for a server that can't translate its text.
    """
    if connection.info.parameter_status("server_encoding") != "SQL_ASCII":
        answered = connection.pgconn.exec_(b"SET client_encoding = 'UTF8'")
        if answered.status != ExecStatus.COMMAND_OK:
            raise ConnectionFailed(
                "The server can't give the database's text in UTF-8, which Fathom reads. "
                "Move its tables into a database that is encoded in UTF-8."
            )
    else:
        connection.pgconn.exec_(b"SET client_encoding = 'SQL_ASCII'")  # which an account may have changed
        for name in _TEXT:
            connection.adapters.register_loader(name, _AnyText)
        for name in ("json", "jsonb"):
            connection.adapters.register_loader(name, _AnyJson)


class _Date(DateLoader):
    """Dates; as text where Python has none such, like infinity or 44 BC."""

    name = "date"

    def load(self, data: Any) -> Any:
        try:
            return super().load(data)
        except psycopg.DataError:
            return bytes(data).decode()


class _Timestamp(TimestampLoader):
    """Timestamps, likewise."""

    name = "timestamp"

    def load(self, data: Any) -> Any:
        try:
            return super().load(data)
        except psycopg.DataError:
            return bytes(data).decode()


class _Timestamptz(TimestamptzLoader):
    """Timestamps with a zone, likewise."""

    name = "timestamptz"

    def load(self, data: Any) -> Any:
        try:
            return super().load(data)
        except psycopg.DataError:
            return bytes(data).decode()


class _Interval(Loader):
    """Intervals as the server spells them: the driver takes a month for thirty days."""

    name = "interval"

    def load(self, data: Any) -> Any:
        return Interval(bytes(data).decode())


class _AnyText(TextLoader):
    """Text in no known encoding."""

    def load(self, data: Any) -> Any:
        return readable(bytes(data))


class _AnyJson(JsonLoader):
    """JSON in no known encoding."""

    def load(self, data: Any) -> Any:
        return super().load(readable(bytes(data)).encode())
