import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from filelock import FileLock

from fathom.databases import connect
from fathom.errors import ConfigError
from fathom.retrieval import ValueIndex, index_files, store
from fathom.rights.grants import ColumnRule, Grant, Granted
from fathom.watch import Event, watching
from tests.command import Fathom
from tests.databases import makers
from tests.disks import fill, small_disk

LAYOUT = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, born DATE, height REAL);
CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR(40), mayor INTEGER REFERENCES person);
CREATE VIEW tall AS SELECT name FROM person WHERE height > 2;
INSERT INTO person VALUES (1, 'Ada Lovelace', '10 December 1815', 1.65), (2, 'Alan Turing', NULL, 'unknown');
INSERT INTO city VALUES (1, 'Zürich', 1), (2, 'Zürich', 2), (3, 'Ulm', NULL);
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.sqlite"
    _change(path, LAYOUT)
    return path


def _change(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


@pytest.fixture
def indexed(file: Path, tmp_path: Path) -> Callable[..., tuple[ValueIndex, list[str]]]:
    """Opens the index as a new process would; with the tables that were indexed for it."""

    def open_(**options: bool) -> tuple[ValueIndex, list[str]]:
        seen: list[str] = []
        with connect(file) as database:
            index = ValueIndex.open_or_build(
                database, tmp_path / "cache", progress=lambda table, *_: seen.append(table), **options
            )
        return index, seen

    return open_


Open = Callable[..., tuple[ValueIndex, list[str]]]


def _names(index: ValueIndex, phrase: str) -> list[str]:
    return [m.value for m in index.lookup(phrase)]


def test_text_of_every_column_is_indexed_with_its_count(indexed: Open) -> None:
    index, seen = indexed()
    assert sorted(seen) == ["city", "person"]
    (match,) = index.lookup("zurich")
    assert (match.table, match.column, match.value, match.count) == ("city", "name", "Zürich", 2)
    assert _names(index, "december 1815") == ["10 December 1815"]
    assert _names(index, "unknown") == ["unknown"]
    assert "tall" not in {c.table for c in index.columns}


def test_an_index_that_is_up_to_date_is_not_built_again(indexed: Open) -> None:
    indexed()
    index, seen = indexed()
    assert seen == []
    assert _names(index, "ulm") == ["Ulm"]
    assert sorted(indexed(rebuild=True)[1]) == ["city", "person"]


@pytest.mark.parametrize(
    ("change", "phrase", "found"),
    [
        ("INSERT INTO city VALUES (4, 'Bern', 1)", "bern", ["Bern"]),
        ("UPDATE city SET name = 'Ulmen' WHERE id = 3", "ulmen", ["Ulmen"]),
        ("DELETE FROM city WHERE id = 3", "ulm", []),
        ("ALTER TABLE city ADD COLUMN motto TEXT DEFAULT 'festina lente'", "festina", ["festina lente"]),
        ("ALTER TABLE city RENAME COLUMN name TO title", "ulm", ["Ulm"]),
    ],
)
def test_only_changed_tables_are_indexed_again(
    indexed: Open, file: Path, change: str, phrase: str, found: list[str]
) -> None:
    _change(file, "INSERT INTO person (name) VALUES ('Emmy Noether'), ('Kurt Gödel'), ('Sofja Kowalewskaja')")
    indexed()
    _change(file, change)
    index, seen = indexed()
    assert seen == ["city"]
    assert _names(index, phrase) == found
    assert _names(index, "turing") == ["Alan Turing"]


def test_a_dropped_table_is_forgotten(indexed: Open, file: Path) -> None:
    indexed()
    _change(file, "DROP TABLE city; CREATE TABLE river (name TEXT); INSERT INTO river VALUES ('Aare')")
    index, seen = indexed()
    assert "river" in seen
    assert _names(index, "aare") == ["Aare"]
    assert _names(index, "ulm") == []


def test_a_change_that_keeps_the_data_only_updates_the_mark(indexed: Open, file: Path) -> None:
    indexed()
    _change(file, "CREATE INDEX by_name ON city (name)")
    assert indexed()[1] == []


def test_what_is_there_can_be_taken_as_it_is(indexed: Open, file: Path) -> None:
    indexed()
    _change(file, "INSERT INTO city VALUES (4, 'Bern', 1)")
    index, seen = indexed(refresh=False)
    assert (seen, _names(index, "bern")) == ([], [])


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b"",
        lambda b: b"no database at all" * 100,
        lambda b: b[: len(b) // 2],
        lambda b: b[:100] + b"\xff" * (len(b) - 100),
        lambda b: b[:60] + b"\x00\x00\x00\x63" + b[64:],
    ],
    ids=["empty", "another file", "cut", "overwritten", "another version"],
)
def test_a_damaged_index_is_built_anew(
    indexed: Open, file: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    indexed()
    (kept,) = (tmp_path / "cache").rglob("*.sqlite")
    kept.write_bytes(damage(kept.read_bytes()))
    index, seen = indexed()
    assert sorted(seen) == ["city", "person"]
    assert _names(index, "ulm") == ["Ulm"]


def test_an_index_damaged_inside_is_rebuilt_for_a_change(indexed: Open, file: Path, tmp_path: Path) -> None:
    indexed()
    (kept,) = (tmp_path / "cache").rglob("*.sqlite")
    content = kept.read_bytes()
    kept.write_bytes(content[:8192] + b"\x07" * (len(content) - 8192))
    _change(file, "INSERT INTO city VALUES (4, 'Bern', 1)")
    assert _names(indexed()[0], "bern") == ["Bern"]


def test_a_reader_keeps_what_it_opened(indexed: Open, file: Path) -> None:
    before, _ = indexed()
    _change(file, "DELETE FROM city")
    after, _ = indexed()
    assert (_names(before, "ulm"), _names(after, "ulm")) == (["Ulm"], [])


def test_a_folder_that_cannot_be_written_to_is_told(
    file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    with connect(file) as database:
        with pytest.raises(ConfigError, match="FATHOM_CACHE"):
            ValueIndex.open_or_build(database, blocked, must_be_kept=True)
        with ValueIndex.open_or_build(database, blocked) as index:
            assert _names(index, "ulm") == ["Ulm"]
    (told,) = caplog.records
    assert "It is made in memory, for this time only. Set FATHOM_CACHE" in told.getMessage()


def test_a_full_disk_is_told_and_the_question_answered(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fathom: Fathom,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        fill(disk)
        monkeypatch.setenv("FATHOM_CACHE", str(disk))
        given = fathom("ask", file, "How many cities are called Ulm?", "--json")
        assert "Ulm" in json.loads(given.out)["sql"]
        (told,) = caplog.records
        assert "database or disk is full. It is made in memory" in told.getMessage()
        kept = fathom("index", file)
        assert kept.code == 1
        assert "can't be kept in" in kept.err
        assert not [f for f in disk.rglob("*") if f.suffix == ".draft"]


def test_without_a_folder_the_index_is_in_memory(file: Path) -> None:
    with connect(file) as database, ValueIndex.open_or_build(database, None) as index:
        assert _names(index, "ulm") == ["Ulm"]


def test_an_empty_database_has_an_empty_index(tmp_path: Path) -> None:
    _change(tmp_path / "empty.sqlite", "CREATE TABLE nil (name TEXT)")
    with connect(tmp_path / "empty.sqlite") as database:
        for _ in range(2):
            with ValueIndex.open_or_build(database, tmp_path) as index:
                assert index.mentions("anything here?") == []


def _open_in_process(file: Path, cache: Path) -> int:
    with connect(file) as database, ValueIndex.open_or_build(database, cache) as index:
        return len(index.lookup("zurich"))


def test_processes_may_build_at_once(file: Path, tmp_path: Path) -> None:
    with get_context("spawn").Pool(3) as pool:
        assert pool.starmap(_open_in_process, [(file, tmp_path / "cache")] * 6) == [1] * 6
    assert not list((tmp_path / "cache").rglob("*.draft"))


@pytest.fixture
def held(indexed: Open, tmp_path: Path) -> Iterator[FileLock]:
    """The lock of an index, held as by a process that is building it."""
    indexed()[0].close()
    (file,) = (tmp_path / "cache").rglob("*.lock")
    with FileLock(file, thread_local=False) as lock:
        yield lock


def test_who_waits_for_another_process_is_told(
    held: FileLock, indexed: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(indexed, rebuild=True)
        until = time.monotonic() + 10
        while "Waiting for another process" not in caplog.text and time.monotonic() < until:
            time.sleep(0.01)
        assert not waiting.done()
        held.release()
        index, seen = waiting.result(timeout=10)
    assert sorted(seen) == ["city", "person"]
    assert len(caplog.records) == 1
    index.close()


def test_nobody_waits_for_ever(held: FileLock, indexed: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LONGEST_WAIT", 0.2)
    with pytest.raises(ConfigError, match=r"another process has been at it .* Set FATHOM_CACHE"):
        indexed(rebuild=True, must_be_kept=True)


def test_a_lock_that_cannot_be_had_is_said(indexed: Open, tmp_path: Path) -> None:
    indexed()[0].close()
    (file,) = (tmp_path / "cache").rglob("*.lock")
    file.unlink()
    file.mkdir()
    with pytest.raises(ConfigError, match="Is a directory"):
        indexed(rebuild=True, must_be_kept=True)


@pytest.mark.parametrize("content", [b"", b"\x00\x07junk" * 900, b"SQLite format 3\x00"])
def test_what_is_in_the_file_of_a_lock_doesn_t_matter(
    indexed: Open, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    indexed()[0].close()
    (file,) = (tmp_path / "cache").rglob("*.lock")
    file.write_bytes(content)
    index, seen = indexed(rebuild=True, must_be_kept=True)
    assert sorted(seen) == ["city", "person"]
    assert caplog.records == []
    index.close()


@pytest.mark.parametrize(
    ("databases", "mood"),
    [
        (makers.sqlite_databases, "VARCHAR(9)"),
        (makers.duckdb_databases, "ENUM ('calm', 'merry')"),
        (makers.postgres_databases, "mood"),
        (makers.mysql_databases, "ENUM ('calm', 'merry')"),
    ],
    ids=["sqlite", "duckdb", "postgres", "mysql"],
)
def test_every_engine_is_read_alike(
    tmp_path: Path, databases: Callable[[Path], AbstractContextManager[makers.Make]], mood: str
) -> None:
    layout = f"CREATE TABLE person (name VARCHAR(40), mood {mood}, age INTEGER, note TEXT)"
    types = ["CREATE TYPE mood AS ENUM ('calm', 'merry')"] if mood == "mood" else []
    rows = "('Ada Lovelace', 'merry', 36, 'née Byron'), ('Ada Lovelace', NULL, 1, NULL)"
    with databases(tmp_path) as make:
        database = make(*types, layout, f"INSERT INTO person VALUES {rows}")
        for _ in range(2):
            with ValueIndex.open_or_build(database, tmp_path / "cache") as index:
                assert [(m.value, m.count) for m in index.lookup("lovelace")] == [("Ada Lovelace", 2)]
                assert [(m.column, m.value) for m in index.lookup("merry")] == [("mood", "merry")]
                assert _names(index, "nee byron") == ["née Byron"]


def test_how_far_it_is_and_how_long_it_takes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_files, "_WORTH_TELLING", 0.0)
    monkeypatch.setattr(index_files, "_BETWEEN_TELLING", 100)
    file = tmp_path / "many.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE person (name TEXT, town TEXT)")
        made.executemany("INSERT INTO person VALUES (?, ?)", [(f"name {n}", "Bern") for n in range(1_000)])
        made.commit()
    heard: list[Event] = []
    with connect(file) as database, watching(heard.append, "link"):
        ValueIndex.open_or_build(database, None).close()
    told = [e.text for e in heard if e.state == "going on"]
    assert told[0] == "indexing the values of person"
    assert any(re.fullmatch(r"indexing the values of person, 5% of all, about \d+ s left", t) for t in told)
    assert re.search(r"50% of all", told[-1])


def test_without_leave_to_read_values_only_a_kept_index_is_used(tmp_path: Path) -> None:
    file, cache = tmp_path / "pets.sqlite", tmp_path / "cache"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE pet (name TEXT)")
        made.execute("INSERT INTO pet VALUES ('Rex')")
        made.commit()
    with connect(file, index=False) as database, ValueIndex.open_or_build(database, cache) as index:
        assert _names(index, "rex") == []
        assert not cache.exists()
    with connect(file) as database:
        ValueIndex.open_or_build(database, cache).close()
    with connect(file, index=False) as database, ValueIndex.open_or_build(database, cache) as index:
        assert _names(index, "rex") == ["Rex"]


BIG = """
CREATE TABLE visit (id INTEGER PRIMARY KEY, city TEXT, patient TEXT, notes TEXT);
INSERT INTO visit WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 60000)
SELECT i, CASE i % 3 WHEN 0 THEN 'Zürich' WHEN 1 THEN 'Ulm' ELSE 'Bern' END, 'P' || i, NULL FROM r;
"""


def test_a_table_that_is_dear_to_read_is_indexed_by_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_files, "DEAR_ROWS", 50_000)
    monkeypatch.setattr(index_files, "SAMPLED_ROWS", 2_000)
    file, heard = tmp_path / "big.sqlite", list[Event]()
    _change(file, BIG)
    with connect(file) as database, watching(heard.append, "ask"):
        with ValueIndex.open_or_build(database, tmp_path / "cache") as index:
            held = {c.column: c.values for c in index.columns}
            cities = {m.value: m.count for m in index.lookup("Zürich Ulm Bern")}
        scanned: list[str] = []
        monkeypatch.setattr(database, "stream", lambda sql, *_, **__: scanned.append(sql))
        monkeypatch.setattr(database, "run", lambda sql, *_, **__: scanned.append(sql))
        ValueIndex.open_or_build(database, tmp_path / "cache", rebuild=True).close()
    assert held["city"] == 3
    assert 1_500 < held["patient"] <= 2_001
    assert all(18_000 < count < 22_000 for count in cities.values())  # of the whole table
    assert set(cities) == {"Zürich", "Ulm", "Bern"}
    assert scanned == []
    assert any("a sample of the 60,000 rows of visit" in event.text for event in heard)


ALL = (("ann",), ("*",), ("*",))


def test_the_engine_s_statistics_tell_values_that_no_sample_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_files, "DEAR_ROWS", 100)
    monkeypatch.setattr(index_files, "SAMPLED_ROWS", 0)
    with makers.postgres_databases(tmp_path) as make:
        database = make(
            "CREATE TABLE visit (id INTEGER, city TEXT, patient TEXT)",
            "INSERT INTO visit SELECT i, CASE i % 3 WHEN 0 THEN 'Zürich' ELSE 'Ulm' END, 'P' || i "
            "FROM generate_series(1, 3000) r(i)",
            "ANALYZE visit",
        )
        with ValueIndex.open_or_build(database, None) as index:
            assert [(m.value, round(m.count, -2)) for m in index.lookup("Zürich")] == [("Zürich", 1000)]
            assert index.lookup("P17") == []
        some = database.restricted(Granted("ann", (Grant(*ALL, rows={"visit": "city = 'Ulm'"}),)))
        assert some.common_texts(database.schema.table("visit")) == {}
        hidden = database.restricted(
            Granted("ben", (Grant(*ALL, columns={"visit": ColumnRule(deny=("city",))}),))
        )
        assert hidden.common_texts(hidden.schema.table("visit")) == {}
        assert set(database.common_texts(database.schema.table("visit"))["city"]) == {"Zürich", "Ulm"}
