"""The engine suite on a real Spark, and what only Spark does. All here shares one server."""

import datetime
import re
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.databases.engine import Row
from fathom.databases.guard import check
from fathom.databases.guard.words import names_of
from fathom.databases.spark_sql import backquoted
from fathom.errors import Cancelled, ConnectionFailed, QueryError, QueryFailed, QueryRefused
from fathom.records import Limits
from tests.databases.guard.canaries import files
from tests.databases.guard.tables import TABLES
from tests.databases.guard.test_guard import cases
from tests.databases.makers import Make, local_spark, settings_in, spark_databases
from tests.databases.suite import CANCELLED_WITHIN, EngineSuite

pytestmark = pytest.mark.spark


# Spark stops a task between two batches of the rows that stream; of a table, one batch is 4,096 rows.
SLOW = "SELECT count(*) FROM range(9000000) a, numbers b WHERE (a.id * b.id) % 7 = 3"


class TestSpark(EngineSuite):
    dialect = "spark"
    databases = staticmethod(spark_databases)
    slow = SLOW
    half_way_seconds = 10.0


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with spark_databases(tmp_path_factory.mktemp("spark")) as make:
        yield make


@pytest.fixture(scope="module")
def guarded(make: Make) -> Database:
    """The tables that the guard's statements ask."""
    return make(*(s for s in TABLES["duckdb"] if "INDEX" not in s and "docs" not in s), *DOCS)


DOCS = ("CREATE TABLE docs (doc VARCHAR(50))", """INSERT INTO docs VALUES ('{"a": 1, "b": [1, 2]}')""")


# Spark takes other letters in backticks alone, and double quotes for those of a text.
OTHERS = ("AS größe", "AS 名前", 'AS "')


def test_honest_queries_give_rows(guarded: Database) -> None:
    without = {}
    for sql in (str(sql) for name in ("shared", "spark") for _, sql in cases("allowed", name)):
        check(sql, "spark")
        try:
            if not guarded.run(sql).rows:
                without[sql] = "no rows"
        except QueryFailed as error:
            if not any(form in sql for form in OTHERS):
                without[sql] = error.message
    assert without == {}


def test_attacks_leave_everything_as_it_was(guarded: Database) -> None:
    before, there = _picture(guarded), files()
    for name in ("shared", "spark"):
        for _, sql in cases("refused", name):
            with pytest.raises(QueryRefused):
                guarded.run(sql, Limits(seconds=5))
    assert _picture(guarded) == before
    assert files() == there


def _picture(database: Database) -> list[object]:
    asked = (
        "SHOW TABLES",
        "SHOW DATABASES",
        "SHOW USER FUNCTIONS",
        "SET",
        *map("TABLE {}".format, ("kept", "sales")),
    )
    return [sorted(map(repr, database._read(sql))) for sql in asked]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM csv.`/etc/passwd`",
        "SELECT * FROM text.`file:///etc/passwd`",
        "SELECT * FROM IDENTIFIER('text.`/etc/passwd`')",
    ],
)
def test_files_are_out_of_reach_behind_the_guard_too(guarded: Database, sql: str) -> None:
    with pytest.raises(QueryFailed, match="cannot be found"):
        guarded._read(sql)


def test_variables_are_not_filled_in_behind_the_guard_either(guarded: Database) -> None:
    assert guarded._read("SELECT '${env:PATH} ${system:user.home}'") == [("${env:PATH} ${system:user.home}",)]


def test_texts_end_where_the_guard_says(guarded: Database) -> None:
    assert guarded.run(r"""SELECT 'it\'s', "a 'word'", '\\', 'x -- y'""").rows == (
        ("it's", "a 'word'", "\\", "x -- y"),
    )


def test_every_listed_function_is_spark_s(guarded: Database) -> None:
    there = {name for (name,) in guarded._read("SHOW FUNCTIONS")}
    in_grammar = {"timestampadd", "timestampdiff", "try_cast"}  # which SHOW FUNCTIONS leaves out
    assert names_of("spark").functions <= there | in_grammar


