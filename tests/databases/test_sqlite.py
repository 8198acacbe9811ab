"""What only SQLite does: untyped and dirty schemas, text in any encoding, FTS, WAL."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fathom.config import Settings
from fathom.databases import Database, connect
from fathom.errors import QueryFailed, QueryRefused, QueryTimedOut
from fathom.records import ForeignKey, Limits

Open = Callable[..., Database]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "config.toml", tmp_path / "cache")


@pytest.fixture
def opened(tmp_path: Path, settings: Settings) -> Open:
    def make(*statements: str) -> Database:
        with sqlite3.connect(tmp_path / "db.sqlite") as writer:
            for statement in statements:
                writer.execute(statement)
        writer.close()
        return connect(tmp_path / "db.sqlite", settings=settings)

    return make


def test_text_that_is_not_utf8_survives(opened: Open) -> None:
    rows = "INSERT INTO t VALUES (1, 'plain'), (2, CAST(x'4dfc6e6368656e' AS TEXT)), (3, CAST(x'81' AS TEXT))"
    with opened("CREATE TABLE t (id INTEGER, name TEXT)", rows) as database:
        expected = ((1, "plain"), (2, "München"), (3, "\x81"))
        assert database.run("SELECT * FROM t ORDER BY id").rows == expected
        assert [tuple(r) for batch in database.scan("t") for r in batch] == list(expected)
        assert "München" in database.profile()["t"].columns["name"].samples


def test_a_dirty_schema_is_described(opened: Open) -> None:
    database = opened(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, missing INTEGER REFERENCES nowhere (id), b REFERENCES B)",
        "CREATE TABLE b (id INTEGER PRIMARY KEY, nocolumn INTEGER REFERENCES a (zilch), "
        "UNIQUE (id, nocolumn))",
        'CREATE TABLE untyped (n, t, mixed, unknown, "" TEXT)',
        "INSERT INTO untyped VALUES (1, 'x', 1, NULL, ''), (2.5, 'y', 'z', NULL, '')",
        "CREATE TABLE made (a INTEGER, twice INTEGER AS (a * 2), PRIMARY KEY (a)) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE notes USING fts5 (body)",
        "INSERT INTO notes VALUES ('the quick fox')",
        "CREATE VIEW broken AS SELECT * FROM made",
        "CREATE VIEW fine AS SELECT a + 1 AS b FROM made",
        "CREATE TABLE gone (a)",
        "CREATE VIEW broken_too AS SELECT a FROM gone",
        "DROP TABLE gone",
    )
    with database:
        schema = database.schema
        assert {t.name for t in schema.tables} == {"a", "b", "untyped", "made", "notes", "broken", "fine"}
        assert [k for k in schema.foreign_keys if not k.inferred] == [ForeignKey("a", ("b",), "b", ("id",))]
        assert [c.kind for c in schema.table("untyped").columns] == [
            "number",
            "text",
            "text",
            "other",
            "text",
        ]
        assert [c.name for c in schema.table("made").columns] == ["a", "twice"]
        assert schema.table("b").unique == (("id", "nocolumn"),)
        assert set(database.profile()) == {t.name for t in schema.tables}
        assert database.run("SELECT body FROM notes WHERE notes MATCH 'fox'").rows == (("the quick fox",),)


def test_pragma_functions_may_be_asked_again_but_no_statement(opened: Open) -> None:
    with opened("CREATE TABLE t (a)") as database:
        for _ in range(3):
            assert database.run("SELECT name FROM pragma_table_info('t')").rows == (("a",),)
            with pytest.raises(QueryRefused):
                database.run("PRAGMA table_info(t)")


def test_big_tables_are_sampled_evenly(opened: Open) -> None:
    many = "INSERT INTO big WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 120000)"
    with opened("CREATE TABLE big (id INTEGER, k INTEGER)", f"{many} SELECT n, n % 7 FROM r") as database:
        profile = database.profile()["big"]
        assert profile.row_count == 120_000
        column = profile.columns["id"]
        assert not column.exact
        assert 15_000 < column.rows_seen <= 20_000
        assert column.minimum == 1
        assert isinstance(column.maximum, int)
        assert column.maximum > 119_000
        assert profile.columns["k"].distinct == 7


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1, "kept": {"t": {"columns": 3}}}'])
def test_a_damaged_cache_is_made_anew(opened: Open, settings: Settings, content: str) -> None:
    with opened("CREATE TABLE t (id INTEGER)", "INSERT INTO t VALUES (5)") as database:
        first = database.profile()
    (file,) = (settings.cache / "profiles").iterdir()
    file.write_text(content, encoding="utf-8")
    with connect(database.url, settings=settings) as again:
        assert again.profile() == first
    assert len(file.read_text(encoding="utf-8")) > 100


def test_changed_data_are_profiled_anew(opened: Open) -> None:
    with opened("CREATE TABLE t (id INTEGER)", "INSERT INTO t VALUES (5)") as database:
        assert database.profile()["t"].columns["id"].maximum == 5
    with opened("UPDATE t SET id = 6") as database:
        assert database.profile()["t"].columns["id"].maximum == 6


def test_a_wal_database_is_read_and_left_alone(opened: Open, tmp_path: Path) -> None:
    with opened(
        "PRAGMA journal_mode = wal", "CREATE TABLE t (id INTEGER)", "INSERT INTO t VALUES (5)"
    ) as database:
        content = (tmp_path / "db.sqlite").read_bytes()
        assert database.run("SELECT * FROM t").rows == ((5,),)
    assert (tmp_path / "db.sqlite").read_bytes() == content


def test_an_endless_recursion_and_a_giant_value_are_stopped(opened: Open) -> None:
    with opened("CREATE TABLE t (id INTEGER)") as database:
        endless = "WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT i FROM r"
        assert database.run(endless, Limits(rows=5)).rows == tuple((i,) for i in range(1, 6))
        assert database.run(endless, Limits(rows=None, bytes=10_000)).truncated == "bytes"


def test_few_steps_on_giant_values_are_stopped_in_time(opened: Open) -> None:
    # Each row takes a handful of steps, far fewer than pass between two looks at the clock.
    heavy = (
        "WITH RECURSIVE r (n, t) AS (SELECT 1, '0123456789' UNION ALL"
        " SELECT n + 1, CASE WHEN n < 20 THEN t || t ELSE t END FROM r WHERE n < 600)"
        " SELECT sum(length(hex(t))) FROM r"
    )
    with opened("CREATE TABLE t (id INTEGER)") as database:
        with pytest.raises(QueryTimedOut):
            database.run(heavy, Limits(seconds=0.05))
        assert database.run("SELECT 1").rows == ((1,),)


def test_a_row_of_giant_values_is_refused_memory(opened: Open) -> None:
    giants = ", ".join(["hex(hex(t))"] * 30)
    with opened("CREATE TABLE t (t)", "INSERT INTO t VALUES (zeroblob(15000000))") as database:
        with pytest.raises(QueryFailed, match="memory"):
            database.run(f"SELECT {giants} FROM t", Limits(seconds=300))
        assert database.run("SELECT 1").rows == ((1,),)


def test_what_builds_values_is_measured_before_it_runs(opened: Open) -> None:
    with opened("CREATE TABLE t (id INTEGER)", "CREATE VIEW v AS SELECT printf('%03d', 5) AS n") as database:
        for _ in range(2):
            with pytest.raises(QueryRefused) as refused:
                database.run("SELECT printf('%.2000000000c', 'x')")
            assert refused.value.rule == "size"
            assert database.run("SELECT printf('%.2f %5d', 1.234, 7)").rows == (("1.23     7",),)
            assert database.run("SELECT n FROM v").rows == (("005",),)


def test_a_byte_order_mark_hides_no_vacuum(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE a (b)")
    with connect(str(path)) as database, pytest.raises(QueryRefused) as refused:
        database.run("\ufeffEXPLAIN VACUUM INTO 'b.db'")
    assert refused.value.rule == "write"
