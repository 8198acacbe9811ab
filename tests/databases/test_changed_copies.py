import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fathom.databases import Database, connect
from fathom.databases.changed_copies import changed_copies
from fathom.databases.copies import WorkingCopy
from fathom.errors import DatabaseError

SHOP = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), buyer TEXT, amount REAL);
CREATE TABLE note (text TEXT);
CREATE TABLE visit (city_id INTEGER, day TEXT, PRIMARY KEY (city_id, day));
CREATE VIEW big AS SELECT * FROM sale WHERE amount > 50;
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(file)) as made, made:
        made.executescript(SHOP)
        made.executemany("INSERT INTO city VALUES (?, ?)", [(i, f"city {i}") for i in range(1, 8)])
        sales = [(i, i % 7 + 1, f"buyer {i}", float(i)) for i in range(1, 101)]
        made.executemany("INSERT INTO sale VALUES (?, ?, ?, ?)", sales)
        made.executemany("INSERT INTO note VALUES (?)", [(f"note {i}",) for i in range(1, 31)])
        made.executemany("INSERT INTO visit VALUES (?, ?)", [(i % 7 + 1, f"day {i}") for i in range(30)])
    with connect(file) as database:
        yield database


def values(file: Path, *queries: str) -> list[Any]:
    with connect(file) as database:
        return [database.run(sql).rows[0][0] for sql in queries]


COUNT, EMPTY = "SELECT COUNT(*) FROM sale", "SELECT COUNT(*) - COUNT(amount) FROM sale"
ORPHANS = "SELECT COUNT(*) FROM sale WHERE city_id NOT IN (SELECT id FROM city)"
KEYLESS = "SELECT COUNT(*) FROM sale WHERE city_id IS NULL"


def test_one_copy_has_fewer_rows_and_the_other_more_and_empty_values(shop: Database, tmp_path: Path) -> None:
    dropped, repeated = changed_copies(shop, tmp_path / "copies")
    fewer, empty, orphans = values(dropped, COUNT, EMPTY, ORPHANS)
    assert 20 < fewer < 90
    assert (empty, orphans) == (0, 0)
    more, empty, orphans, keyless, names = values(
        repeated, COUNT, EMPTY, ORPHANS, KEYLESS, "SELECT COUNT(*) - COUNT(name) FROM city"
    )
    assert 110 < more < 130
    assert empty >= 10
    assert (orphans, keyless, names) == (0, 0, 0)
    assert values(repeated, "SELECT COUNT(*) - COUNT(DISTINCT text) > 3 FROM note") == [1]
    assert values(repeated, "SELECT COUNT(*) FROM visit") == [30]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT COUNT(*) FROM sale", "SELECT COUNT(amount) FROM sale"),
        ("SELECT text FROM note", "SELECT DISTINCT text FROM note"),
        ("SELECT MAX(amount) FROM sale", "SELECT 100.0"),
    ],
)
def test_what_is_equal_by_luck_parts_on_a_copy(shop: Database, tmp_path: Path, left: str, right: str) -> None:
    def differ(database: Database) -> bool:
        return sorted(map(repr, database.run(left).rows)) != sorted(map(repr, database.run(right).rows))

    assert not differ(shop)
    files = changed_copies(shop, tmp_path / "copies")
    parted = []
    for file in files:
        with connect(file) as copy:
            parted.append(differ(copy))
    assert any(parted)


def test_a_copy_that_can_not_be_changed_is_not_kept(
    shop: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = WorkingCopy.execute

    def full(copy: WorkingCopy, *statements: str) -> list[tuple[object, ...]]:
        # A disk that is full, as SQLite tells it: the copy may have no more pages than it has.
        used = execute(copy, "PRAGMA page_count")[0][0]
        return execute(copy, f"PRAGMA max_page_count = {used}", *statements)

    monkeypatch.setattr(WorkingCopy, "execute", full)
    monkeypatch.setattr("fathom.databases.changed_copies._repeated", lambda database, table: [BIGGER])
    with pytest.raises(DatabaseError, match="full"):
        changed_copies(shop, tmp_path / "copies")
    kept = [file.name for file in (tmp_path / "copies").iterdir()]
    assert not any("repeated" in name for name in kept)


BIGGER = "INSERT INTO note SELECT hex(zeroblob(100000)) FROM note"


def test_they_are_made_once_and_anew_for_other_data(shop: Database, tmp_path: Path) -> None:
    first = changed_copies(shop, tmp_path / "copies")
    times = [file.stat().st_mtime_ns for file in first]
    assert changed_copies(shop, tmp_path / "copies") == first
    assert [file.stat().st_mtime_ns for file in first] == times
    assert shop.file is not None
    with closing(sqlite3.connect(shop.file)) as opened, opened:
        opened.execute("INSERT INTO note VALUES ('one more')")
    assert changed_copies(shop, tmp_path / "copies") != first


def test_a_duckdb_file_is_changed_as_well(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute("CREATE TABLE sale AS SELECT i AS id, i * 2.0 AS amount FROM range(1, 101) AS r (i)")
    with connect(file) as database:
        dropped, repeated = changed_copies(database, tmp_path / "copies")
    assert values(dropped, COUNT)[0] < 90
    more, empty = values(repeated, COUNT, EMPTY)
    assert more > 110
    assert empty > 0
