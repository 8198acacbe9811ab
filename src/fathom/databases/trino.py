"""Trino: each query a request of its own, limited by session properties and cancelled by DELETE.

Trino's tables have no keys, and a session can't be made to read only: the guard and the rights that the
account has on the server keep it to reading.
"""

import json
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from math import isfinite
from typing import Any, ClassVar

import requests
import trino
from trino.auth import BasicAuthentication, JWTAuthentication
from trino.exceptions import Error, HttpError, TrinoConnectionError, TrinoQueryError

from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import ActingSession, Read, Row, Session, percent_of
from fathom.databases.remote import hidden
from fathom.databases.sizes import asked_bytes
from fathom.databases.warehouse import ColumnFound, Key, QueryHalted, Warehouse, WarehouseSession
from fathom.errors import ConnectionFailed, ErrorClass, QueryError
from fathom.records import Limits, Table

_REQUEST_SECONDS = 10.0  # the server answers each request within about one, be it to say that it goes on
_STATISTICS_SECONDS = 5.0
_STATISTICS_AT_ONCE = 4
_ROW_COUNT = 4  # the column of SHOW STATS
_BIG = 10_000_000  # rows from which reading all of them for a sample is too dear
_ERRORS = {
    **dict.fromkeys(
        (
            *("COLUMN_NOT_FOUND", "TABLE_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND"),
            *("MISSING_COLUMN_NAME", "MISSING_SCHEMA_NAME", "MISSING_CATALOG_NAME", "MISSING_TABLE"),
        ),
        ErrorClass.NO_SUCH_NAME,
    ),
    "FUNCTION_NOT_FOUND": ErrorClass.NO_SUCH_FUNCTION,
    "SYNTAX_ERROR": ErrorClass.SYNTAX,
    "EXCEEDED_TIME_LIMIT": ErrorClass.TIMEOUT,
    "USER_CANCELED": ErrorClass.TIMEOUT,
}
_LOST = (QueryHalted, HttpError, requests.RequestException, TrinoConnectionError)
_READ_ONLY = "READ_ONLY_VIOLATION"
_SCHEMES = {80: "http", 8080: "http", 443: "https", 8443: "https"}

_COLUMNS = """SELECT c.table_schema, c.table_name, c.column_name, c.data_type, c.is_nullable, t.table_type
FROM information_schema.columns c JOIN information_schema.tables t
ON c.table_catalog = t.table_catalog AND c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE c.table_catalog = {catalog} AND {schemas}
ORDER BY c.table_schema, c.table_name, c.ordinal_position"""
_TABLE_COMMENTS = """SELECT schema_name, table_name, comment FROM system.metadata.table_comments
WHERE catalog_name = {catalog} AND schema_name = {schema} AND comment IS NOT NULL"""
_COLUMN_COMMENTS = """SELECT table_schem, table_name, column_name, remarks FROM system.jdbc.columns
WHERE table_cat = {catalog} AND table_schem = {schema} AND remarks IS NOT NULL"""
_PRIVILEGES = """SELECT DISTINCT privilege_type FROM information_schema.table_privileges
WHERE grantee_type = 'ROLE' OR grantee = current_user
ORDER BY privilege_type"""


