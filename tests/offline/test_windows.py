"""Medians, and totals up to each period, in every engine: what windows over rows are for.

Means and medians differ in all groups; some values are missing, one month has no orders.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom.databases import Database
from tests.databases import makers
from tests.offline.asking import ask

ORDERS = (
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name VARCHAR(40), country VARCHAR(40))",
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,"
    " ordered_on DATE, amount DOUBLE PRECISION)",
    "INSERT INTO customers VALUES (1, 'Ann', 'Norway'), (2, 'Bob', 'France'), (3, 'Cleo', 'Norway'),"
    " (4, 'Dora', 'Spain')",
    "INSERT INTO orders VALUES (1, 1, '2022-01-03', 10), (2, 1, '2022-01-12', 20), (3, 2, '2022-02-02',"
    " 70), (4, 2, '2022-04-18', NULL), (5, 3, '2022-04-21', 30), (6, 2, '2023-01-09', 90),"
    " (7, 1, '2023-02-01', 5)",
)


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "mysql"])
def orders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with getattr(makers, f"{request.param}_databases")(tmp_path_factory.mktemp(request.param)) as make:
        yield make(*ORDERS)


def _rows(asked: str, database: Database) -> list[tuple[Any, ...]]:
    draft = ask(asked, database)
    assert draft.refusal is None, draft.sql
    assert draft.sql is not None
    cells = [
        [c if isinstance(c, str) else round(float(c), 2) for c in row] for row in database.run(draft.sql).rows
    ]
    return [tuple(sorted(row, key=lambda c: isinstance(c, float))) for row in cells]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("What is the median amount of orders?", [(25,)]),
        ("What is the median order amount by country?", [("France", 80), ("Norway", 15)]),
        ("Show the median amount of orders for each country", [("France", 80), ("Norway", 15)]),
        ("What was the median amount of orders in 2022?", [(25,)]),
        ("What is the median number of orders per customer?", [(3,)]),
    ],
)
def test_medians(asked: str, rows: list[Any], orders: Database) -> None:
    assert sorted(_rows(asked, orders)) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("cumulative number of orders by month in 2022", [("2022-01", 2), ("2022-02", 3), ("2022-04", 5)]),
        ("What is the running total of order amounts by year?", [("2022", 130), ("2023", 225)]),
        ("cumulative order amount by year", [("2022", 130), ("2023", 225)]),
    ],
)
def test_totals_so_far(asked: str, rows: list[Any], orders: Database) -> None:
    assert _rows(asked, orders) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "running total of order amounts by country",
        "cumulative amount",
        "median name of customers",
        "Which country has the most orders per customer?",
    ],
)
def test_what_has_no_order_or_middle_is_declined(asked: str, orders: Database) -> None:
    assert ask(asked, orders).refusal is not None


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which customer spent the most in each country?", [("France", "Bob", 160), ("Norway", "Ann", 35)]),
        ("Which customer has the third highest total order amount?", [("Cleo",)]),
    ],
)
def test_the_first_of_each_group_and_those_behind(asked: str, rows: list[Any], orders: Database) -> None:
    assert sorted(_rows(asked, orders)) == rows


def test_several_of_each_group(orders: Database) -> None:
    best = _rows("Which 2 customers placed the most orders in each country?", orders)
    assert best == [("France", "Bob", 3), ("Norway", "Ann", 3), ("Norway", "Cleo", 1)]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("How many customers placed more than 2 orders?", [(2,)]),
        ("What is the average number of orders per customer?", [(7 / 4,)]),
        ("average number of orders per month", [(7 / 5,)]),
        ("What percentage of order amount comes from each country?", [("France", 71.11), ("Norway", 28.89)]),
        ("Show each country's share of total order amount.", [("France", 0.71), ("Norway", 0.29)]),
    ],
)
def test_numbers_of_groups(asked: str, rows: list[Any], orders: Database) -> None:
    assert sorted(_rows(asked, orders)) == rows
