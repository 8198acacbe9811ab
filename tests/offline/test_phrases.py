"""Phrases of things are asked for by what names them; all other questions stay."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom import ask
from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from tests.offline.asking import decided, said
from tests.offline.making import sqlite_of

STORE = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT,
                       birth_date DATE);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, category TEXT, price REAL);
CREATE TABLE receipt (receipt_id INTEGER PRIMARY KEY, amount REAL,
                      customer_id INTEGER REFERENCES customer(customer_id));
INSERT INTO customer VALUES (1, 'Ann', 'Lee', 'Brazil', '1980-01-02'),
                            (2, 'Bo', 'Ray', 'Spain', '1970-03-04');
INSERT INTO product VALUES (1, 'Lamp', 'Home', 30), (2, 'Chair', 'Home', 90), (3, 'Ball', 'Sports', 10);
INSERT INTO receipt VALUES (1, 20, 1), (2, 35, 2), (3, 5, 2);
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with connect(sqlite_of(tmp_path_factory.mktemp("store") / "store.sqlite", STORE)) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("customers from Brazil", "What are the first and last names of the customers from Brazil?"),
        ("show me all products over 20", "What are the product names of the products over 20?"),
        ("What is our cheapest product?", "What is the product name of the cheapest product?"),
        ("cheapest product", "What is the product name of the cheapest product?"),
        ("2 most expensive products", "What are the product names of the 2 most expensive products?"),
        ("List every product", "What are the product names of the product?"),
        ("who's our oldest customer", "What is the first and last name of the oldest customer?"),
        ("names of all customers in Spain", "What are the first and last names of all customers in Spain?"),
        ("country of Ann Lee", "What is the country of Ann Lee?"),
        ("i need the price of the lamp", "What is the price of the lamp?"),
        ("receipts of Ann Lee", "What are the receipt ids of the receipts of Ann Lee?"),
    ],
)
def test_a_phrase_is_asked_for(asked: str, meant: str, store: Database, tmp_path: Path) -> None:
    assert said(asked, store, tmp_path) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "How many products cost more than 20?",
        "number of customers in Spain",
        "Find the country of Ann Lee",
        "List the customer countries",
        "receipts over 10",
        "customers from Spain: how many are there?",
        "percentage of customers from Brazil",
        "Compute the average price of products",
        "What is the price of the cheapest product?",
        "What was the first product of 2018?",
        "For each customer, show the total amount",
        "Is Ann Lee a customer?",
    ],
)
def test_other_questions_stay(asked: str, store: Database, tmp_path: Path) -> None:
    assert said(asked, store, tmp_path) == asked


def test_a_phrase_is_answered_with_names(store: Database) -> None:
    answer = ask("customers from Brazil", store)
    assert answer.result is not None, answer.text
    assert [sorted(map(str, row)) for row in answer.result.rows] == [["Ann", "Lee"]]
    answer = ask("hello, can you tell me the cheapest product please", store)
    assert answer.result is not None, answer.text
    assert [tuple(row) for row in answer.result.rows] == [("Ball",)]


def test_rows_without_a_name_are_told_apart_by_their_number(store: Database) -> None:
    answer = ask("receipts of Bo Ray", store)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == {(2,), (3,)}


def test_the_year_is_that_of_the_date_spoken_of(tmp_path: Path) -> None:
    freight = """
        CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_date DATE, shipped_date DATE, country TEXT);
        INSERT INTO orders VALUES (1, '2019-12-30', '2020-01-04', 'Peru'),
            (2, '2020-12-30', '2021-01-02', 'Peru'), (3, '2020-02-01', '2020-02-03', 'Chad');
    """
    with connect(sqlite_of(tmp_path / "freight.sqlite", freight)) as database:
        engine = OfflineEngine(database, KnowledgePack())
        shipped = decided(engine, "How many orders were shipped to Peru in 2020?")[0]
        ordered = decided(engine, "How many orders from Peru are there in 2020?")[0]
    assert "shipped_date LIKE '2020%'" in shipped
    assert "order_date LIKE '2020%'" in ordered
