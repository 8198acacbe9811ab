"""A small library: books, authors and lenders, with the traps that evidence sets."""

from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.offline.engine import OfflineEngine
from tests.offline.making import sqlite_of

SCRIPT = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, author_name TEXT, born INTEGER);
CREATE TABLE book (
    book_id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author (author_id),
    num_pages INTEGER, publication_date TEXT, "Shelf Mark" TEXT, genre TEXT, topics TEXT
);
CREATE TABLE reader (reader_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, sex TEXT);
CREATE TABLE loan (
    loan_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book (book_id),
    reader_id INTEGER REFERENCES reader (reader_id), fee REAL
);
INSERT INTO author VALUES (1, 'Ada Quill', 1950), (2, 'Bo Ink', 1970), (3, 'Cy Paper', 1980);
INSERT INTO book VALUES
    (1, 'The Long Night', 1, 600, '1999-05-01', 'A 1', 'Crime', 'night;sea'),
    (2, 'A Short Day', 1, 90, '2003-02-11', 'A 2', 'Poetry', 'day'),
    (3, 'Gulls', 2, 210, '2003-07-30', 'B 1', 'Crime', 'seaside;birds'),
    (4, 'World''s End', 3, 320, '2011-01-05', 'C 1', 'Travel', 'ends');
INSERT INTO reader VALUES (1, 'Mia', 'Stone', 'F'), (2, 'Noah', 'Reed', 'M'), (3, 'Olga', 'Frost', 'F');
INSERT INTO loan VALUES (1, 1, 1, 2.5), (2, 1, 2, 0), (3, 3, 1, 4.0), (4, 4, 3, 1.5), (5, 2, 3, 0);
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_of(tmp_path_factory.mktemp("library") / "library.sqlite", SCRIPT)


@pytest.fixture(scope="session")
def database(library: Path) -> Database:
    return connect(library)


@pytest.fixture(scope="session")
def engine(database: Database, tmp_path_factory: pytest.TempPathFactory) -> OfflineEngine:
    return OfflineEngine(database, cache=tmp_path_factory.mktemp("cache"))
