"""Small databases to ask, and what links questions to them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fathom.databases import Database, connect
from fathom.offline.linking import Linker, default_linking_weights
from fathom.retrieval import ValueIndex


def sqlite_of(file: Path, *scripts: str) -> Path:
    """A new SQLite file with what the scripts make; its path."""
    with closing(sqlite3.connect(file)) as connection:
        for script in scripts:
            connection.executescript(script)
    return file


@contextmanager
def made(statements: str, folder: Path) -> Iterator[Database]:
    """A small database that statements make, in a file of a folder."""
    with connect(sqlite_of(folder / "made.sqlite", statements)) as database:
        yield database


def linker_of(database: Database) -> Linker:
    """A linker with the shipped weights, and an index of the values that is kept nowhere."""
    return Linker(
        database.schema,
        default_linking_weights(),
        profiles=database.profile(),
        index=ValueIndex.open_or_build(database, None),
    )
