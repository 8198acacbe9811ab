"""What is sent to Databricks. No server of it can be had here: a double stands where its client would be."""

import re
import threading
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.databases.guard import check
from fathom.errors import (
    AccountRefused,
    Cancelled,
    ConnectionFailed,
    ErrorClass,
    QueryFailed,
    QueryRefused,
    QueryTimedOut,
)
from fathom.records import ForeignKey, Limits, Table
from tests.databases.guard.test_guard import cases
from tests.databases.makers import settings_in

client = pytest.importorskip("databricks.sql")
Row: Any = pytest.importorskip("databricks.sql.types").Row
URL = "databricks://token:dapi-secret@dbc.example.com?http_path=/sql/1.0/warehouses/1a&catalog=main&schema=sa'les"
REFUSED = [sql for name in ("shared", "spark") for _, sql in cases("refused", name)]
ALLOWED = [str(sql) for name in ("shared", "spark") for _, sql in cases("allowed", name)]
COLUMNS = [
    ("sa'les", "customer", "id", "bigint", "NO", None, "MANAGED", "who buys"),
    ("sa'les", "customer", "name", "string", "YES", "in full", "MANAGED", "who buys"),
    ("sa'les", "sale", "customer_id", "bigint", "YES", None, "MANAGED", None),
    ("sa'les", "sale", "price", "decimal(8,2)", "YES", None, "MANAGED", None),
    ("sa'les", "recent", "price", "decimal(8,2)", "YES", None, "VIEW", None),
]
KEYS = [
    ("pk", "PRIMARY KEY", "sa'les", "customer", "id", None, None, None),
    ("fk", "FOREIGN KEY", "sa'les", "sale", "customer_id", "sa'les", "customer", "id"),
]
Answer = Callable[[str], tuple[list[str], list[tuple[Any, ...]]]]


class Warehouse:
    """What the client would speak to: answers by `answer`, and remembers what it was told."""

    def __init__(self) -> None:
        self.connected: list[dict[str, Any]] = []
        self.sent: list[str] = []
        self.cancelled = threading.Event()
        self.closed = 0
        self.answer: Answer = lambda sql: (["1"], [(1,)])

    def connect(self, **settings: Any) -> "Warehouse":
        self.connected.append(settings)
        return self

    def cursor(self) -> "Cursor":
        return Cursor(self)

    def close(self) -> None:
        self.closed += 1


