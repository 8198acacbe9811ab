"""Trino's protocol on loopback, over DuckDB: it proves Fathom's client, not what Trino's SQL means."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import unquote

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

_PAGE = 1_000
_BYTES_A_ROW = 10
_WAIT = 0.05  # seconds that a request waits for rows before it says that the query goes on
_TYPES = {
    "HUGEINT": "bigint",
    "FLOAT": "real",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp(6)"),
    "TIMESTAMP WITH TIME ZONE": "timestamp(6) with time zone",
    "TIME": "time(6)",
    "BLOB": "varbinary",
}
_PLAIN = frozenset("boolean tinyint smallint integer bigint double varchar date".split())
_ERRORS = (
    (r"Table Function|Scalar Function|Function with name", "FUNCTION_NOT_FOUND"),
    (r"Table with name|Catalog .* does not exist", "TABLE_NOT_FOUND"),
    (r"Referenced (column|table)|does not have a column|column .*not found", "COLUMN_NOT_FOUND"),
    (r"Parser Error|Invalid expression|Required keyword|Expecting", "SYNTAX_ERROR"),
)
_SYSTEM = (
    "ATTACH ':memory:' AS stub",
    "CREATE SCHEMA stub.metadata",
    "CREATE SCHEMA stub.jdbc",
    "CREATE VIEW stub.metadata.table_comments AS SELECT database_name AS catalog_name, schema_name, "
    "table_name, comment FROM duckdb_tables()",
    "CREATE VIEW stub.jdbc.columns AS SELECT database_name AS table_cat, schema_name AS table_schem, "
    "table_name, column_name, comment AS remarks FROM duckdb_columns()",
    "CREATE TABLE stub.main.table_privileges (grantee VARCHAR, grantee_type VARCHAR, privilege_type VARCHAR)",
)


class Stub:
    """A server; `said` has the headers of each statement, `cancelled` the ids of queries that were.

    As `strangers` it lets nobody ask.
    """

    def __init__(self) -> None:
        self.database = duckdb.connect()
        for statement in _SYSTEM:
            self.database.execute(statement)
        self.roles: list[str] = []
        self.strangers: set[str] = set()
        self.said: list[tuple[str, dict[str, str]]] = []
        self.cancelled: list[str] = []
        self.hangs = threading.Event()
        self.queries: dict[str, _Query] = {}
        self.numbers = count(1)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"127.0.0.1:{self.server.server_address[1]}"

    def make_catalog(self, name: str, *statements: str) -> None:
        """A catalog of what DuckDB makes of the statements, in its schema `main`."""
        with self.database.cursor() as cursor:
            cursor.execute(f"ATTACH ':memory:' AS {name}; USE {name}.main")
            for statement in statements:
                cursor.execute(statement)

    def start(self, sql: str, headers: dict[str, str]) -> "_Query":
        self.said.append((sql, headers))
        query = _Query(self, f"q{next(self.numbers)}", sql, headers)
        self.queries[query.id] = query
        threading.Thread(target=query.run, daemon=True).start()
        return query

    def translated(self, sql: str, user: str = "") -> str:
        if user in self.strangers:
            raise duckdb.PermissionException(f"Access Denied: User reader cannot impersonate user {user}")
        if sql == "SELECT current_user":
            return f"SELECT '{user}' AS current_user"
        if found := re.fullmatch(r"SHOW STATS FOR (.+)", sql):
            return f"SELECT NULL, NULL, NULL, NULL, count(*)::DOUBLE, NULL, NULL FROM {found[1]}"
        if found := re.fullmatch(r"EXPLAIN \(TYPE IO, FORMAT JSON\) (.+)", sql, re.DOTALL):
            return _plan_of_reading(found[1])
        if sql == "SHOW CURRENT ROLES":
            return f"SELECT unnest({self.roles!r}::VARCHAR[]) AS role"
        tree = sqlglot.parse_one(sql, read="trino")
        self.check_types(tree)
        for table in tree.find_all(exp.Table):
            if table.catalog == "system":
                table.set("catalog", exp.to_identifier("stub"))
            elif table.name == "table_privileges":
                table.replace(exp.table_("table_privileges", db="main", catalog="stub"))
        return tree.sql("duckdb")

    def check_types(self, tree: exp.Expr) -> None:
        """As Trino, and other than DuckDB, hold no date or time against a text."""
        with self.database.cursor() as cursor:
            moments = {
                name.casefold()
                for (name,) in cursor.execute(
                    "SELECT column_name FROM duckdb_columns() WHERE data_type IN ('DATE', 'TIMESTAMP')"
                ).fetchall()
            }
        for node in tree.find_all(exp.EQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Like):
            sides = list(node.iter_expressions())
            if any(isinstance(s, exp.Column) and s.name.casefold() in moments for s in sides) and any(
                isinstance(s, exp.Literal) and s.is_string for s in sides
            ):
                raise duckdb.BinderException(f"Cannot apply operator: {node.sql('trino')}")


def _plan_of_reading(sql: str) -> str:
    """A query for a plan as Trino prints it: of empty tables it knows nothing, of others some bytes a row."""
    tables = sqlglot.parse_one(sql, read="trino").find_all(exp.Table)
    read = ", ".join(
        "json_object('columnConstraints', json_array(), 'estimate', json_object('outputSizeInBytes', "
        "(SELECT if(count(*) = 0, '\"NaN\"'::JSON, "
        f"to_json({_BYTES_A_ROW} * count(*)::DOUBLE)) FROM {t.sql('duckdb')})))"
        for t in tables
    )
    return f"SELECT json_object('inputTableColumnInfos', json_array({read}))::VARCHAR AS plan"


class _Query:
    def __init__(self, stub: Stub, number: str, sql: str, headers: dict[str, str]) -> None:
        self.stub, self.id, self.sql, self.headers = stub, number, sql, headers
        self.done = threading.Event()
        self.error: dict[str, Any] | None = None
        self.stopped = ""
        self.columns: list[dict[str, Any]] | None = None
        self.given = 0
        self.cursor = stub.database.cursor()

    def run(self) -> None:
        said = dict(p.split("=", 1) for p in self.headers.get("x-trino-session", "").split(",") if "=" in p)
        seconds = float(unquote(said.get("query_max_run_time", "600s")).removesuffix("s"))
        clock = threading.Timer(seconds, self.stop, ["EXCEEDED_TIME_LIMIT"])
        clock.daemon = True
        clock.start()
        try:
            where = (self.headers.get("x-trino-catalog", ""), self.headers.get("x-trino-schema", "main"))
            self.cursor.execute(f"USE {'.'.join(where)}")
            self.cursor.execute(self.stub.translated(self.sql, self.headers["x-trino-user"]))
            self.columns = [_column(d[0], str(d[1])) for d in self.cursor.description or ()]
        except (duckdb.Error, SqlglotError) as error:
            name = next((n for sign, n in _ERRORS if re.search(sign, str(error))), "GENERIC_USER_ERROR")
            self.fail(self.stopped or name, str(error))
        finally:
            clock.cancel()
            self.done.set()

    def fail(self, name: str, message: str) -> None:
        self.error = {
            "message": message,
            "errorCode": 1,
            "errorName": name,
            "errorType": "USER_ERROR",
            "failureInfo": {"type": name},
        }

    def stop(self, why: str) -> None:
        self.stopped = why
        self.cursor.interrupt()

    def fetched(self) -> list[tuple[Any, ...]]:
        try:
            return self.cursor.fetchmany(_PAGE)
        except duckdb.Error as error:
            self.fail(self.stopped or "GENERIC_USER_ERROR", str(error))
            return []

    def page(self) -> dict[str, Any]:
        """The next of the query's answers."""
        answer: dict[str, Any] = {
            "id": self.id,
            "infoUri": f"http://{self.stub.address}/ui/{self.id}",
            "stats": {"state": "RUNNING"},
        }
        following = f"http://{self.stub.address}/v1/statement/executing/{self.id}"
        if not self.done.wait(_WAIT):
            return answer | {"nextUri": following}
        rows = [] if self.error or self.stopped else self.fetched()
        self.given += len(rows)
        answer["stats"]["processedBytes"] = _BYTES_A_ROW * self.given
        if self.stopped and self.error is None:
            self.fail(self.stopped, "Query was stopped")
        if self.error is not None:
            return answer | {"error": self.error}
        if self.columns:
            answer["columns"] = self.columns
        if rows:
            answer |= {"data": [[_value(v) for v in row] for row in rows], "nextUri": following}
        return answer


