"""Groups asked for by "per" and "by" are asked for as the weights know them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom import ask
from fathom.databases import Database, connect
from tests.offline.asking import said
from tests.offline.making import sqlite_of

SHOPS = """
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, name TEXT, city TEXT, opened DATE);
CREATE TABLE seller (seller_id INTEGER PRIMARY KEY, name TEXT, salary REAL, rank_per_year INTEGER,
                     shop_id INTEGER REFERENCES shop(shop_id));
CREATE TABLE "order" (order_id INTEGER PRIMARY KEY, amount REAL,
                      seller_id INTEGER REFERENCES seller(seller_id));
INSERT INTO shop VALUES (1, 'Nord', 'Oslo', '2020-01-02'), (2, 'Sud', 'Rome', '2021-03-04'),
                        (3, 'Ost', 'Rome', '2021-05-06');
INSERT INTO seller VALUES (1, 'Ann', 10, 1, 1), (2, 'Bo', 20, 2, 1), (3, 'Cy', 60, 3, 2), (4, 'Di', 40, 1, 3);
"""


@pytest.fixture(scope="module", params=["", "ALTER TABLE seller DROP COLUMN rank_per_year"])
def shops(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("shops") / "shops.sqlite"
    with connect(sqlite_of(file, SHOPS, request.param)) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("How many shops are there by city?", "How many shops are there for each city?"),
        ("number of sellers by shop", "What is the number of sellers for each shop"),
        ("Average salary by shop in Rome?", "What is the average salary for each shop in Rome?"),
        ("shops grouped by city", "What is the number of shops for each city"),
        ("Show the total salary by shop.", "Show the total salary for each shop."),
        ("shops per year", "What is the number of shops per year"),
        ("Report the number of sellers by shop", "Report the number of sellers for each shop"),
        ("Identify the number of sellers by shop", "Identify the number of sellers for each shop"),
        ("Order the number of orders by seller", "Order the number of orders for each seller"),
        ("order count by seller", "What is the order count for each seller"),
    ],
)
def test_by_of_a_number_of_things_becomes_for_each(
    asked: str, meant: str, shops: Database, tmp_path: Path
) -> None:
    assert said(asked, shops, tmp_path) == meant


@pytest.mark.parametrize(
    "asked",
    [
        "How many shops were opened by sellers?",
        "List the names of shops ordered by city.",
        "number of shops by Rome",
        "How many shops per year?",
        "average number of sellers per shop",
        "What percentage of shops by city are in Rome?",
        "List the names of sellers by name",
    ],
)
def test_what_means_something_else_stays(asked: str, shops: Database, tmp_path: Path) -> None:
    assert said(asked, shops, tmp_path) == asked


def test_per_stays_where_names_hold_it(shops: Database, tmp_path: Path) -> None:
    named = any(c.name == "rank_per_year" for c in shops.schema.table("seller").columns)
    meant = said("sellers per shop", shops, tmp_path)
    assert meant == ("sellers per shop" if named else "What is the number of sellers for each shop")


def test_a_group_in_a_few_words_is_answered(shops: Database) -> None:
    answer = ask("sellers by name", shops, confidence=0)
    assert "GROUP BY" not in (answer.sql or "")  # they are sorted by what each is called
    for asked in ("number of shops by city", "shops by city"):
        answer = ask(asked, shops)
        assert answer.result is not None, answer.text
        rows = sorted(tuple(sorted(map(str, r))) for r in answer.result.rows)
        assert rows == [("1", "Oslo"), ("2", "Rome")]
