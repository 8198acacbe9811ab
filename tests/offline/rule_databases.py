"""The databases that the examples of rules are asked of: public ones, our own, and a small one for flags."""

from pathlib import Path

from bench.questions.small import SMALL, make

from tests.data import needed
from tests.offline.making import sqlite_of

COTTAGES = """
CREATE TABLE cottage (cottage_id INTEGER PRIMARY KEY, cottage_name TEXT, has_garden INTEGER,
    parking_available INTEGER, town TEXT, owner TEXT, weekly_price REAL);
INSERT INTO cottage VALUES (1, 'Rose End', 1, 1, 'Whitby', 'Ann Li', 400),
    (2, 'The Nook', 0, 1, 'Ely', 'Bo Ek', 350),
    (3, 'Old Forge', 1, 0, 'Bath', 'Ann Li', 620), (4, 'Mill View', 0, 0, 'Ely', 'Cy Poe', 500);
"""


def file_of(database: str, folder: Path) -> Path:
    """The SQLite file of a database, made in a folder where it is none of the public ones."""
    if database in SMALL:
        return make(database, folder)
    if database == "cottages":
        file = folder / "cottages.sqlite"
        return file if file.exists() else sqlite_of(file, COTTAGES)
    return needed("samples", f"{database}.sqlite")
