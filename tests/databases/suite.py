"""The tests that every engine passes; one class per engine in `test_engines.py` says how to reach it.

Each engine makes the same small shop from the same statements, in a database of its own.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from fathom.config import Settings
from fathom.databases import Database, connect
from fathom.databases.alarms import THREAD_NAME
from fathom.errors import DatabaseError, ErrorClass, QueryFailed, QueryRefused, QueryTimedOut, SchemaError
from fathom.records import ForeignKey, Limits
from tests.databases.makers import Make

SHOP = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, city VARCHAR(40))",
    "CREATE TABLE product (code VARCHAR(8) PRIMARY KEY, price DECIMAL(8, 2), weight DOUBLE PRECISION, "
    "on_sale BOOLEAN, added DATE)",
    "CREATE TABLE sale (customer_id INTEGER NOT NULL REFERENCES customer (id), "
    "code VARCHAR(8) NOT NULL REFERENCES product (code), day DATE, quantity INTEGER, "
    "PRIMARY KEY (customer_id, code, day), FOREIGN KEY (customer_id) REFERENCES customer (id), "
    "FOREIGN KEY (code) REFERENCES product (code))",
    "CREATE VIEW town AS SELECT DISTINCT city FROM customer",
    "INSERT INTO customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', 'Göteborg'), (3, 'Cy', NULL)",
    "INSERT INTO product VALUES ('A1', 9.50, 1.5, true, '2024-02-29'), ('B2', 100, 0.25, false, NULL)",
    "INSERT INTO sale VALUES (1, 'A1', '2024-03-01', 2), (2, 'A1', '2024-03-02', 1)",
    "INSERT INTO sale VALUES (2, 'B2', '2024-03-02', 5)",
)
SLOW = "SELECT count(*) FROM numbers a, numbers b, numbers c WHERE (a.id * b.id + c.id) % 7 = 3"
MANY = "SELECT a.id, b.id FROM numbers a CROSS JOIN numbers b"
NUMBERS = tuple(
    "INSERT INTO numbers VALUES " + ", ".join(f"({i}, 'text {i}')" for i in range(first, first + 500))
    for first in range(0, 3000, 500)
)

CANCELLED_WITHIN = 3.0
"""Seconds from a stop until whoever waited is let go, on every engine."""


def _settings_of(database: Database) -> Settings:
    assert database._cache is not None
    return Settings(file=database._cache / "none.toml", cache=database._cache)


class EngineSuite(ABC):
    """What holds on every engine."""

    dialect: ClassVar[str]
    slow: ClassVar[str] = SLOW
    half_way_seconds: ClassVar[float] = 1.0
    """By when the engine surely gives the first of many rows."""
    gaps: ClassVar[Mapping[str, str]] = {}
    """What the engine's stand-in can't do, with its fault that is to blame; a test named here is skipped."""

    @pytest.fixture(autouse=True)
    def _without_gaps(self, request: pytest.FixtureRequest) -> None:
        name = request.node.originalname
        if name in self.gaps:
            pytest.skip(self.gaps[name])

    @staticmethod
    @abstractmethod
    def databases(folder: Path) -> AbstractContextManager[Make]:
        """Gives a way to make databases, and drops them in the end."""

    @pytest.fixture(scope="class")
    @classmethod
    def make(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
        """Makes a database of statements; it is dropped in the end."""
        with cls.databases(tmp_path_factory.mktemp(cls.dialect)) as make:
            yield make

    @pytest.fixture(scope="class")
    @classmethod
    def shop(cls, make: Make) -> Database:
        return make(*SHOP, "CREATE TABLE numbers (id INTEGER, label VARCHAR(20))", *NUMBERS)

    def test_gives_rows_as_the_driver_does(self, shop: Database) -> None:
        result = shop.run("SELECT id, name FROM customer ORDER BY id")
        assert shop.dialect == self.dialect
        assert result.columns == ("id", "name")
        assert result.rows == ((1, "Ann"), (2, "Bo"), (3, "Cy"))
        assert result.truncated is None
        assert result.seconds > 0

    def test_describes_tables_and_keys(self, shop: Database) -> None:
        schema, gaps = shop.schema, {**shop.gaps, **self.gaps}
        assert {t.name for t in schema.tables} == {"customer", "product", "sale", "numbers", "town"}
        assert [c.kind for c in schema.table("customer").columns] == ["integer", "text", "text"]
        kinds = [c.kind for c in schema.table("product").columns]
        assert kinds == ["text", "number", "number", "boolean", "date"]
        assert schema.table("sale").primary_key == (() if "keys" in gaps else ("customer_id", "code", "day"))
        assert "not_null" in shop.gaps or not schema.table("customer").column("NAME").nullable
        assert "row counts" in gaps or schema.table("sale").row_count == 3
        assert schema.table("town").is_view
        assert schema.table("town").row_count is None
        assert {"keys", "foreign keys"} & gaps.keys() or set(schema.foreign_keys) == {
            ForeignKey("sale", ("customer_id",), "customer", ("id",)),
            ForeignKey("sale", ("code",), "product", ("code",)),
        }

    @pytest.mark.parametrize(
        "sql",
        [
            "DELETE FROM customer",
            "UPDATE customer SET city = 'x'",
            "DROP TABLE sale",
            "CREATE TABLE other (a INTEGER)",
            "SELECT 1; DELETE FROM customer",
            "",
            "-- nothing",
            "SELECT '\ud800'",
        ],
    )
    def test_refuses_what_is_not_one_reading_statement(self, shop: Database, sql: str) -> None:
        with pytest.raises(QueryRefused):
            shop.run(sql)
        assert shop.run("SELECT count(*) FROM customer").rows == ((3,),)

    @pytest.mark.parametrize(
        ("sql", "expected"),
        [
            ("SELECT nope FROM customer", ErrorClass.NO_SUCH_NAME),
            ("SELECT customer.nope FROM customer", ErrorClass.NO_SUCH_NAME),
            ("SELECT id FROM customers", ErrorClass.NO_SUCH_NAME),
            ("SELECT frobnicate(id) FROM customer", ErrorClass.NO_SUCH_FUNCTION),
            ("SELECT id FROM customer WHERE", ErrorClass.SYNTAX),
        ],
    )
    def test_says_why_a_query_failed(self, shop: Database, sql: str, expected: ErrorClass) -> None:
        with pytest.raises((QueryFailed, QueryRefused)) as caught:
            shop.run(sql)
        assert caught.value.error_class is expected
        assert caught.value.message

    def test_stops_at_the_time_limit(self, shop: Database) -> None:
        started = time.monotonic()
        with pytest.raises(QueryTimedOut):
            shop.run(self.slow, Limits(seconds=0.3))
        assert time.monotonic() - started < 15
        assert shop.run("SELECT 1", Limits(seconds=200)).rows == ((1,),)

    def test_cuts_at_the_row_limit_and_says_so(self, shop: Database) -> None:
        result = shop.run("SELECT id FROM numbers ORDER BY id", Limits(rows=7))
        assert result.rows == tuple((i,) for i in range(7))
        assert result.truncated == "rows"
        assert shop.run("SELECT id FROM numbers", Limits(rows=3000)).truncated is None
        assert shop.run("SELECT id FROM numbers", Limits(rows=0)).rows == ()

    def test_cuts_at_the_byte_limit_and_says_so(self, shop: Database) -> None:
        result = shop.run("SELECT label FROM numbers", Limits(bytes=2_000))
        assert result.truncated == "bytes"
        assert 0 < len(result.rows) < 400

    def test_streams_in_batches(self, shop: Database) -> None:
        with shop.stream(MANY, Limits(rows=10_000)) as stream:
            sizes = [len(batch) for batch in stream]
        assert sum(sizes) == 10_000
        assert max(sizes) < 5_000
        assert stream.truncated == "rows"

    def test_goes_on_after_a_stream_left_half_way(self, shop: Database) -> None:
        with shop.stream(MANY) as stream:
            next(iter(stream))
        assert shop.run("SELECT 1", Limits(seconds=200)).rows == ((1,),)

    def test_a_database_closed_half_way_is_left_alone_by_the_clock(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        raised: list[object] = []
        monkeypatch.setattr(threading, "excepthook", raised.append)
        database = make("CREATE TABLE numbers (id INTEGER, label VARCHAR(20))", *NUMBERS)
        stream = database.stream(MANY, Limits(seconds=self.half_way_seconds))
        next(iter(stream))
        database.close()
        while alarms := [t for t in threading.enumerate() if t.name == THREAD_NAME]:
            alarms[0].join(60)
            assert not alarms[0].is_alive()
        stream.close()
        assert not raised

    def test_scans_a_table(self, shop: Database) -> None:
        rows = [row for batch in shop.scan("Customer", ["NAME", "city"]) for row in batch]
        assert sorted(rows, key=lambda r: str(r[0])) == [("Ann", "Oslo"), ("Bo", "Göteborg"), ("Cy", None)]
        with pytest.raises(SchemaError, match="Did you mean 'customer'"):
            next(shop.scan("custmer"))

    def test_profiles_columns(self, shop: Database) -> None:
        profile = shop.profile()["customer"].columns
        assert profile["id"].minimum == 1
        assert profile["id"].maximum == 3
        assert profile["id"].distinct == 3
        assert profile["id"].exact
        assert profile["city"].null_share == pytest.approx(1 / 3)
        assert set(profile["city"].samples) == {"Oslo", "Göteborg"}
        code = shop.profile()["sale"].columns["code"]
        assert code.common == (("A1", 2), ("B2", 1))
        assert code.format == "code"
        assert shop.profile()["town"].columns["city"].rows_seen == 3

    def test_keeps_its_profile_on_disk(self, make: Make, shop: Database) -> None:
        first = shop.profile()
        with connect(shop.url, settings=_settings_of(shop)) as again:
            assert again.profile() == first
            assert again.fingerprint == shop.fingerprint

    def test_infers_joins_where_none_are_declared(self, make: Make) -> None:
        database = make(
            "CREATE TABLE genes (gene_id INTEGER, symbol VARCHAR(10))",
            "CREATE TABLE variant (variant_id INTEGER, gene_id INTEGER, note VARCHAR(10))",
            "INSERT INTO genes VALUES (101, 'APOE'), (102, 'TREM2'), (103, 'APP')",
            "INSERT INTO variant VALUES (1, 101, 'a'), (2, 101, 'b'), (3, 103, 'c')",
        )
        (join,) = database.schema.foreign_keys
        assert (join.table, join.columns, join.target_table) == ("variant", ("gene_id",), "genes")
        assert join.inferred
        assert 0.5 <= join.confidence <= 1

    def test_copes_with_odd_names(self, make: Make) -> None:
        quote = "`" if self.dialect in {"mysql", "spark", "bigquery"} else '"'
        names = [n.replace("'", quote) for n in ("'order'", "'two words'", "'größe'", "'it''s'", "'a.b%c'")]
        columns = ", ".join(f"{n} INTEGER" for n in names)
        called = "two_words" if "odd_table_names" in make().gaps else "two words"
        quoted = f"{quote}{called}{quote}"
        database = make(f"CREATE TABLE {quoted} ({columns})", f"INSERT INTO {quoted} VALUES (1, 2, 3, 4, 5)")
        (table,) = database.schema.tables
        assert [c.name for c in table.columns] == ["order", "two words", "größe", f"it{quote}s", "a.b%c"]
        assert list(database.scan(called)) == [[(1, 2, 3, 4, 5)]]
        assert database.run(f"SELECT 7 % 4 AS {names[4]}, '100%s' AS x").rows == ((3, "100%s"),)
        assert database.profile()[called].columns["a.b%c"].minimum == 5

    def test_describes_empty_and_no_tables(self, make: Make) -> None:
        assert make().schema.tables == ()
        empty = make("CREATE TABLE hollow (a INTEGER)")
        assert "row counts" in self.gaps or empty.schema.table("hollow").row_count == 0
        assert empty.profile()["hollow"].columns["a"].null_share == 0
        assert empty.run("SELECT a FROM hollow").rows == ()

    def test_comments_where_the_engine_keeps_them(self, make: Make) -> None:
        if why := {**make().gaps, **self.gaps}.get("comments"):
            pytest.skip(why)
        statements = {
            dialect: ["CREATE TABLE t (a INTEGER COMMENT 'of a') COMMENT 'of t'"]
            for dialect in ("mysql", "spark")
        }.get(
            self.dialect,
            ["CREATE TABLE t (a INTEGER)", "COMMENT ON TABLE t IS 'of t'", "COMMENT ON COLUMN t.a IS 'of a'"],
        )
        table = make(*statements).schema.table("t")
        assert (table.comment, table.column("a").comment) == ("of t", "of a")

    def test_one_giant_value_is_not_kept(self, shop: Database) -> None:
        limits = Limits(bytes=5_000)
        sql = "SELECT replace(label, 't', {0}) FROM numbers WHERE id = 7"  # larger ones the guard refuses
        try:
            result = shop.run(sql.format("'" + 10_000 * "x" + "'"), limits)
        except QueryFailed:
            assert self.dialect == "sqlite"  # which refuses to make a value beyond the limit
        else:
            assert result.truncated == "bytes"
            assert result.rows == ()

    def test_a_closed_database_says_so(self, make: Make) -> None:
        database = make()
        database.close()
        with pytest.raises(DatabaseError, match="closed"):
            database.run("SELECT 1")

    def test_several_threads_share_it(self, shop: Database) -> None:
        start = threading.Barrier(8)

        def count(number: int) -> object:
            start.wait()
            return [
                shop.run(f"SELECT count(*) FROM numbers WHERE id < {number}").rows[0][0] for _ in range(5)
            ]

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(count, range(8))) == [[n] * 5 for n in range(8)]