def test_values_come_as_python_s(guarded: Database) -> None:
    sql = """SELECT CAST(1.5 AS DECIMAL(8, 2)), DATE '2024-02-29', TIMESTAMP '2024-02-29 10:00:00',
    CAST('2024-02-29 10:00:00' AS TIMESTAMP_NTZ), unhex('41'), map('a', now() - now()), array(1, NULL),
    named_struct('x', map('k', TIMESTAMP '2024-02-29 10:00:00')), parse_json('{"a": [1]}'), CAST(NULL AS INT),
    INTERVAL '90' MINUTE, 1D, 5L, true"""
    moment = datetime.datetime(2024, 2, 29, 10)
    row = guarded._read(sql)[0]
    assert row == (
        Decimal("1.50"),
        datetime.date(2024, 2, 29),
        moment,
        moment,
        b"A",
        {"a": datetime.timedelta(0)},
        [1, None],
        {"x": {"k": moment}},
        '{"a":[1]}',
        None,
        datetime.timedelta(minutes=90),
        1.0,
        5,
        True,
    )
    assert isinstance(row[0], Decimal)


def test_columns_of_one_name_are_kept_apart(guarded: Database) -> None:
    result = guarded.run("SELECT 1 AS a, 2 AS a")
    assert (result.columns, result.rows) == (("a", "a"), ((1, 2),))


def test_what_has_no_form_in_python_is_told(guarded: Database) -> None:
    with pytest.raises(QueryFailed, match="cast it to text"):
        guarded.run("SELECT INTERVAL '1' YEAR")


def test_a_query_that_is_cancelled_ends(make: Make) -> None:
    database = make("CREATE TABLE numbers (id INTEGER)", "INSERT INTO numbers SELECT id FROM range(3000)")
    cancellation = Cancellation()
    since: list[float] = []

    def stop() -> None:
        since.append(time.monotonic())
        cancellation.cancel()

    threading.Timer(1.0, stop).start()
    with pytest.raises(Cancelled):
        database.run(SLOW, Limits(seconds=300), cancellation)
    assert time.monotonic() - since[0] < CANCELLED_WITHIN
    assert database.run("SELECT count(*) FROM numbers").rows == ((3000,),)


def test_a_message_holds_neither_plan_nor_stack(guarded: Database) -> None:
    with pytest.raises(QueryFailed) as caught:
        guarded.run("SELECT nope FROM kept")
    assert "`nope` cannot be resolved" in caught.value.message
    for part in ("Project", "org.apache", "SubqueryAlias", "\n"):
        assert part not in caught.value.message


def test_describes_a_whole_schema(make: Make) -> None:
    database = make(
        "CREATE TABLE typed (a ARRAY<STRUCT<x: INT>>, m MAP<STRING, INT>, t TIMESTAMP, n TIMESTAMP_NTZ,"
        " v VARIANT, c CHAR(3) COMMENT 'three letters')",
        "CREATE TABLE many (`id` INT)",
        "INSERT INTO many SELECT id FROM range(25)",
        "ANALYZE TABLE many COMPUTE STATISTICS",
        "CREATE TABLE gone (id INT)",
        "CREATE VIEW broken AS SELECT id FROM gone",
        "CREATE VIEW whole AS SELECT id FROM many",
        "DROP TABLE gone",
    )
    schema = database.schema
    assert {(t.name, t.is_view, t.row_count, t.rows_estimated) for t in schema.tables} == {
        ("typed", False, 0, False),
        ("many", False, 25, True),
        ("whole", True, None, False),
    }
    typed = schema.table("typed")
    assert [c.kind for c in typed.columns] == ["other", "other", "datetime", "datetime", "json", "text"]
    assert (typed.column("c").type, typed.column("c").comment) == ("char(3)", "three letters")


class _Catalogue:
    """Spark's catalogue of many tables, which remembers what it was asked."""

    def __init__(self, names: list[str]) -> None:
        self.catalog, self.names, self.asked = self, names, list[str]()

    def listTables(self) -> list[Any]:  # noqa: N802
        self.asked.append("listTables")
        return [
            SimpleNamespace(name=n, isTemporary=False, tableType="MANAGED", description=None)
            for n in self.names
        ]

    def sql(self, text: str) -> Any:
        self.asked.append(text)
        types = pytest.importorskip("pyspark.sql.types")
        table = types.StructType([types.StructField("id", types.LongType())])
        found = re.findall(r"struct\(t(\d+)\.\*\)", text)
        return SimpleNamespace(schema=types.StructType([types.StructField(f"c{i}", table) for i in found]))


