import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path

import duckdb
import pytest

from fathom.databases import connect
from tests.data import needed


@pytest.fixture(scope="session")
def chinook() -> Path:
    return needed("samples", "chinook.sqlite")


@pytest.fixture(scope="session")
def chinook_in_duckdb(tmp_path_factory: pytest.TempPathFactory, chinook: Path) -> Path:
    """The same tables and keys as a DuckDB file."""
    file = tmp_path_factory.mktemp("duckdb") / "chinook.duckdb"
    with connect(chinook) as source, duckdb.connect(str(file)) as target:
        for table in source.schema.tables:
            kinds = {"integer": "BIGINT", "number": "DOUBLE", "datetime": "TIMESTAMP"}
            columns = [
                f'"{c.name}" {kinds.get(c.kind, "VARCHAR")}{"" if c.nullable else " NOT NULL"}'
                for c in table.columns
            ]
            columns.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
            target.execute(f'CREATE TABLE "{table.name}" ({", ".join(columns)})')
            marks = f"({', '.join('?' * len(table.columns))})"
            for rows in source.scan(table.name):
                values = ", ".join([marks] * len(rows))
                target.execute(f'INSERT INTO "{table.name}" VALUES {values}', list(chain.from_iterable(rows)))
    return file


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A SQLite file whose rows make different queries agree by chance: 4,000 books, 9,000 loans."""
    return _library(tmp_path / "library.sqlite")


@pytest.fixture
def large_library(tmp_path: Path) -> Path:
    """Five times as many rows: an index saves ten times what else a query takes."""
    return _library(tmp_path / "large_library.sqlite", times=5)


def _library(file: Path, times: int = 1) -> Path:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(
            "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, pages INTEGER, shelf TEXT);"
            "CREATE TABLE loan (id INTEGER PRIMARY KEY, book INTEGER REFERENCES book (id), day TEXT);"
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {4000 * times})"
            " INSERT INTO book SELECT i, 'T' || (i % 900), i % 700, 's' || (i % 50) FROM n;"
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {9000 * times})"
            " INSERT INTO loan SELECT i, 1 + i % 4000, '20' || (10 + i % 9) || '-05-01' FROM n;"
        )
    return file
