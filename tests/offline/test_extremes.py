"""Rows that don't hold what a ranking goes by are neither its first nor its last."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database, connect
from fathom.offline.finishing.extremes import with_known_extremes
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from tests.offline.making import sqlite_of

SHOP = """
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER);
INSERT INTO product VALUES (1, 'Earl Grey', 4.5, 10), (2, 'Sencha', 6, 0), (3, 'Espresso', NULL, 5),
                           (4, 'Filter', 8, 7);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with connect(sqlite_of(tmp_path_factory.mktemp("shop") / "shop.sqlite", SHOP)) as database:
        yield database


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the name of the cheapest product?", "Earl Grey"),
        ("Which product has the lowest price?", "Earl Grey"),
        ("Which product has the highest price?", "Filter"),
    ],
)
def test_what_has_no_price_is_not_the_cheapest(question: str, name: str, shop: Database) -> None:
    answer = ask(question, shop)
    assert answer.result is not None, answer.text
    assert answer.result.rows == ((name,),)
    left_out = [a.text for a in answer.assumptions if "left out" in a.text]
    assert left_out == (["Rows without product.price are left out."] if name == "Earl Grey" else [])


@pytest.mark.parametrize(
    ("sql", "changed"),
    [
        ("SELECT name FROM product ORDER BY price LIMIT 1", True),
        ("SELECT stock FROM product WHERE price = (SELECT price FROM product ORDER BY price LIMIT 1)", True),
        ("SELECT name FROM product ORDER BY price DESC LIMIT 1", False),
        ("SELECT name FROM product ORDER BY price", False),
        ("SELECT name FROM product ORDER BY stock LIMIT 1", False),
        ("SELECT name FROM product WHERE price > 5 ORDER BY price LIMIT 1", False),
        ("SELECT name FROM product GROUP BY name ORDER BY COUNT(*) LIMIT 1", False),
    ],
)
def test_only_the_lowest_of_what_may_be_missing_is_guarded(sql: str, changed: bool, shop: Database) -> None:
    written = parse(sql, JoinPlanner(shop.schema))
    query, told = with_known_extremes(written, shop.profile())
    assert (query != written) is changed
    assert bool(told) is changed
