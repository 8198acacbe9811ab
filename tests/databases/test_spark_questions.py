"""Offline's queries over Chinook give a real Spark's rows as they give SQLite's."""

import csv
import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import fathom
from fathom.databases import Database, connect
from fathom.databases.guard import check
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.to_sql import rewritten
from tests.answering.test_engines import QUESTIONS, TABLES
from tests.data import needed
from tests.databases.makers import local_spark, settings_in

pytestmark = pytest.mark.spark
MORE = [
    "How many invoices were there on a Monday?",
    "How many invoices were there in each quarter of 2023?",
    "customers whose first name starts with 'L'",
]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    """A SQLite file, and a folder of its tables as CSV that Spark reads."""
    local_spark()
    folder, file = tmp_path_factory.mktemp("chinook"), needed("samples", "chinook.sqlite")
    with sqlite3.connect(file) as source:
        for table in TABLES:
            _write(source.execute(f'SELECT * FROM "{table}"'), folder / f"{table}.csv")
    source.close()
    settings = settings_in(tmp_path_factory.mktemp("settings"))
    with connect(file, settings=settings) as plain, connect(f"spark:///{folder}", settings=settings) as spark:
        yield plain, spark


def _write(rows: sqlite3.Cursor, file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out)
        written.writerow(d[0] for d in rows.description)
        written.writerows(rows)


APART = {"Which artist has the most albums?": "its groups are completed before it is written for an engine"}


@pytest.mark.parametrize("question", [q for q in (*QUESTIONS, *MORE) if q not in APART])
def test_a_query_gives_the_same_rows(pair: tuple[Database, Database], question: str) -> None:
    plain, spark = pair
    answer = fathom.ask(question, plain)
    for sql in filter(None, {answer.sql, *(r.sql for r in answer.readings)}):
        written = rewritten(sql, JoinPlanner(plain.schema), "spark")
        check(written, "spark")
        assert _told(spark.run(written).rows) == _told(plain.run(sql).rows), written


def _told(rows: tuple[tuple[object, ...], ...]) -> Counter[tuple[object, ...]]:
    """The rows in any order, apart from the types of dates and numbers."""
    return Counter(tuple(map(_plain, row)) for row in rows)


def _plain(cell: object) -> object:
    if isinstance(cell, date | datetime):
        return str(cell)
    if isinstance(cell, int | float | Decimal):
        return round(float(cell), 4)
    return float(cell) if isinstance(cell, str) and cell.isdecimal() else cell
