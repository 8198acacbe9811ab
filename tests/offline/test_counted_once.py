"""What a question counts is counted once, however often a join repeats it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

import fathom
from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.passed_over import passed_over
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.finishing.counted_once import counted_once
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.to_sql import render
from fathom.records import Ending, Question

TABLES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE addresses (address_id INTEGER PRIMARY KEY, city TEXT, country TEXT);
CREATE TABLE customer_addresses (
    customer_id INTEGER REFERENCES customers, address_id INTEGER REFERENCES addresses,
    PRIMARY KEY (customer_id, address_id));
CREATE TABLE passports (
    customer_id INTEGER PRIMARY KEY REFERENCES customers, issuer TEXT);
INSERT INTO customers VALUES (1, 'Ann Lee'), (2, 'Bo Berg'), (3, 'Cy Diaz'), (4, 'Di Eco');
INSERT INTO addresses VALUES (1, 'Krakow', 'Poland'), (2, 'Gdansk', 'Poland'), (3, 'Lyon', 'France');
INSERT INTO customer_addresses VALUES (1, 1), (1, 2), (2, 1), (3, 3), (4, 3);
INSERT INTO passports VALUES (1, 'Warsaw'), (2, 'Nice'), (3, 'Nice');
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("counted") / "people.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(TABLES)
    with connect(file) as opened:
        yield opened


@pytest.fixture(scope="module")
def engine(database: Database) -> OfflineEngine:
    return engine_for(database, KnowledgePack())


def counted(engine: OfflineEngine, question: str, sql: str) -> str:
    query = counted_once(parse(sql, engine.planner), engine.link(Question(question)), engine.planner)
    return render(query, engine.planner)


LINKED = "addresses JOIN customer_addresses ON addresses.address_id = customer_addresses.address_id"
ABROAD = f"SELECT COUNT(*) FROM {LINKED} WHERE addresses.country = 'Poland'"
CUSTOMERS = (
    f"SELECT COUNT(*) FROM {LINKED} JOIN customers ON customers.customer_id = customer_addresses.customer_id "
    "WHERE addresses.country = 'Poland'"
)


@pytest.mark.parametrize("sql", [ABROAD, CUSTOMERS])
def test_those_with_two_addresses_are_counted_once(
    engine: OfflineEngine, database: Database, sql: str
) -> None:
    once = counted(engine, "How many customers live in Poland?", sql)
    assert "COUNT(DISTINCT" in once
    assert database.run(sql).rows == ((3,),)
    assert database.run(once).rows == ((2,),)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many addresses are in Poland?", "SELECT COUNT(*) FROM addresses WHERE country = 'Poland'"),
        ("How many customers have a pass?", "SELECT COUNT(*) FROM passports WHERE issuer = 'Nice'"),
        ("Which customers live in Poland?", CUSTOMERS),
        ("How many people live in Poland?", ABROAD),
        (
            "How many customers live in each country?",
            f"SELECT addresses.country, COUNT(*) FROM {LINKED} GROUP BY addresses.country",
        ),
    ],
)
def test_other_counts_stay(engine: OfflineEngine, question: str, sql: str) -> None:
    assert "DISTINCT" not in counted(engine, question, sql)


def test_the_answer_counts_people(database: Database) -> None:
    given = fathom.ask("How many customers live in Poland?", database)
    assert given.ending is Ending.SURE
    assert given.result is not None
    assert given.result.rows == ((2,),)


def test_what_nothing_stands_for_is_not_counted(database: Database) -> None:
    given = fathom.ask("How many windows are there in Poland?", database)
    assert given.ending is not Ending.SURE
    assert given.refusal is not None
    assert "windows" in given.refusal.missing


@pytest.mark.parametrize(
    ("question", "passed"),
    [("How many issuers are there?", False), ("How many customers?", False), ("How many windows?", True)],
)
def test_rows_stand_for_what_a_column_of_theirs_is_called_after(
    engine: OfflineEngine, question: str, passed: bool
) -> None:
    query = parse("SELECT COUNT(*) FROM passports", engine.planner)
    assert bool(passed_over(query, engine.link(Question(question)))) == passed