def _column(name: str, kind: str) -> dict[str, Any]:
    declared = _TYPES.get(kind, kind.casefold())
    arguments: list[int] = []
    if found := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", declared):
        arguments = [int(found[1]), int(found[2])]
    elif found := re.fullmatch(r"(?:timestamp|time)\((\d)\).*", declared):
        arguments = [int(found[1])]
    elif declared not in _PLAIN:
        declared = "varchar"
    raw = re.sub(r"\([^)]*\)", "", declared)
    signature = {"rawType": raw, "arguments": [{"kind": "LONG", "value": n} for n in arguments]}
    if declared == "varchar":
        signature["arguments"] = [{"kind": "LONG", "value": 2147483647}]
    return {"name": name, "type": declared, "typeSignature": signature}


def _value(value: object) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f") + (" UTC" if value.tzinfo else "")
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.answer(stub.start(sql, {k.casefold(): v for k, v in self.headers.items()}).page())

        def do_GET(self) -> None:
            if stub.hangs.is_set():
                stub.hangs.clear()
                threading.Event().wait(20)
            query = stub.queries[self.path.rsplit("/", 1)[1]]
            self.answer(query.page())

        def do_DELETE(self) -> None:
            query = stub.queries[self.path.rsplit("/", 1)[1]]
            stub.cancelled.append(query.sql)
            query.stop("USER_CANCELED")
            self.send_response(204)
            self.end_headers()

        def answer(self, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    return Handler


@contextmanager
def serving() -> Iterator[Stub]:
    """A stub that answers until the end."""
    stub = Stub()
    stub.server.daemon_threads = True
    threading.Thread(target=stub.server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        stub.server.shutdown()
        stub.server.server_close()
