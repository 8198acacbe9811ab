"""A messy database: dates and amounts as text, lists in cells, codes that a table lists."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fathom.databases import Database, connect

TABLES = """
CREATE TABLE ward (id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE stay (
    id INTEGER PRIMARY KEY, ward_id INTEGER REFERENCES ward (id), came TEXT, went TEXT, st TEXT, how TEXT,
    fee TEXT, found TEXT
);
CREATE TABLE codes (dom TEXT, cd TEXT, txt TEXT);
INSERT INTO codes VALUES ('st', 'A', 'Admitted'), ('st', 'D', 'Discharged'), ('how', 'E', 'Emergency'),
    ('how', 'P', 'Planned');
INSERT INTO ward VALUES (1, 'Heart'), (2, 'Lung'), (3, 'Hip');
"""


@contextmanager
def hospital(folder: Path) -> Iterator[Database]:
    """The database in a file of this folder, open while it lasts: 40 stays, of which every fourth goes on."""
    path = folder / "hospital.db"
    with sqlite3.connect(path) as made:
        made.executescript(TABLES)
        for i in range(40):
            went = None if i % 4 == 0 else f"{i % 28 + 1:02d}/0{i % 3 + 4}/2024"
            row = (
                i,
                i % 2 + 1,
                f"{(i * 7) % 28 + 1:02d}/0{i % 3 + 1}/2024",
                went,
                "A" if went is None else "D",
                "EP"[i % 2],
                f"£{i + 1},{i % 10}00.50",
                '["flu"]' if i % 2 else '["flu", "cold"]',
            )
            made.execute("INSERT INTO stay VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    made.close()
    with connect(path) as opened:
        yield opened
