"""Rows listed with several of their columns, in an order that the question says."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

SHOP = """
CREATE TABLE brand (brand_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, title TEXT, brand_id INTEGER REFERENCES brand,
    colour TEXT, price REAL, stock INTEGER);
CREATE TABLE clerk (clerk_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, position TEXT,
    hire_date DATE, wage INTEGER);
INSERT INTO brand VALUES (1, 'Zora', 'Spain'), (2, 'Arc', 'France');
INSERT INTO product VALUES (1, 'Lamp', 1, 'red', 30, 7), (2, 'Chair', 2, 'blue', 90, 2), (3, 'Desk', 1, 'red', 90, 9);
INSERT INTO clerk VALUES (1, 'Ann', 'Lee', 'buyer', '2019-02-01', 900), (2, 'Bob', 'Fox', 'cashier', '2012-05-01', 700),
    (3, 'Cal', 'Fox', 'buyer', '2015-07-01', 800);
"""  # noqa: E501
LAMP, CHAIR, DESK = ("Lamp", 30), ("Chair", 90), ("Desk", 90)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("List all products with their price, sorted by price from highest to lowest and then by title.",
         [CHAIR, DESK, LAMP]),
        ("Show the products and their prices, ordered by title.", [CHAIR, DESK, LAMP]),
        ("List every product with the name of its brand, sorted by brand name and then by title",
         [("Chair", "Arc"), ("Desk", "Zora"), ("Lamp", "Zora")]),
        ("List the products with their stock, lowest first", [("Chair", 2), ("Lamp", 7), ("Desk", 9)]),
        ("All clerks with their position, ordered by last name and then by first name.",
         [("Bob", "Fox", "cashier"), ("Cal", "Fox", "buyer"), ("Ann", "Lee", "buyer")]),
        ("List the clerks with their wage in descending order of wage.",
         [("Ann", "Lee", 900), ("Cal", "Fox", 800), ("Bob", "Fox", 700)]),
        ("List the last names of the clerks, sorted by last name.", [("Fox",), ("Fox",), ("Lee",)]),
        ("What are the first names of the clerks who are buyers? ", [("Ann",), ("Cal",)]),
        ("List all brand names in descending alphabetical order.", [("Zora",), ("Arc",)]),
        ("Show the titles and prices of the products whose colour is red, highest price first.",
         [("Desk", 90), ("Lamp", 30)]),
        ("Show the name and country of all brands in alphabetical order.",
         [("Arc", "France"), ("Zora", "Spain")]),
    ],
)  # fmt: skip
def test_lists_show_what_is_named_in_the_order_that_is_said(
    asked: str, rows: list[Any], shop: Database
) -> None:
    answer = ask(asked, shop)
    assert answer.result is not None, answer.text
    assert list(answer.result.rows) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "List all products with their weight, sorted by weight.",
        "List the products with their price, best sellers first.",
        "List the brands with their products' supplier, sorted by name.",
    ],
)
def test_lists_of_what_is_nowhere_are_declined(asked: str, shop: Database) -> None:
    assert ask(asked, shop).refusal is not None