def test_a_big_schema_takes_few_questions() -> None:
    reflection = pytest.importorskip("fathom.databases.spark_reflection")
    spark = _Catalogue([f"t{i}" for i in range(2_300)])

    def read(sql: str, seconds: float | None = None, /) -> list[Row]:
        spark.asked.append(sql)
        return [("d", name, False, "Statistics: 8 bytes, 1 rows") for name in spark.names]

    found = reflection.reflect(spark, read, backquoted)
    assert len(found.tables) == 2_300
    assert {(t.row_count, t.columns[0].type) for t in found.tables} == {(1, "bigint")}
    assert len(spark.asked) == 1 + 46 + 1  # the tables, fifty at a time, what statistics say


def test_a_folder_s_files_are_its_tables(tmp_path: Path) -> None:
    local_spark()
    folder = tmp_path / "a shop"
    (folder / "parts").mkdir(parents=True)
    (folder / "city.csv").write_text("id,name,since\n1,Oslo,2024-01-31\n2,Göteborg,\n", encoding="utf-8")
    (folder / "parts" / "1.json").write_text('{"code": "A1"}\n', encoding="utf-8")
    (folder / "parts" / "2.json").write_text('{"code": "B2"}\n', encoding="utf-8")
    (folder / "notes.txt").write_text("nothing", encoding="utf-8")
    with connect(f"spark+local:///{folder}", settings=settings_in(tmp_path)) as database:
        assert database.name == "a shop"
        assert {t.name: t.row_count for t in database.schema.tables} == {"city": 2, "parts": 2}
        found = database.run("SELECT name, year(since) FROM city ORDER BY id").rows
        assert found == (("Oslo", 2024), ("Göteborg", None))
        assert sorted(database.run("SELECT code FROM parts").rows) == [("A1",), ("B2",)]
        (folder / "city.csv").write_text("id,name,since\n7,Lima,\n", encoding="utf-8")
        with connect(f"spark+local:///{folder}", settings=settings_in(tmp_path)) as again:
            assert again.run("SELECT name FROM city").rows == (("Lima",),)


def test_an_unknown_database_is_told_with_the_nearest(make: Make, tmp_path: Path) -> None:
    known = make()
    with pytest.raises(ConnectionFailed, match=f"Did you mean '{known.name}'"):
        connect(f"{known.url}x", settings=settings_in(tmp_path))


def test_who_has_no_token_is_not_let_in(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = make().url
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "guessed-token")
    with pytest.raises(ConnectionFailed) as caught:
        connect(f"{url}?token=another-guess", settings=settings_in(tmp_path))
    assert "another-guess" not in str(caught.value)


def test_a_lost_session_is_opened_anew(make: Make) -> None:
    database = make("CREATE TABLE t (a INT)")
    database.run("SELECT 1")
    session = database._sessions._idle[-1]
    session.spark.client.release_session()  # type: ignore[attr-defined]
    assert database.run("SELECT count(*) FROM t").rows == ((0,),)


def test_a_server_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest.importorskip("fathom.databases.spark"), "_CONNECT_SECONDS", 0.5)
    with pytest.raises(ConnectionFailed, match="no Spark Connect server answered"):
        connect("spark://127.0.0.1:1/shop?token=very-secret", settings=settings_in(tmp_path))


def test_limits_reach_the_server(make: Make) -> None:
    """A result without end is not worked out before it is cut."""
    database = make()
    endless = "SELECT a.id, b.id FROM range(3000000) a CROSS JOIN range(3000000) b"
    with pytest.raises(QueryRefused):
        database.run(endless)  # the guard counts generators
    session = database._sessions.take()[0]
    try:
        session.begin(Limits(rows=5, bytes=None))
        assert session.execute(endless) == ("id", "id")
        assert len(session.fetch(100)) == 6
        session.finish(complete=True)
    except QueryError as error:  # pragma: no cover
        pytest.fail(str(error))
    finally:
        session.close()
