"""The same questions over the same data end the same on every engine, with the same rows."""

import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from tests.data import needed
from tests.databases.makers import (
    duckdb_databases,
    mysql_databases,
    postgres_databases,
    sqlite_databases,
    trino_databases,
)

import fathom
from fathom.databases import Database
from fathom.records import Answer

ENGINES = {
    "DuckDB": duckdb_databases,
    "PostgreSQL": postgres_databases,
    "MySQL": mysql_databases,
    "Trino": trino_databases,
}
DIALECTS = {
    "DuckDB": "duckdb",
    "PostgreSQL": "postgres",
    "MySQL": "mysql",
    "Trino": "duckdb",
    "BigQuery": "duckdb",
}
"""In whose words the tables are made: what stands in for Trino makes them as DuckDB does."""
TABLES = ("Artist", "Album", "Genre", "MediaType", "Track", "Employee", "Customer", "Invoice", "InvoiceLine")
ROWS = 400
"""Rows of one INSERT."""


KEYLESS = ("Trino",)
"""Engines whose tables have no keys, which are compared with a SQLite file that has none either."""
_KEYS = re.compile(r",\s*(CONSTRAINT|FOREIGN KEY)[^()]*\([^()]*\)(\s*REFERENCES[^()]*\([^()]*\))?[^,()]*")


def statements(dialect: str, *, keys: bool = True) -> list[str]:
    """Chinook without its playlists, as one engine writes it."""
    with sqlite3.connect(needed("samples", "chinook.sqlite")) as read:
        made = []
        for table in TABLES:
            (sql,) = read.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            made.append(_created(sql if keys else _KEYS.sub("", sql), dialect))
            rows = read.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()
            if (
                table == "Employee"
            ):  # DuckDB checks references within one INSERT; whom one reports to is first
                rows = [(*row[:4], None, *row[5:]) for row in rows]
            for first in range(0, len(rows), ROWS):
                values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows[first : first + ROWS])
                made.append(_quoted(f"INSERT INTO [{table}] VALUES ", dialect) + values)
    return made


def _created(sql: str, dialect: str) -> str:
    plain = sql.replace("NVARCHAR", "VARCHAR").replace("ON DELETE NO ACTION ON UPDATE NO ACTION", "")
    if dialect in {"duckdb", "postgres"}:
        plain = plain.replace("DATETIME", "TIMESTAMP")
    return _quoted(plain, dialect)


def _quoted(sql: str, dialect: str) -> str:
    quote = "`" if dialect == "mysql" else '"'
    return sql.replace("[", quote).replace("]", quote)


def _literal(cell: Any) -> str:
    if cell is None:
        return "NULL"
    return (
        str(cell)
        if isinstance(cell, int | float)
        else "'" + str(cell).replace("'", "''").replace("\\", "") + "'"
    )


QUESTIONS = [
    "monthly revenue in 2023",
    "total revenue in 2023",
    "revenue by year",
    "How many customers are from Brazil?",
    "top 5 customers by revenue",
    "Which artist has the most albums?",
    "number of customers per country",
    "the five longest songs",
    "who is the oldest employee",
    "average invoice total by country",
    "Which tracks were never sold?",
    "How many invoices were there in 2022?",
    "best selling genre",
    "customers with more than 6 invoices",
    "revenue in 1997",
    "Which customers have a dog?",
    "list the albums of AC/DC",
    "cumulative revenue by month in 2022",
    "invoices in December 2023",
    "average track length by media type",
]
APART = {("Trino", "customers with more than 6 invoices"): "without keys SQLite alone asks what is counted"}


@pytest.fixture(scope="module", params=ENGINES)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Database, Database]]:
    """A SQLite file and a database of another engine that hold the same."""
    name, keys = request.param, request.param not in KEYLESS
    with (
        sqlite_databases(tmp_path_factory.mktemp("plain")) as make_plain,
        ENGINES[name](tmp_path_factory.mktemp("other")) as make,
    ):
        yield (
            make_plain(*statements("sqlite", keys=keys)),
            make(*statements(DIALECTS[name], keys=keys)),
        )


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, str], Answer]:
    return {}


@pytest.mark.one_of("pair")
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_question_ends_the_same(
    pair: tuple[Database, Database],
    request: pytest.FixtureRequest,
    known: dict[tuple[str, str], Answer],
    question: str,
) -> None:
    plain, other = pair
    if reason := APART.get((request.node.callspec.params["pair"], question)):
        pytest.skip(reason)
    shape = (plain.fingerprint, question)
    one = known.get(shape) or known.setdefault(shape, fathom.ask(question, plain))
    two = fathom.ask(question, other)
    assert two.ending == one.ending
    assert sorted(two.text) == sorted(one.text)  # of those that tie each engine gives another first
    assert [rows(r) for r in two.readings] == [rows(r) for r in one.readings]
    assert rows(two) == rows(one)


def rows(given: Any) -> Any:
    """What is shown, apart from how engines call the types of the same cells, in any order of groups."""
    if given.shown is None:
        return None
    told = [tuple(_plain(c) for c in row) for row in given.shown.rows]
    return given.shown.columns, sorted(told, key=repr)


def _plain(cell: Any) -> Any:
    try:
        return round(float(cell), 2)
    except (TypeError, ValueError):
        return str(cell)
