"""Snowflake: a connection a session, limited by STATEMENT_TIMEOUT_IN_SECONDS and cancelled by its id."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import ceil
from typing import Any

import snowflake.connector
from snowflake.connector.errors import Error, InterfaceError, OperationalError

from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import ActingSession, Read, Row, Session, double_quoted, percent_of
from fathom.databases.remote import hidden
from fathom.databases.sizes import asked_bytes
from fathom.databases.warehouse import ColumnFound, Key, KeyFound, QueryHalted, Warehouse, WarehouseSession
from fathom.errors import ConnectionFailed, ErrorClass, QueryError
from fathom.records import Limits, Table

_LOGIN_SECONDS = 30
_ESTIMATE_SECONDS = 20.0  # a plan is made of statistics; who waits for it looks at a page
_TIMED_OUT = frozenset((604, 630, 57014))  # cancelled, statement time-out
_SAYS = (
    (re.compile(r"unknown function|function with name", re.IGNORECASE), ErrorClass.NO_SUCH_FUNCTION),
    (
        re.compile(r"invalid identifier|does not exist|not found|does not have", re.IGNORECASE),
        ErrorClass.NO_SUCH_NAME,
    ),
    (re.compile(r"syntax error|unexpected|required keyword", re.IGNORECASE), ErrorClass.SYNTAX),
)
_IDS_IN_FRONT = re.compile(r"^(?:\d{6} \(\w+\): )+(?:[0-9a-f-]{36}: )?")
_COLUMNS = """SELECT c.table_schema, c.table_name, c.column_name, c.data_type, c.numeric_precision,
c.numeric_scale, c.is_nullable, c.comment, t.table_type, t.comment
FROM {database}.information_schema.columns c LEFT JOIN {database}.information_schema.tables t
ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE {schemas} ORDER BY c.table_schema, c.table_name, c.ordinal_position"""
_COUNTS = """SELECT t.table_schema, t.table_name, t.row_count FROM {database}.information_schema.tables t
WHERE t.row_count IS NOT NULL"""
_OWN_ROLES = "SELECT current_role(), current_secondary_roles()"
_UNKNOWN = "\0"  # no role's name
_POWERS = frozenset(("ACCOUNTADMIN", "ORGADMIN", "SECURITYADMIN", "SYSADMIN", "USERADMIN"))
_WRITES = frozenset("ALL INSERT UPDATE DELETE TRUNCATE OWNERSHIP".split()) | {"CREATE TABLE"}
_ALL_OPERATIONS = "GlobalStats"  # the operation of the line that counts for the whole plan
_BIG = 10_000_000  # rows from which reading all of them for a sample is too dear
_LARGE = re.compile(r"[A-Z_][A-Z0-9_]*")
_SMALL = re.compile(r"[a-z_][a-z0-9_]*")


class SnowflakeSession(WarehouseSession, ActingSession):
    """One connection. A query's rows arrive in parts as they are asked for.

    The role of a query stays the session's until a query of another role comes.
    """

    def __init__(self, connection: Any, server: "Snowflake") -> None:
        super().__init__(server.errors)
        self._connection, self._server = connection, server
        self._id: int = connection.session_id
        self._cursor: Any = None
        self._seconds: int | None = None
        self._role, self._taken = "", ""
        self._own: tuple[str, str] | None = None

    def begin(self, limits: Limits) -> None:
        self._role = ""
        seconds = 0 if limits.seconds is None else max(1, ceil(limits.seconds))  # 0: as long as it takes
        if seconds != self._seconds and self._server.limits_by_session:
            self.wait_for(lambda: self._set(seconds))
        self._seconds = seconds

    def _set(self, seconds: int) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {seconds}")

    def act_as(self, role: str) -> None:
        self._role = role

    def _take_role(self) -> None:
        """Take the query's role alone, or the account's own roles again."""
        with self._connection.cursor() as cursor:
            if self._own is None:
                [[role, others]] = cursor.execute(_OWN_ROLES).fetchall()
                self._own = (role, "ALL" if json.loads(others)["value"] == "ALL" else "NONE")
            role, others = (self._role, "NONE") if self._role else self._own
            self._taken = _UNKNOWN  # until both are done: what fails between them is done anew
            cursor.execute(f"USE ROLE {double_quoted(role)}")
            cursor.execute(f"USE SECONDARY ROLES {others}")
        self._taken = self._role

    def execute(self, sql: str) -> tuple[str, ...] | None:
        if self._role != self._taken:
            self.wait_for(self._take_role)
        self._cursor = self._connection.cursor()
        self.wait_for(lambda: self._cursor.execute(sql))
        described = self._cursor.description
        return self._server.shown(d[0] for d in described) if described else None

    def fetch(self, count: int) -> list[Row]:
        return self.wait_for(lambda: [tuple(row) for row in self._cursor.fetchmany(count)])

    def finish(self, *, complete: bool) -> bool:
        # Rows come once the query has ended, so that there is nothing to cancel where some are left.
        cursor, self._cursor = self._cursor, None
        if cursor is not None and not self.abandoned:
            self.wait_for(cursor.close)
        return not self.abandoned and complete

    def cancel(self) -> None:
        # The client learns a query's own id when the query has ended.
        self._server.cancel(self._id)

    def close(self) -> None:
        with suppress(*self.ignored):
            if not self.abandoned:
                self._connection.close()


class Snowflake(Warehouse):
    """A database, or one schema of it: `snowflake://user:password@account/database/schema?warehouse=w`."""

    dialect = "snowflake"
    tells_size = True
    takes_roles = True
    role_asked = "SELECT current_role()"
    latency = 3.0
    errors = (Error, QueryHalted)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._asked = {name: str(value) for name, value in self.address.query.items()}
        database, _, schema = (self.address.database or "").partition("/")
        if not (self.address.host and database):
            raise ConnectionFailed(
                f"{hidden(self.address)}: name the account and the database, as in "
                "snowflake://user:password@account/database/schema."
            )
        self._small: set[str] = set()  # names that are kept in small letters, which only quotes can mean
        # A name of a URL isn't quoted, so that it means capitals, as in SQL.
        self._database, self._schema = (n.lower() if n.isidentifier() else n for n in (database, schema))
        self.budget = asked_bytes(
            self._asked.pop("maximum_bytes", None), "maximum_bytes", hidden(self.address)
        )
        self.limits_by_session = self._asked.pop("statement_timeout", "on") != "off"

    @property
    def database_name(self) -> str:
        return self._schema or self._database

    @property
    def default_schema(self) -> str:
        return self._schema

    def _connection(self) -> Any:
        """A connection of the driver's own. Raises `ConnectionFailed`."""
        named: dict[str, Any] = {
            "account": self._asked.get("account", self.address.host),
            "user": self.address.username,
            "database": self.quote(self._database),
            "login_timeout": _LOGIN_SECONDS,
            "application": "fathom",
            "enable_server_session_keep_alive_auto_detection": False,  # nothing goes on after its session
            **self._asked,
        }
        if self.address.password:
            named["password"] = str(self.address.password)
        if self._schema:
            named["schema"] = self.quote(self._schema)
        if self.address.port:  # a proxy, or an emulator
            named |= {"host": self.address.host, "port": self.address.port}
        connect: Any = snowflake.connector.connect
        try:
            return connect(**named)
        except (*self.errors, OSError, ValueError) as error:
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(error)}") from None

    def open(self) -> Session:
        return SnowflakeSession(self._connection(), self)

    def cancel(self, session: int) -> None:
        """Ask Snowflake to end what a session runs, over a connection of its own."""
        other = self._connection()
        try:
            with other.cursor() as cursor:
                cursor.execute(f"SELECT SYSTEM$CANCEL_ALL_QUERIES({session})")
        finally:
            other.close()

    def words(self, error: Exception) -> str:
        text = getattr(error, "raw_msg", None) or getattr(error, "msg", None) or str(error)
        return _IDS_IN_FRONT.sub("", str(text))

    def classify(self, error: Exception) -> ErrorClass | None:
        if isinstance(error, QueryHalted) or getattr(error, "errno", None) in _TIMED_OUT:
            return ErrorClass.TIMEOUT
        text = self.message(error)
        return next((kind for said, kind in _SAYS if said.search(text)), ErrorClass.OTHER)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, (QueryHalted, InterfaceError, OperationalError))

    def columns(self, read: Read) -> Iterable[ColumnFound]:
        schemas = (
            f"c.table_schema = {_text(self.quote(self._schema)[1:-1])}"
            if self._schema
            else "c.table_schema <> 'INFORMATION_SCHEMA'"
        )
        rows = read(_COLUMNS.format(database=self.quote(self._database), schemas=schemas))
        for schema, table, name, declared, precision, scale, nullable, comment, kind, about in rows:
            yield ColumnFound(
                self._shown(schema),
                self._shown(table),
                self._shown(name),
                _declared(declared, precision, scale),
                nullable != "NO",
                comment,
                "VIEW" in (kind or "VIEW"),
                about,
            )

    def keys(self, read: Read) -> Iterable[KeyFound]:
        """By three commands, which tell of all tables at once: INFORMATION_SCHEMA has no columns of keys."""
        place = f"SCHEMA {self.quote(self._database)}.{self.quote(self._schema)}"
        where = place if self._schema else f"DATABASE {self.quote(self._database)}"
        for kind, command in (("primary", "PRIMARY"), ("unique", "UNIQUE")):
            for _, _, schema, table, column, _, name, *_ in self._told(
                read, f"SHOW {command} KEYS IN {where}"
            ):
                yield KeyFound(name, kind, self._shown(schema), self._shown(table), self._shown(column))
        for row in self._told(read, f"SHOW IMPORTED KEYS IN {where}"):
            _, _, to_schema, to_table, to_column, _, schema, table, column, _, _, _, name, *_ = row
            target = (self._shown(to_schema), self._shown(to_table), self._shown(to_column))
            of = self._shown(schema), self._shown(table), self._shown(column)
            yield KeyFound(name, "foreign", *of, target)

    def _told(self, read: Read, command: str) -> Iterator[Row]:
        with suppress(QueryError):  # not every account may ask
            yield from read(command)

    def counts(self, read: Read, tables: Iterable[Key]) -> Mapping[Key, int]:
        rows = read(_COUNTS.format(database=self.quote(self._database)))
        return {(self._shown(schema), self._shown(table)): int(count) for schema, table, count in rows}

    def estimate(self, sql: str, read: Read) -> int | None:
        """By EXPLAIN, which needs no warehouse: what the partitions hold that pruning leaves."""
        rows = read(f"EXPLAIN USING TABULAR {sql}", _ESTIMATE_SECONDS)
        total = next((row[-1] for row in rows if _ALL_OPERATIONS in row), None)
        return None if total is None else int(total)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        # SYSTEM takes or leaves whole partitions, of which a table that isn't big has too few.
        method = "SYSTEM" if (table.row_count or 0) > _BIG else "BERNOULLI"
        return f"(SELECT * FROM {identifier} SAMPLE {method} ({share:.6f}))"

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """List the role's powers over the account, and its rights to write tables, as the server reports
        them."""
        ((role,),) = read("SELECT CURRENT_ROLE()")
        if str(role).upper() in _POWERS:
            return (AccountRisk("superuser", f"is an administrator (role {role})"),)
        grants = read(f"SHOW GRANTS TO ROLE {self.quote(str(role))}")
        held = {
            str(privilege)
            for _, privilege, on, *_ in grants
            if on in {"TABLE", "SCHEMA", "DATABASE"} and privilege in _WRITES
        }
        return (AccountRisk("writes", f"may change tables ({', '.join(sorted(held))})"),) if held else ()

    def quote(self, name: str) -> str:
        stored = name.upper() if _SMALL.fullmatch(name) and name not in self._small else name
        return '"' + stored.replace('"', '""') + '"'

    def _shown(self, stored: str) -> str:
        """A name as people write it: Snowflake keeps those that aren't quoted in capitals."""
        if _LARGE.fullmatch(stored):
            return stored.lower()
        if _SMALL.fullmatch(stored):
            self._small.add(stored)
        return stored

    def shown(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names of a result's columns as people write them."""
        return tuple(name.lower() if _LARGE.fullmatch(name) else name for name in names)


def _declared(name: str, precision: int | None, scale: int | None) -> str:
    """A type with its digits; whole numbers by the name that is meant."""
    if name != "NUMBER" or precision is None:
        return name
    return f"NUMBER({precision},{scale})" if scale else f"INTEGER({precision})"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