class TrinoSession(WarehouseSession, ActingSession):
    """One connection to the coordinator, kept open between queries; a query's limits go with the query."""

    def __init__(self, server: "Trino") -> None:
        super().__init__(server.errors)
        self._server = server
        self._http = requests.Session()
        self._http.verify = server.verify
        self._cursor: Any = None
        self._properties: dict[str, str] = {}
        self._user = ""
        self._stopped = False

    def begin(self, limits: Limits) -> None:
        self._stopped = False
        self._user = ""
        self._properties = dict(self._server.properties)
        if limits.seconds is not None:
            self._properties["query_max_run_time"] = f"{limits.seconds:.3f}s"

    def act_as(self, role: str) -> None:
        # Each statement says anew whose it is; the server decides whom the account may stand in for.
        self._user = role

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._cursor = self._server.connection(self._http, self._properties, self._user).cursor()
        self.wait_for(lambda: self._cursor.execute(sql))
        # A query that was stopped while it was waited for ends without an error, and without rows.
        self._check_stopped()
        described = self._cursor.description
        is_query = described and self._cursor.update_type is None
        return tuple(d[0] for d in described) if is_query else None

    def fetch(self, count: int) -> list[Row]:
        rows = self.wait_for(lambda: self._cursor.fetchmany(count))
        self._check_stopped()
        self.bytes_read = self._cursor.stats.get("processedBytes")
        return [tuple(row) for row in rows]

    def _check_stopped(self) -> None:
        if self._stopped:
            raise QueryHalted("The query was stopped.")

    def finish(self, *, complete: bool) -> bool:
        if not complete and not self.abandoned:
            self.interrupt()
        self._cursor = None
        return not self.abandoned

    def cancel(self) -> None:
        if self._cursor is not None:
            self._stopped = True
            self._cursor.cancel()

    def close(self) -> None:
        self._http.close()


