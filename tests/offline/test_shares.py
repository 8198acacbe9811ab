"""Shares, ratios and averages per row, which no training data teach: answered where nothing is left open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database
from tests.databases import makers
from tests.offline.asking import ask

SHOP = (
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, gender TEXT)",
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,"
    " order_date DATE, status TEXT, amount REAL)",
    "INSERT INTO customers VALUES (1, 'Ann', 'Brazil', 'female'), (2, 'Bo', 'France', 'male'),"
    " (3, 'Cleo', 'Brazil', 'female'), (4, 'Dan', 'Japan', 'male'), (5, 'Eve', 'France', 'female')",
    "INSERT INTO orders VALUES (1, 1, '2020-01-05', 'cancelled', 5), (2, 1, '2020-02-05', 'completed', 10),"
    " (3, 2, '2021-01-31', 'completed', 20), (4, 3, '2021-03-01', 'cancelled', 40),"
    " (5, 3, '2021-03-02', 'completed', 80), (6, 4, '2021-04-02', 'completed', 80),"
    " (7, 4, '2021-05-02', 'pending', 70), (8, 4, '2021-06-02', 'completed', 60)",
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with makers.sqlite_databases(tmp_path_factory.mktemp("shop")) as make:
        yield make(*SHOP)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("What share of orders was cancelled?", 0.25),
        ("percentage of customers from Brazil", 40.0),
        ("What percent of orders in 2021 were cancelled?", 100 / 6),
        ("What percentage of orders were made by female customers?", 50.0),
        ("What is the ratio of female to male customers?", 1.5),
        ("average number of orders per customer", 1.6),
        ("What percentage of orders were not completed?", 37.5),
    ],
)
def test_answers_what_leaves_nothing_open(text: str, share: float, shop: Database, tmp_path: Path) -> None:
    draft = ask(text, shop, tmp_path)
    assert draft.refusal is None
    assert draft.sql is not None
    assert shop.run(draft.sql).rows == ((pytest.approx(share),),)
    assert any(a.text.startswith(("Of ", "All ")) for a in draft.assumptions)


@pytest.mark.parametrize(
    "text",
    [
        "percentage of female customers from Brazil",  # among those from Brazil, or among all?
        "What percentage of customers placed an order in 2021?",  # a join would count orders
        "Which country has the highest share of cancelled orders?",
    ],
)
def test_declines_what_may_be_read_otherwise(text: str, shop: Database, tmp_path: Path) -> None:
    assert ask(text, shop, tmp_path).refusal is not None


def test_a_share_of_money_is_one_of_amounts(shop: Database, tmp_path: Path) -> None:
    draft = ask("What share of revenue came from cancelled orders?", shop, tmp_path)
    assert draft.refusal is None
    assert shop.run(draft.sql or "").rows == ((pytest.approx(45 / 365),),)
