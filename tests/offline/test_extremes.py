"""Rows that don't hold what a ranking goes by are neither its first nor its last."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.offline.finishing.extremes import with_known_extremes
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("extremes", "shop", tmp_path_factory.mktemp("shop")) as database:
        yield database


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
