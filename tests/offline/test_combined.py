"""Questions put together from plain ones, and what restricts rows by a comparison within the data.

The data tell wrong readings apart: one customer never ordered, two share a name, dates lie in two years, and
some orders have no shipping date or come late.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom.databases import Database
from tests.offline.asking import ask
from tests.offline.making import made

SHOP = """
CREATE TABLE category (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT,
    category_id INTEGER REFERENCES category, price REAL, cost REAL, discontinued INTEGER);
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, customer_name TEXT, country TEXT, email TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, order_date DATE,
    required_date DATE, shipped_date DATE, status TEXT, amount REAL);
INSERT INTO category VALUES (1, 'Toys'), (2, 'Books');
INSERT INTO product VALUES (1, 'Kite', 1, 10, 4, 0), (2, 'Ball', 1, 20, 5, 1), (3, 'Doll', 1, 60, 30, 0),
    (4, 'Atlas', 2, 50, 20, 1), (5, 'Novel', 2, 8, 3, 0);
INSERT INTO customer VALUES (1, 'Ann Li', 'Brazil', 'ann@x.org'), (2, 'Bo Ek', 'France', NULL),
    (3, 'Cy Poe', 'Brazil', 'cy@x.org'), (4, 'Di Roe', 'Japan', NULL), (5, 'Ann Li', 'France', NULL);
INSERT INTO orders VALUES
    (1, 1, '2020-01-05', '2020-01-10', '2020-01-09', 'returned', 5),
    (2, 1, '2020-03-05', '2020-03-10', '2020-03-12', 'completed', 15),
    (3, 2, '2021-01-31', '2021-02-05', '2021-02-01', 'completed', 20),
    (4, 3, '2021-03-01', '2021-03-05', NULL, 'returned', 40),
    (5, 3, '2021-03-02', '2021-03-05', '2021-03-09', 'completed', 80),
    (6, 4, '2021-04-02', '2021-04-05', '2021-04-03', 'completed', 70),
    (7, 5, '2021-04-12', '2021-05-05', '2021-05-01', 'completed', 10);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


def _rows(asked: str, shop: Database) -> set[tuple[Any, ...]]:
    draft = ask(asked, shop)
    assert draft.refusal is None, draft.sql
    assert draft.sql is not None
    rows = shop.run(draft.sql).rows
    return {tuple(round(c, 6) if isinstance(c, float) else c for c in row) for row in rows}


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ("How many more customers are from France than from Japan?", 1),
        ("How many fewer customers are from Japan than from Brazil?", 1),
        ("How many more returned than completed orders are there?", -3),
        ("What is the difference between the number of completed and returned orders?", 3),
        ("How many more orders were there in 2021 than in 2020?", 3),
        ("By what percentage did the number of orders grow from 2020 to 2021?", 150),
        ("What is the percentage increase in orders from 2020 to 2021?", 150),
        ("How many more orders than products are there?", 2),
        ("What is the ratio of orders to customers?", 1.4),
        ("How much higher is the average amount of returned orders than that of completed orders?", -16.5),
        ("By how much does the average amount of completed orders exceed that of returned orders?", 16.5),
        (
            "What is the ratio of the average amount of completed orders to that of returned orders?",
            39 / 22.5,
        ),
    ],
)
def test_two_numbers_are_held_against_each_other(asked: str, number: float, shop: Database) -> None:
    assert _rows(asked, shop) == {(round(number, 6),)}


@pytest.mark.parametrize(
    "asked",
    [
        "How many more customers are from France than from Atlantis?",
        "How much higher is the average altitude of Toys than that of Books?",
        "What is the difference between Ann Li and Bo Ek?",
        "How many more orders were there in 2021 than before?",
    ],
)
def test_numbers_that_are_not_understood_are_declined(asked: str, shop: Database) -> None:
    assert ask(asked, shop).refusal is not None


@pytest.mark.parametrize(
    ("asked", "share"),
    [
        ("What percentage of customers have an email?", 40),
        ("What percentage of customers have no email?", 60),
        ("What percentage of orders were shipped after the required date?", 200 / 7),
        ("What percentage of the total amount came from returned orders?", 100 * 45 / 240),
    ],
)
def test_shares_are_of_whatever_can_be_counted(asked: str, share: float, shop: Database) -> None:
    assert _rows(asked, shop) == {(round(share, 6),)}


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        (
            "For each country, the number of customers and how many of them have an email",
            {("Brazil", 2, 2), ("France", 2, 0), ("Japan", 1, 0)},
        ),
        ("How many orders are there and how many of them were returned?", {(7, 2)}),
    ],
)
def test_a_part_is_counted_beside_the_whole(asked: str, rows: set[Any], shop: Database) -> None:
    assert {tuple(sorted(map(str, r))) for r in _rows(asked, shop)} == {
        tuple(sorted(map(str, r))) for r in rows
    }


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("What is the year over year change in the number of orders?", {("2020", 2, None), ("2021", 5, 3)}),
        ("How did the number of orders change from year to year?", {("2020", 2, None), ("2021", 5, 3)}),
        (
            "number of orders by year with the percentage change from the previous year",
            {("2020", 2, None), ("2021", 5, 150.0)},
        ),
    ],
)
def test_periods_are_held_against_the_one_before(asked: str, rows: set[Any], shop: Database) -> None:
    assert _rows(asked, shop) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("What is the average difference between price and cost?", {(17.2,)}),
        ("How many days lie between the first and the last order of each customer?",
         {("Ann Li", 60.0), ("Bo Ek", 0.0), ("Cy Poe", 1.0), ("Di Roe", 0.0), ("Ann Li", 0.0)}),
        ("Which products cost more than the average price of their category?", {("Doll",), ("Atlas",)}),
        ("Which products have a price above the average of their category?", {("Doll",), ("Atlas",)}),
        ("How many products have a price above the average price of all products?", {(2,)}),
        ("How many orders were shipped after the required date?", {(2,)}),
    ],
)  # fmt: skip
def test_rows_are_held_against_others_and_themselves(asked: str, rows: set[Any], shop: Database) -> None:
    assert _rows(asked, shop) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "Which products cost more than the average of their brand?",
        "How many orders were shipped after the promised date?",
    ],
)
def test_comparisons_with_what_is_unclear_are_declined(asked: str, shop: Database) -> None:
    assert ask(asked, shop).refusal is not None


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("How many customers and how many products are there?", {(5, 5)}),
        ("How many completed orders and how many returned orders are there?", {(5, 2)}),
        ("How many completed and how many returned orders are there?", {(5, 2)}),
        ("How many orders were there in 2020 and how many in 2021?", {(2, 5)}),
        ("For each country, how many completed orders and how many returned orders are there?",
         {("Brazil", 2, 2), ("France", 2, 0), ("Japan", 1, 0)}),
    ],
)  # fmt: skip
def test_two_counts_are_asked_for_at_once(asked: str, rows: set[Any], shop: Database) -> None:
    assert _rows(asked, shop) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which customers placed orders both in 2020 and in 2021?", set()),
        ("Which customers have both completed orders and returned orders?", {("Ann Li",), ("Cy Poe",)}),
    ],
)
def test_rows_of_which_two_things_are_true(asked: str, rows: set[Any], shop: Database) -> None:
    assert _rows(asked, shop) == rows


def test_a_value_is_not_looked_for_in_rows_of_another(shop: Database) -> None:
    assert ask("Which categories contain both Toys and Books?", shop).refusal is not None
