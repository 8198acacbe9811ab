"""PostgreSQL: each query in a read-only transaction of its own, its rows streamed as they are asked for."""

from collections.abc import Generator
from contextlib import suppress
from itertools import islice
from os import dup
from socket import SHUT_RDWR, socket
from typing import Any

import psycopg
from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader
from psycopg.types.string import TextLoader

from fathom.databases.engine import Deadline, Read, Row, Session
from fathom.databases.readable import readable
from fathom.databases.server import LOCK_SECONDS, Counts, Key, Server, counted
from fathom.errors import ErrorClass
from fathom.records import Limits, Table

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
_ESTIMATES = """SELECT n.nspname, c.relname, c.reltuples FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f')"""


class PostgresSession(Session):
    """One connection. A query's rows arrive as they are asked for; the server holds no more than it must."""

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection = connection
        self._rows = _nothing()
        self._first: list[Row] = []
        self._deadline = Deadline(None, self._cancel)

    def execute(self, sql: str, limits: Limits) -> tuple[str, ...] | None:
        self._deadline = Deadline(limits.seconds, self._cancel)
        connection = self._connection
        if limits.seconds is not None:
            connection.execute(f"SET LOCAL statement_timeout = {max(1, int(limits.seconds * 1000))}")
        else:
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
        cursor = connection.cursor()
        # The stream goes by the extended protocol, in which the server takes one statement only.
        self._rows = _streamed(cursor, sql)
        self._first = list(islice(self._rows, 1))
        if cursor.description:
            return tuple(d.name for d in cursor.description)
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
        self._deadline.end()
        self._rows.close()
        self._rows, self._first = _nothing(), []
        self._connection.rollback()
        return True

    def close(self) -> None:
        self._deadline.end()
        with suppress(psycopg.Error):
            self._connection.close()

    def _cancel(self) -> None:
        try:
            self._connection.cancel_safe(timeout=5)
        except psycopg.Error:
            # A server that answers nobody won't end the query either; whoever waits for it is let go.
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
    driver = "postgresql+psycopg"
    system_schemas = frozenset({"information_schema", "pg_catalog", "pg_toast"})
    errors = (psycopg.Error,)

    def open(self) -> Session:
        connection: psycopg.Connection[Row] = self.connect(
            application_name="fathom", connect_timeout=10, prepare_threshold=None
        )
        connection.read_only = True
        for loader in (_Date, _Timestamp, _Timestamptz):
            connection.adapters.register_loader(loader.name, loader)
        if connection.info.encoding == "ascii":
            for name in ("text", "varchar", "bpchar", "name", "json"):
                connection.adapters.register_loader(name, _AnyText)
        return PostgresSession(connection)

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
        if table.is_view or (table.row_count or 0) <= 2 * count:
            return identifier
        # Pages differ in how many rows they hold, so somewhat more than are wanted.
        share = min(100.0, 120.0 * count / (table.row_count or 1))
        return f"(SELECT * FROM {identifier} TABLESAMPLE SYSTEM ({share:.6f}) REPEATABLE (1))"

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


class _AnyText(TextLoader):
    """Text of a database that doesn't say in which encoding it is."""

    def load(self, data: Any) -> Any:
        return readable(bytes(data))