class Trino(Warehouse):
    """A catalog of a Trino server, or one schema of it: `trino://user@host:8080/catalog/schema`."""

    dialect = "trino"
    tells_size = True
    takes_roles = True
    latency = 3.0
    gaps: ClassVar[Mapping[str, str]] = {"keys": "Trino's tables have no keys"}
    errors = (Error, HttpError, requests.RequestException, QueryHalted)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        asked = dict(self.address.query)
        self._catalog, _, self._schema = (self.address.database or "").partition("/")
        if not self._catalog:
            raise ConnectionFailed(
                f"{hidden(self.address)}: name the catalog, as in trino://user@host:8080/catalog/schema."
            )
        self._token = str(asked.pop("access_token", ""))
        self._scheme = str(asked.pop("http_scheme", ""))
        self.verify = str(asked.pop("verify", "true")).casefold() not in {"false", "0", "no"}
        budget = asked.pop("maximum_bytes", None)
        self.budget = asked_bytes(
            None if budget is None else str(budget), "maximum_bytes", hidden(self.address)
        )
        self._roles = str(asked.pop("role", ""))
        self.properties = {name: str(value) for name, value in asked.items()}

    @property
    def database_name(self) -> str:
        return self._schema or self._catalog

    @property
    def default_schema(self) -> str:
        return self._schema

    def connection(self, http: requests.Session, properties: Mapping[str, str], user: str = "") -> Any:
        """A connection of the driver's own, which asks nothing yet; the account's, or another user's."""
        address = self.address
        secret = str(address.password or "")
        auth: Any = None
        if self._token:
            auth = JWTAuthentication(self._token)
        elif secret:
            auth = BasicAuthentication(address.username or "", secret)
        scheme = self._scheme or _SCHEMES.get(address.port or 0) or ("https" if auth else "http")
        connect: Any = trino.dbapi.connect  # which has no types
        return connect(
            host=address.host or "localhost",
            port=address.port or (443 if scheme == "https" else 8080),
            user=user or address.username or "fathom",
            source="fathom",
            catalog=self._catalog,
            schema=self._schema or None,
            http_scheme=scheme,
            auth=auth,
            roles={"system": self._roles} if self._roles and not user else None,
            session_properties=dict(properties),
            http_session=http,
            request_timeout=_REQUEST_SECONDS,
        )

    def open(self) -> Session:
        """A session that was answered once. Raises `ConnectionFailed`."""
        session = TrinoSession(self)
        try:
            session.begin(Limits(seconds=_REQUEST_SECONDS))
            session.execute("SELECT 1")
            session.fetch(2)
            session.finish(complete=True)
        except self.errors as error:
            session.close()
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(error)}") from None
        return session

    def words(self, error: Exception) -> str:
        return str(error.message) if isinstance(error, TrinoQueryError) else super().words(error)

    def classify(self, error: Exception) -> ErrorClass | None:
        if isinstance(error, QueryHalted):
            return ErrorClass.TIMEOUT
        name = error.error_name if isinstance(error, TrinoQueryError) else ""
        return None if name == _READ_ONLY else _ERRORS.get(name or "", ErrorClass.OTHER)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, _LOST)

    def columns(self, read: Read) -> Iterable[ColumnFound]:
        schemas = (
            f"c.table_schema = {_text(self._schema)} AND t.table_schema = {_text(self._schema)}"
            if self._schema
            else "c.table_schema <> 'information_schema'"
        )
        rows = read(_COLUMNS.format(catalog=_text(self._catalog), schemas=schemas))
        tables, columns = self._comments(read) if self._schema else ({}, {})
        for schema, table, name, declared, nullable, kind in rows:
            yield ColumnFound(
                schema,
                table,
                name,
                declared,
                nullable != "NO",
                columns.get((schema, table, name)),
                kind == "VIEW",
                tables.get((schema, table)),
            )

    def _comments(self, read: Read) -> tuple[dict[Key, str], dict[tuple[str, str, str], str]]:
        """Comments of tables and of columns, which only one schema at a time is quick to tell."""
        asked = {"catalog": _text(self._catalog), "schema": _text(self._schema)}
        tables: dict[Key, str] = {}
        columns: dict[tuple[str, str, str], str] = {}
        with suppress(QueryError):  # not every account may read what is the system's
            tables = {(s, t): text for s, t, text in read(_TABLE_COMMENTS.format(**asked))}
            columns = {(s, t, c): text for s, t, c, text in read(_COLUMN_COMMENTS.format(**asked))}
        return tables, columns

    def counts(self, read: Read, tables: Iterable[Key]) -> Mapping[Key, int]:
        """By SHOW STATS, which is quick but tells of one table: as many as can be asked in a few seconds."""
        until = time.monotonic() + _STATISTICS_SECONDS

        def count(key: Key) -> int | None:
            left = until - time.monotonic()
            if left <= 0:
                return None
            try:
                rows = read(f"SHOW STATS FOR {'.'.join(map(self.quote, self.path(key)))}", left)
            except QueryError:
                return None
            found = rows[-1][_ROW_COUNT] if rows else None
            return None if found is None else int(found)

        keys = list(tables)
        with ThreadPoolExecutor(_STATISTICS_AT_ONCE) as asking:
            # In the context of who asks: whoever cancels the question ends these queries too.
            asked = [asking.submit(copy_context().run, count, key) for key in keys]
            found = [one.result() for one in asked]
        return {k: n for k, n in zip(keys, found, strict=True) if n is not None}

    def estimate(self, sql: str, read: Read) -> int | None:
        """By the connectors' statistics of what is read of each table; None where one lacks them."""
        ((plan,),) = read(f"EXPLAIN (TYPE IO, FORMAT JSON) {sql}", _REQUEST_SECONDS)
        sizes = [
            float((table.get("estimate") or {}).get("outputSizeInBytes", "nan"))
            for table in json.loads(plan).get("inputTableColumnInfos", ())
        ]
        return int(sum(sizes)) if all(map(isfinite, sizes)) else None

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        # SYSTEM takes or leaves whole splits, of which a table that isn't big has too few.
        method = "SYSTEM" if (table.row_count or 0) > _BIG else "BERNOULLI"
        return f"(SELECT * FROM {identifier} TABLESAMPLE {method} ({share:.6f}))"

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """Rights to write, where the catalog keeps rights; a server's own rules can't be asked for."""
        found = []
        try:
            if any(str(role).casefold() == "admin" for (role, *_) in read("SHOW CURRENT ROLES")):
                found.append(AccountRisk("superuser", "is an administrator (role admin)"))
        except QueryError as error:
            found.append(AccountRisk("unread", f"its roles can't be read ({error.message})"))
        try:
            held = [str(privilege) for (privilege,) in read(_PRIVILEGES)]
        except QueryError as error:
            found.append(AccountRisk("unread", f"its privileges can't be read ({error.message})"))
        else:
            if more := [privilege for privilege in held if privilege != "SELECT"]:
                found.append(AccountRisk("writes", f"may change tables ({', '.join(more)})"))
            if not held:
                found.append(AccountRisk("untold", "the catalog lists no privileges"))
        return tuple(found)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
