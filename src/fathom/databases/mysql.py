"""MySQL and MariaDB: read-only transactions, unbuffered rows, and KILL QUERY from a second connection."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from math import ceil
from socket import SHUT_RDWR
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysql.cursors import SSCursor

from fathom.databases.accounts import MYSQL_PRIVILEGES, AccountRisk
from fathom.databases.engine import LOCK_SECONDS, Mark, Read, Row, Session, counted, percent_of
from fathom.databases.kinds import kind_of
from fathom.databases.server import Counts, Key, Server
from fathom.errors import ConnectionFailed, ErrorClass
from fathom.records import Column, Interval, Limits, Table

_COUNTED_ROWS = 200_000
_READ_ONLY = 1792
_LOST = frozenset({1927, 2006, 2013})  # killed, gone, lost
_ERRORS = {
    1146: ErrorClass.NO_SUCH_NAME,  # table
    1054: ErrorClass.NO_SUCH_NAME,  # column
    1109: ErrorClass.NO_SUCH_NAME,  # table named before a column
    1049: ErrorClass.NO_SUCH_NAME,  # database
    1305: ErrorClass.NO_SUCH_FUNCTION,
    1630: ErrorClass.NO_SUCH_FUNCTION,
    1064: ErrorClass.SYNTAX,
    1149: ErrorClass.SYNTAX,
    1317: ErrorClass.TIMEOUT,  # KILL QUERY
    1969: ErrorClass.TIMEOUT,  # max_statement_time of MariaDB
    3024: ErrorClass.TIMEOUT,  # max_execution_time of MySQL
}
# In Oracle's language MariaDB takes `s.nextval` for a call, and other words for statements.
_AS_JUDGED = "SET SESSION sql_mode = REPLACE(@@sql_mode, 'ORACLE', '')"
_ESTIMATES = """SELECT table_schema, table_name, table_rows FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema = database()"""

_MARK = """SELECT COUNT(*), MAX(create_time), (SELECT CONCAT(COUNT(*), '.', COALESCE(SUM(CRC32(CONCAT_WS('.',
table_name, column_name, ordinal_position, column_type, is_nullable))), 0)) FROM information_schema.columns
WHERE table_schema = database()), SUM(table_rows), SUM(auto_increment), MAX(update_time),
CASE WHEN MAX(update_time) >= NOW() - INTERVAL 1 SECOND THEN NOW(6) END
FROM information_schema.tables WHERE table_schema = database()"""
_MARK_SECONDS = 2.0
_STORED = """SELECT routine_name FROM information_schema.routines
WHERE routine_schema = database() AND routine_type = 'FUNCTION'"""
_LISTED = """SELECT table_name, column_name, column_type, is_nullable, column_comment
FROM information_schema.columns WHERE table_schema = database() ORDER BY table_name, ordinal_position"""


class MySQLSession(Session):
    """One connection. Rows stay on the server until they are fetched."""

    def __init__(self, connection: "pymysql.connections.Connection[Any]", server: "MySQL") -> None:
        self._connection, self._server = connection, server
        self._cursor: SSCursor | None = None
        self._seconds: float | None = -1.0  # none set yet
        self._is_mariadb = "mariadb" in connection.get_server_info().casefold()

    def begin(self, limits: Limits) -> None:
        self._set_time(limits.seconds)
        self._connection.query("START TRANSACTION READ ONLY")

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._cursor = self._connection.cursor(SSCursor)
        self._cursor.execute(sql)
        return tuple(d[0] for d in self._cursor.description) if self._cursor.description else None

    def _set_time(self, seconds: float | None) -> None:
        if seconds == self._seconds:
            return
        if self._is_mariadb:
            limit = f"max_statement_time = {seconds or 0:f}"
        else:
            limit = f"max_execution_time = {int(1000 * (seconds or 0))}"
        waiting = LOCK_SECONDS if seconds is None else max(1, ceil(seconds))
        self._connection.query(f"SET SESSION {limit}, lock_wait_timeout = {waiting}")
        self._seconds = seconds

    def fetch(self, count: int) -> list[Row]:
        assert self._cursor is not None
        return list(self._cursor.fetchmany(count) or ())

    def finish(self, *, complete: bool) -> bool:
        if not complete:
            # Reading on to the end could take for ever, and the protocol knows no other way to go on.
            self.interrupt()
            return False
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None
        self._connection.rollback()
        return True

    def close(self) -> None:
        if self._cursor is not None:
            # The driver's cursor and result would wait for the rows that nobody reads.
            if self._cursor._result is not None:
                self._cursor._result.unbuffered_active = False
            self._cursor.connection = None
        self._connection._force_close()

    def interrupt(self) -> None:
        with suppress(pymysql.MySQLError, ConnectionFailed, OSError):  # or nobody answers: `abandon` is next
            other = self._server.connect(connect_timeout=self.grace, read_timeout=self.grace)
            try:
                other.query(f"KILL QUERY {self._connection.thread_id()}")
            finally:
                other.close()

    def abandon(self) -> None:
        with suppress(OSError, AttributeError):
            self._connection._sock.shutdown(SHUT_RDWR)


class MySQL(Server):
    """A MySQL or MariaDB database."""

    dialect = "mysql"
    driver = "mysql+pymysql"
    listing = "SHOW DATABASES"
    system_schemas = frozenset({"information_schema", "mysql", "performance_schema", "sys"})
    schemas_are_databases = True
    hides_definitions = True
    errors = (pymysql.MySQLError,)

    def open(self) -> Session:
        connection = self.connect(
            connect_timeout=10,
            read_timeout=10,
            charset="utf8mb4",
            autocommit=True,
            init_command=_AS_JUDGED,
        )
        connection.decoders = {**connection.decoders, FIELD_TYPE.TIME: Interval}
        connection._read_timeout = None  # it was for the greeting, which may be a long time coming
        return MySQLSession(connection, self)

    def mark(self, read: Read) -> Mark:
        ((*shape, rows, numbers, written, now),) = read(_MARK, _MARK_SECONDS)
        # Times are whole seconds: what is written in the same second as the last thing would not show.
        return Mark(tuple(shape), (rows, numbers, written, now))

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        # Also those of the roles that are in force, which no table tells.
        grants = [line.removeprefix("GRANT ").partition(" ON ") for (line,) in read("SHOW GRANTS")]
        everywhere = [names for names, _, rest in grants if rest.startswith("*.* TO ")]
        held = {name.strip() for names in everywhere for name in names.split(",")}
        if "ALL PRIVILEGES" in held:
            return (AccountRisk("superuser", "is a superuser (ALL PRIVILEGES)"),)
        return tuple(risk for name, risk in MYSQL_PRIVILEGES.items() if name in held)

    def catalogue(self, read: Read) -> "_OwnFunctions":
        return _OwnFunctions(read)

    def quote(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def plain_name(self, reflected: str) -> str:
        return reflected.replace("``", "`")

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, pymysql.InterfaceError) or (
            isinstance(error, pymysql.OperationalError) and error.args[0] in _LOST
        )

    def classify(self, error: Exception) -> ErrorClass | None:
        code: Any = error.args[0] if error.args else None
        return None if code == _READ_ONLY else _ERRORS.get(code, ErrorClass.OTHER)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        return f"(SELECT * FROM {identifier} WHERE rand(1) < {share / 100:.8f})"

    def listed(self, read: Read) -> Mapping[Key, tuple[Column, ...]]:
        found: dict[Key, list[Column]] = defaultdict(list)
        for table, name, declared, nullable, comment in read(_LISTED):
            described = Column(name, declared, kind_of(declared), nullable == "YES", comment or None)
            found[None, table].append(described)
        return {key: tuple(columns) for key, columns in found.items()}

    def counts(self, read: Read) -> Counts:
        estimates = {name: int(rows or 0) for _, name, rows in read(_ESTIMATES)}

        def count(key: Key, identifier: str) -> tuple[int | None, bool]:
            estimate = estimates.get(key[1], 0)
            if estimate > _COUNTED_ROWS:
                return estimate, True
            rows = counted(read, f"SELECT count(*) FROM {identifier}")
            return (estimate, True) if rows is None and estimate else (rows, False)

        return count


class _OwnFunctions:
    """A `fathom.databases.guard.Catalogue` of the stored functions that the account may call."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """Not asked: a name after a dot is no call on MySQL."""
        return None

    def is_callable(self, name: str) -> bool:
        """Not asked, likewise."""
        return True

    def own(
        self, functions: Collection[str], operators: Collection[str], types: Collection[str] = ()
    ) -> frozenset[str]:
        """Give those of the names that the database has stored functions of."""
        found = {name.casefold() for (name,) in self._read(_STORED)}
        return frozenset(name for name in functions if name.casefold() in found)
