"""A small real database that the tests of this package share."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.knowledge import ColumnNote, KnowledgePack, TableNote
from fathom.methods import Context

TABLES = """
CREATE TABLE gene (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, chromosome TEXT, length INTEGER);
CREATE TABLE drug (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "trade name" TEXT, phase INTEGER);
CREATE TABLE target (
    drug_id INTEGER REFERENCES drug (id), gene_id INTEGER REFERENCES gene (id), action TEXT,
    PRIMARY KEY (drug_id, gene_id)
);
INSERT INTO gene VALUES (1, 'APOE', '19', 3612), (2, 'LRRK2', '12', 144274), (3, 'SNCA', '4', NULL);
INSERT INTO drug VALUES (1, 'Donepezil', 'Aricept', 4), (2, 'Tideglusib', NULL, 2);
INSERT INTO target VALUES (1, 1, 'inhibitor'), (2, 2, 'inhibitor');
"""


@contextmanager
def genes(folder: Path) -> Iterator[Database]:
    """The database in a file of this folder, open while it lasts."""
    path = folder / "genes.db"
    with sqlite3.connect(path) as made:
        made.executescript(TABLES)
    made.close()
    with connect(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One for all tests of a module: they don't write to it, and each has a cache of its own."""
    with genes(tmp_path_factory.mktemp("genes")) as opened:
        yield opened


@pytest.fixture
def context(database: Database, tmp_path: Path) -> Context:
    notes = {"gene": TableNote(columns={"length": ColumnNote(description="length in base pairs")})}
    return Context(database, KnowledgePack(tables=notes), cache=tmp_path / "cache")