class Cursor:
    """A cursor of the client's, as far as Fathom uses it."""

    description: list[tuple[str, ...]] | None = None

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self._rows: list[tuple[Any, ...]] = []

    def execute(self, sql: str) -> None:
        self._warehouse.sent.append(sql)
        names, self._rows = self._warehouse.answer(sql)
        self.description = [(name,) for name in names]

    def fetchmany(self, count: int) -> list[tuple[Any, ...]]:
        rows, self._rows = self._rows[:count], self._rows[count:]
        return rows

    def cancel(self) -> None:
        self._warehouse.cancelled.set()

    def close(self) -> None:
        pass

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@pytest.fixture
def warehouse(monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    made = Warehouse()
    monkeypatch.setattr("databricks.sql.connect", made.connect)
    return made


@pytest.fixture
def database(warehouse: Warehouse, tmp_path: Path) -> Database:
    return connect(URL, settings=settings_in(tmp_path))


def test_connects_as_the_url_says_and_tells_nobody(warehouse: Warehouse, database: Database) -> None:
    (asked,) = warehouse.connected
    assert asked["server_hostname"] == "dbc.example.com"
    assert asked["http_path"] == "/sql/1.0/warehouses/1a"
    assert (asked["access_token"], asked["catalog"], asked["schema"]) == ("dapi-secret", "main", "sa'les")
    assert asked["enable_telemetry"] is False
    assert (database.dialect, database.name) == ("databricks", "sa'les")
    assert "dapi-secret" not in database.url


@pytest.mark.parametrize(
    "url",
    ["databricks://dbc.example.com", URL.replace("token:dapi-secret@", ""), URL.replace("http_path", "path")],
)
def test_says_what_a_url_lacks(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailed, match="warehouse and a token") as caught:
        connect(url, settings=settings_in(tmp_path))
    assert "dapi-secret" not in str(caught.value)


def test_no_token_is_let_in_when_strict(database: Database) -> None:
    with pytest.raises(AccountRefused, match=r"no one view of Databricks.*Make an account that only reads"):
        database.check_account(strict=True)
    database.check_account(strict=False)


def test_describes_the_schema_by_two_queries(warehouse: Warehouse, database: Database) -> None:
    def answer(sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        return ["a"], KEYS if "table_constraints" in sql else COLUMNS if "information_schema" in sql else []

    warehouse.answer = answer
    schema = database.schema
    asked = [sql for sql in warehouse.sent if "information_schema" in sql]
    assert len(asked) == 2
    assert all(r"table_schema = 'sa\'les'" in sql for sql in asked)
    assert all("`main`.information_schema." in sql for sql in asked)
    assert {t.name: t.is_view for t in schema.tables} == {"customer": False, "sale": False, "recent": True}
    customer = schema.table("customer")
    assert (customer.comment, customer.primary_key) == ("who buys", ("id",))
    assert [(c.kind, c.nullable, c.comment) for c in customer.columns] == [
        ("integer", False, None),
        ("text", True, "in full"),
    ]
    assert schema.foreign_keys == (ForeignKey("sale", ("customer_id",), "customer", ("id",)),)
    assert database.identifier("sale", "price") == "`sale`.`price`"


def test_the_limit_of_time_goes_along(warehouse: Warehouse, database: Database) -> None:
    database.run("SELECT 1", Limits(seconds=2.5))
    database.run("SELECT 1", Limits(seconds=2.5))
    assert [s for s in warehouse.sent if s.startswith("SET")] == ["SET STATEMENT_TIMEOUT = 3"]


def test_rows_are_cut_and_the_rest_cancelled(warehouse: Warehouse, database: Database) -> None:
    warehouse.answer = lambda sql: (["n"], [(n,) for n in range(5000)])
    result = database.run("SELECT n FROM numbers", Limits(rows=3))
    assert (result.columns, result.rows, result.truncated) == (("n",), ((0,), (1,), (2,)), "rows")
    assert warehouse.cancelled.is_set()


def test_values_come_with_their_types(warehouse: Warehouse, database: Database) -> None:
    values = (Decimal("1.50"), date(2024, 2, 29), datetime(2024, 2, 29, 10, 30), True, 2.5, "it's", None, 5)
    warehouse.answer = lambda sql: (list("abcdefgh"), [Row(**dict(zip("abcdefgh", values, strict=True)))])
    (row,) = database.run("SELECT a, b, c, d, e, f, g, h FROM sale").rows
    assert (type(row), row) == (tuple, values)
    assert [type(v) for v in row] == [type(v) for v in values]


def _busy(warehouse: Warehouse) -> Answer:
    """Answers a query only once it is cancelled, as the real one does."""

    def answer(sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        if "numbers" in sql:
            warehouse.cancelled.wait(60)
            raise client.exc.ServerOperationError("[OPERATION_CANCELED] Operation has been canceled.")
        return ["n"], []

    return answer


def test_what_takes_too_long_is_cancelled(warehouse: Warehouse, database: Database) -> None:
    warehouse.answer = _busy(warehouse)
    with pytest.raises(QueryTimedOut):
        database.run("SELECT n FROM numbers", Limits(seconds=0.2))
    assert warehouse.cancelled.is_set()


def test_a_person_can_cancel(warehouse: Warehouse, database: Database) -> None:
    warehouse.answer = _busy(warehouse)
    cancellation = Cancellation()
    threading.Timer(0.2, cancellation.cancel).start()
    with pytest.raises(Cancelled):
        database.run("SELECT n FROM numbers", Limits(seconds=60), cancellation)
    assert warehouse.cancelled.is_set()


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("[TABLE_OR_VIEW_NOT_FOUND] The table or view `x` cannot be found.", ErrorClass.NO_SUCH_NAME),
        ("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `x`.;\n'Project ['x]", ErrorClass.NO_SUCH_NAME),
        ("[UNRESOLVED_ROUTINE] Cannot resolve routine `f`.", ErrorClass.NO_SUCH_FUNCTION),
        ("[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'.\n== SQL ==\nx", ErrorClass.SYNTAX),
        ("[DIVIDE_BY_ZERO] Division by zero, said dapi-secret.", ErrorClass.OTHER),
        ("something went wrong", ErrorClass.OTHER),
    ],
)
def test_says_why_a_query_failed(
    warehouse: Warehouse, database: Database, told: str, expected: ErrorClass
) -> None:
    def fail(sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        if sql.startswith("SET"):
            return [], []
        raise client.exc.ServerOperationError(told)

    warehouse.answer = fail
    with pytest.raises(QueryFailed) as caught:
        database.run("SELECT 1")
    assert caught.value.error_class is expected
    assert not re.search("dapi-secret|Project|== SQL", str(caught.value))


@pytest.mark.parametrize("sql", REFUSED)
def test_spark_s_attacks_are_refused(sql: str) -> None:
    with pytest.raises(QueryRefused):
        check(sql, "databricks")


@pytest.mark.parametrize("sql", [*ALLOWED, "SELECT charindex('n', name), getdate() FROM kept"])
def test_spark_s_honest_queries_pass(sql: str) -> None:
    check(sql, "databricks")


def test_a_big_table_is_sampled(database: Database) -> None:
    big = Table("sale", (), row_count=1_000_000)
    assert database._engine.sample("`sale`", big, 1000) == (
        "(SELECT * FROM `sale` TABLESAMPLE (0.120000 PERCENT) REPEATABLE (1))"
    )
    assert database._engine.sample("`sale`", Table("sale", (), row_count=1_500), 1000) == "`sale`"
