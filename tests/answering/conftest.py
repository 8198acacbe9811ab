import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database, connect


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "shop.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT, year INTEGER, amount REAL)")
    rows = [("Bern", 2014, 10.5), ("Bern", 2015, 20.0), ("Rome", 2014, 7.0), ("Rome", 2015, 9.25)]
    made.executemany("INSERT INTO sale (city, year, amount) VALUES (?, ?, ?)", rows)
    made.commit()
    made.close()
    with connect(path) as opened:
        yield opened
