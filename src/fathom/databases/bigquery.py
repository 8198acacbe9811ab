"""BigQuery: each query is priced by a dry run first, refused where it would read too much, and then a job.

A dry run also says what kind of statement it is, so that BigQuery itself tells reading from all else.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any
from uuid import uuid4

import requests
from google.api_core.exceptions import GoogleAPIError, NotFound
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import bigquery

from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import Read, Row, Session, percent_of
from fathom.databases.remote import hidden
from fathom.databases.sizes import asked_bytes, over_budget, tell_size
from fathom.databases.warehouse import (
    ColumnFound,
    Key,
    KeyFound,
    QueryHalted,
    Warehouse,
    WarehouseSession,
)
from fathom.errors import ConnectionFailed, ErrorClass, QueryError, QueryRefused
from fathom.records import Limits, Table

_REQUEST_SECONDS = 20.0
_PAGE = 2_000
_WRITES = ("bigquery.tables.updateData", "bigquery.tables.delete")
_TIMED_OUT = frozenset(("stopped", "timeout"))
_SAYS = (
    (re.compile(r"function not found|no matching signature", re.IGNORECASE), ErrorClass.NO_SUCH_FUNCTION),
    (re.compile(r"syntax error|unexpected", re.IGNORECASE), ErrorClass.SYNTAX),
    (re.compile(r"cancel|timed? ?out", re.IGNORECASE), ErrorClass.TIMEOUT),
    (
        re.compile(r"unrecognized name|not found|does not (exist|have)|must be qualified", re.IGNORECASE),
        ErrorClass.NO_SUCH_NAME,
    ),
)
# Each view has a name of its own, and its whole path stands in one pair of backticks: all servers take that.
_COLUMNS = """SELECT c.table_name, c.column_name, c.data_type, c.is_nullable, t.table_type
FROM `{at}.COLUMNS` AS c JOIN `{at}.TABLES` AS t ON c.table_name = t.table_name
ORDER BY c.table_name, c.ordinal_position"""
_COLUMN_COMMENTS = """SELECT p.table_name, p.column_name, p.description FROM `{at}.COLUMN_FIELD_PATHS` AS p
WHERE p.column_name = p.field_path AND p.description IS NOT NULL"""
_TABLE_COMMENTS = """SELECT o.table_name, o.option_value FROM `{at}.TABLE_OPTIONS` AS o
WHERE o.option_name = 'description'"""
# A foreign key's targets are told without an order, so that only their table is taken of them.
_KEYS = """SELECT k.constraint_name, c.constraint_type, k.table_name, k.column_name,
k.position_in_unique_constraint, t.table_name AS target_table
FROM `{at}.KEY_COLUMN_USAGE` AS k
JOIN `{at}.TABLE_CONSTRAINTS` AS c ON c.constraint_name = k.constraint_name
LEFT JOIN (SELECT DISTINCT u.constraint_name, u.table_name FROM `{at}.CONSTRAINT_COLUMN_USAGE` AS u
WHERE u.table_schema = u.constraint_schema) AS t
ON t.constraint_name = k.constraint_name AND c.constraint_type = 'FOREIGN KEY'
ORDER BY k.constraint_name, k.ordinal_position"""
_PRIMARY = "PRIMARY KEY"
_COUNTS = (
    "SELECT t.table_id, t.row_count FROM `{dataset}.__TABLES__` AS t WHERE t.type = 1",
    "SELECT p.table_name, sum(p.total_rows) FROM `{dataset}.INFORMATION_SCHEMA.PARTITIONS` AS p GROUP BY 1",
)
"""The numbers of rows: the first query is in no manual, the second tells a thousand tables at most."""


class BigQuerySession(WarehouseSession):
    """One job after the other, each under a name that it can be cancelled by."""

    def __init__(self, server: "BigQuery") -> None:
        super().__init__(server.errors)
        self._server = server
        self._limits = Limits()
        self._job = ""
        self._rows: Iterator[Any] = iter(())

    def begin(self, limits: Limits) -> None:
        self._limits = limits

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._job = f"fathom_{uuid4().hex}"
        self.wait_for(lambda: self._server.priced(sql))
        found = self.wait_for(lambda: self._server.answer(sql, self._limits, self._job))
        self._rows = iter(found)
        self.bytes_read = found.total_bytes_processed
        return tuple(field.name for field in found.schema) or None

    def fetch(self, count: int) -> list[Row]:
        return self.wait_for(lambda: [tuple(row.values()) for row in islice(self._rows, count)])

    def finish(self, *, complete: bool) -> bool:
        if not complete and not self.abandoned:
            self.interrupt()
        self._rows = iter(())
        return not self.abandoned

    def cancel(self) -> None:
        self._server.cancel(self._job)

    def close(self) -> None:
        """Nothing is open: the connection is all sessions' own."""


