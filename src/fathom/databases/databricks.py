"""Databricks: a SQL warehouse by its own client, its schema from INFORMATION_SCHEMA, stopped by its cursor.

A session can't be made to read only: the guard, and what the token's owner is granted, keep it to reading.
"""

from collections.abc import Iterable
from contextlib import suppress
from math import ceil
from typing import Any, ClassVar

import databricks.sql
from databricks.sql.exc import Error, RequestError

from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import Read, Row, Session
from fathom.databases.remote import hidden
from fathom.databases.spark_conditions import class_of, condition_in, without_plan
from fathom.databases.spark_sql import backquoted, share_of_rows
from fathom.databases.warehouse import ColumnFound, KeyFound, QueryHalted, Warehouse, WarehouseSession
from fathom.errors import ConnectionFailed, ErrorClass
from fathom.records import Limits, Table

_REQUEST_SECONDS = 15
_COLUMNS = """SELECT c.table_schema, c.table_name, c.column_name, c.full_data_type, c.is_nullable, c.comment,
t.table_type, t.comment FROM {catalog}.information_schema.columns c JOIN {catalog}.information_schema.tables t
ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE {schemas} ORDER BY c.table_schema, c.table_name, c.ordinal_position"""
_KEYS = """SELECT c.constraint_name, c.constraint_type, k.table_schema, k.table_name, k.column_name,
u.table_schema, u.table_name, u.column_name
FROM {catalog}.information_schema.table_constraints c
JOIN {catalog}.information_schema.key_column_usage k
ON c.constraint_schema = k.constraint_schema AND c.constraint_name = k.constraint_name
LEFT JOIN {catalog}.information_schema.referential_constraints r
ON c.constraint_schema = r.constraint_schema AND c.constraint_name = r.constraint_name
LEFT JOIN {catalog}.information_schema.key_column_usage u
ON r.unique_constraint_schema = u.constraint_schema AND r.unique_constraint_name = u.constraint_name
AND k.position_in_unique_constraint = u.ordinal_position
WHERE {schemas} ORDER BY c.constraint_name, k.ordinal_position"""
_KINDS = {"PRIMARY KEY": "primary", "UNIQUE": "unique", "FOREIGN KEY": "foreign"}


class DatabricksSession(WarehouseSession):
    """One session of a warehouse."""

    def __init__(self, connection: Any) -> None:
        super().__init__(Databricks.errors)
        self._connection = connection
        self._cursor: Any = None
        self._seconds: float | None = None

    def begin(self, limits: Limits) -> None:
        if limits.seconds == self._seconds:
            return
        # The warehouse's own limit, should this program end before it stops a query.
        seconds = 0 if limits.seconds is None else ceil(limits.seconds)
        with self._connection.cursor() as cursor:
            self.wait_for(lambda: cursor.execute(f"SET STATEMENT_TIMEOUT = {seconds}"))
        self._seconds = limits.seconds

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._cursor = self._connection.cursor()
        self.wait_for(lambda: self._cursor.execute(sql))
        return tuple(d[0] for d in self._cursor.description) if self._cursor.description else None

    def fetch(self, count: int) -> list[Row]:
        return [tuple(row) for row in self.wait_for(lambda: self._cursor.fetchmany(count))]

    def finish(self, *, complete: bool) -> bool:
        if self.abandoned:
            return False
        if not complete:
            self.interrupt()
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            self.wait_for(cursor.close)
        return True

    def cancel(self) -> None:
        if (cursor := self._cursor) is not None:
            cursor.cancel()

    def close(self) -> None:
        if not self.abandoned:
            with suppress(*Databricks.errors):
                self.wait_for(self._connection.close)


class Databricks(Warehouse):
    """A catalog, or one schema of it: `databricks://token:SECRET@host?http_path=...&catalog=...&schema=...`."""

    dialect = "databricks"
    latency = 5.0
    errors = (Error, QueryHalted, OSError)
    gaps: ClassVar[dict[str, str]] = {"counts": "Databricks tells row counts of one table at a time"}
    probing_seconds = (30.0, 5.0)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        asked = {name: str(value) for name, value in self.address.query.items()}
        self._path = asked.get("http_path", "")
        self._catalog = asked.get("catalog", "") or "main"
        self._schema = asked.get("schema", "") or self.address.database or ""
        if not (self._path and self.address.host and self.address.password):
            raise ConnectionFailed(
                f"{hidden(self.address)}: name the warehouse and a token, as in "
                "databricks://token:SECRET@host?http_path=/sql/1.0/warehouses/1a2b&catalog=main&schema=sales."
            )

    @property
    def database_name(self) -> str:
        return self._schema or self._catalog

    @property
    def default_schema(self) -> str:
        return self._schema

    def account(self) -> str:
        return ""

    def open(self) -> Session:
        try:
            connection = databricks.sql.connect(
                server_hostname=self.address.host,
                http_path=self._path,
                access_token=self.address.password,
                catalog=self._catalog,
                schema=self._schema or None,
                user_agent_entry="fathom",
                enable_telemetry=False,
                _socket_timeout=_REQUEST_SECONDS,
                _retry_stop_after_attempts_count=3,
            )
        except self.errors as error:
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(error)}") from None
        return DatabricksSession(connection)

    def quote(self, name: str) -> str:
        return backquoted(name)

    def columns(self, read: Read) -> Iterable[ColumnFound]:
        for schema, table, name, declared, nullable, comment, kind, about in read(self._asked(_COLUMNS, "c")):
            yield ColumnFound(
                schema, table, name, declared, nullable != "NO", comment, kind.endswith("VIEW"), about
            )

    def keys(self, read: Read) -> Iterable[KeyFound]:
        for name, kind, schema, table, column, *target in read(self._asked(_KEYS, "k")):
            if kind in _KINDS:
                meant = (target[0], target[1], target[2]) if all(target) else None
                yield KeyFound(name, _KINDS[kind], schema, table, column, meant)

    def _asked(self, query: str, alias: str) -> str:
        schema = self._schema.replace("\\", "\\\\").replace("'", "\\'")
        schemas = (
            f"{alias}.table_schema = '{schema}'"
            if schema
            else f"{alias}.table_schema <> 'information_schema'"
        )
        return query.format(catalog=self.quote(self._catalog), schemas=schemas)

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """Nothing can be told: privileges come by groups and owners, of which no one view tells."""
        return (AccountRisk("untold", "no one view of Databricks tells what a token may do"),)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        return share_of_rows(identifier, table, count)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, (QueryHalted, RequestError, OSError))

    def classify(self, error: Exception) -> ErrorClass | None:
        if isinstance(error, QueryHalted):
            return ErrorClass.TIMEOUT
        return class_of(condition_in(str(error)))

    def words(self, error: Exception) -> str:
        return without_plan(str(error))