class BigQuery(Warehouse):
    """A dataset: `bigquery://project/dataset`; `maximum_bytes_billed` in the URL is what a query may cost."""

    dialect = "bigquery"
    tells_size = True
    sizes_itself = True
    latency = 5.0
    errors = (GoogleAPIError, GoogleAuthError, requests.RequestException, TimeoutError, QueryHalted)

    def __init__(self, url: str) -> None:
        super().__init__(url)
        asked = {name: str(value) for name, value in self.address.query.items()}
        self.project, self.dataset = self.address.host or "", self.address.database or ""
        if not (self.project and self.dataset):
            raise ConnectionFailed(
                f"{hidden(self.address)}: name the project and the dataset, as in bigquery://project/dataset."
            )
        self._budget = asked_bytes(
            asked.get("maximum_bytes_billed"), "maximum_bytes_billed", hidden(self.address)
        )
        self._asked = asked
        self._opened: Any = None

    @property
    def default_schema(self) -> str:
        return self.dataset

    @property
    def _client(self) -> Any:
        if self._opened is None:
            self._opened = self._new_client()
        return self._opened

    def _new_client(self) -> Any:
        asked: dict[str, Any] = {"project": self.project, "location": self._asked.get("location")}
        endpoint = self._asked.get("endpoint", "")
        if endpoint:
            asked["client_options"] = {"api_endpoint": endpoint}
        if endpoint.startswith("http://"):  # an emulator: no credentials go over a line that anyone can read
            asked["credentials"] = AnonymousCredentials()  # type: ignore[no-untyped-call]
        if "credentials_path" in self._asked:
            from_file: Any = bigquery.Client.from_service_account_json  # which has no types
            return from_file(self._asked["credentials_path"], **asked)
        return bigquery.Client(**asked)

    def open(self) -> Session:
        """A session, once the dataset is known to be there. Raises `ConnectionFailed`."""
        session = BigQuerySession(self)
        name = f"{self.project}.{self.dataset}"
        try:
            session.wait_for(lambda: self._client.get_dataset(name, retry=None, timeout=_REQUEST_SECONDS))
        except (*self.errors, OSError, ValueError) as error:
            raise ConnectionFailed(f"{hidden(self.address)}: {self.message(error)}") from None
        return session

    def _settings(self, **more: Any) -> Any:
        return bigquery.QueryJobConfig(
            default_dataset=f"{self.project}.{self.dataset}", use_legacy_sql=False, **more
        )

    def estimate(self, sql: str, read: Read | None = None) -> int:
        """The bytes that a query would read, by a dry run. Raises `QueryRefused` for what isn't reading."""
        settings = self._settings(dry_run=True, use_query_cache=False)
        job = self._client.query(
            sql, job_config=settings, retry=None, job_retry=None, timeout=_REQUEST_SECONDS
        )
        if job.statement_type != "SELECT":
            raise QueryRefused("read_only", f"BigQuery calls it {job.statement_type}, not a SELECT.", sql=sql)
        return int(job.total_bytes_processed or 0)

    def priced(self, sql: str) -> None:
        """Tell who watches how many bytes a query would read. Raises `QueryRefused` for too many."""
        size = self.estimate(sql)
        if self._budget is not None and size > self._budget:
            raise over_budget(size, self._budget, "maximum_bytes_billed", sql)
        tell_size(size)

    def answer(self, sql: str, limits: Limits, name: str) -> Any:
        """The rows of a query, run as the job of this name."""
        settings = self._settings(maximum_bytes_billed=self._budget)
        if limits.seconds is not None:
            settings.job_timeout_ms = max(1, int(limits.seconds * 1000))
        job = self._client.query(sql, job_config=settings, job_id=name, retry=None, job_retry=None)
        return job.result(page_size=_PAGE, retry=None, job_retry=None)

    def cancel(self, name: str) -> None:
        """Ask BigQuery to end a job."""
        self._client.cancel_job(name, retry=None, timeout=_REQUEST_SECONDS)

    def words(self, error: Exception) -> str:
        told = getattr(error, "errors", None)
        text = told[0].get("message", "") if isinstance(told, (list, tuple)) and told else ""
        return str(text or error)

    def classify(self, error: Exception) -> ErrorClass | None:
        if isinstance(error, (QueryHalted, TimeoutError)):
            return ErrorClass.TIMEOUT
        told = getattr(error, "errors", None) or [{}]
        if told[0].get("reason") in _TIMED_OUT:
            return ErrorClass.TIMEOUT
        if isinstance(error, NotFound):
            return ErrorClass.NO_SUCH_NAME
        text = self.message(error)
        return next((kind for said, kind in _SAYS if said.search(text)), ErrorClass.OTHER)

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, (QueryHalted, requests.RequestException))

    def quote(self, name: str) -> str:
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"

    @property
    def _catalogue_path(self) -> str:
        return f"{self.project}.{self.dataset}.INFORMATION_SCHEMA"

    def columns(self, read: Read) -> Iterable[ColumnFound]:
        at = self._catalogue_path
        tables: dict[str, str] = {}
        columns: dict[tuple[str, str], str] = {}
        with suppress(QueryError):  # what isn't told, or not to this account
            columns = {(t, c): text for t, c, text in read(_COLUMN_COMMENTS.format(at=at))}
        with suppress(QueryError):
            tables = {t: _unquoted(text) for t, text in read(_TABLE_COMMENTS.format(at=at))}
        for table, name, declared, nullable, kind in read(_COLUMNS.format(at=at)):
            yield ColumnFound(
                self.dataset,
                table,
                name,
                declared,
                nullable != "NO",
                columns.get((table, name)),
                "VIEW" in kind,
                tables.get(table),
            )

    def keys(self, read: Read) -> Iterable[KeyFound]:
        try:
            rows = read(_KEYS.format(at=self._catalogue_path))
        except QueryError:  # a server without these views
            return
        primary: dict[str, list[str]] = defaultdict(list)
        for _, kind, table, column, *_ in rows:
            if kind == _PRIMARY:
                primary[table].append(column)
        for name, kind, table, column, place, target in rows:
            if kind == _PRIMARY:
                yield KeyFound(name, "primary", self.dataset, table, column)
                continue
            meant = primary.get(target, ())[place - 1 : place]  # a foreign key means a primary one
            found = (self.dataset, target, meant[0]) if meant else None
            yield KeyFound(name, "foreign", self.dataset, table, column, found)

    def counts(self, read: Read, tables: Iterable[Key]) -> Mapping[Key, int]:
        for sql in _COUNTS:
            with suppress(QueryError):
                rows = read(sql.format(dataset=f"{self.project}.{self.dataset}"))
                return {(self.dataset, table): int(count or 0) for table, count in rows}
        return {}

    def sample(self, identifier: str, table: Table, count: int) -> str:
        if (share := percent_of(table, count)) is None:
            return identifier
        # Whole blocks are taken, so somewhat more than are wanted; only they are paid for.
        return f"(SELECT * FROM {identifier} TABLESAMPLE SYSTEM ({max(0.01, share):.6f} PERCENT))"

    def account(self) -> str:
        return str(getattr(self._client._credentials, "service_account_email", "") or "")

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """Rights to write, asked of one table for all: rights are granted by dataset and project."""
        name = f"{self.project}.{self.dataset}"
        try:
            for table in self._client.list_tables(name, max_results=1, retry=None, timeout=_REQUEST_SECONDS):
                held = self._client.test_iam_permissions(
                    table.reference, list(_WRITES), retry=None, timeout=_REQUEST_SECONDS
                ).get("permissions", [])
                return (AccountRisk("writes", f"may change tables ({', '.join(held)})"),) if held else ()
        except self.errors as error:
            return (AccountRisk("unread", f"its permissions can't be read ({self.message(error)})"),)
        return (AccountRisk("untold", "its permissions are asked of a table, and the dataset has none"),)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def _unquoted(text: str) -> str:
    """An option as text: BigQuery tells it as SQL would write it."""
    return text[1:-1].replace('\\"', '"').replace("\\n", "\n") if text[:1] == '"' == text[-1:] else text
