"""Questions that offline answers on the warehouses' emulators as on a SQLite file with the same rows."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.answering.test_engines import rows
from tests.databases.makers import (
    bigquery_databases,
    snowflake_databases,
    sqlite_databases,
    without_keys,
)
from tests.databases.suite import SHOP

import fathom
from fathom.databases import Database

pytestmark = pytest.mark.one_of("pair")
EMULATORS = {"BigQuery": bigquery_databases, "Snowflake": snowflake_databases}
QUESTIONS = (
    "How many customers are there?",
    "customers from Oslo",
    "total quantity by code",
    "average price of products",
    "products that are on sale",
    "How many sales were there in March 2024?",
    "which customer has the most sales?",
    "number of sales per month",
    "number of sales per year",
    "sales after 1 March 2024",
)


def tables(dialect: str) -> list[str]:
    """The shop without keys, which an emulator doesn't tell."""
    return [without_keys(s, dialect) if s.startswith("CREATE TABLE") else s for s in SHOP]


@pytest.fixture(scope="module", params=EMULATORS)
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Database, Database]]:
    with ExitStack() as opened:
        plain = opened.enter_context(sqlite_databases(tmp_path_factory.mktemp("plain")))
        other = opened.enter_context(EMULATORS[request.param](tmp_path_factory.mktemp("other")))
        yield plain(*tables("sqlite")), other(*tables("duckdb"))


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_emulator_gives_the_same_rows(pair: tuple[Database, Database], question: str) -> None:
    one, two = (fathom.ask(question, database) for database in pair)
    assert two.ending == one.ending
    if one.ending == "unsure":  # of several meanings, the first stands for all
        one, two = one.choose(1), two.choose(1)
    assert rows(one) is not None  # else two refusals would pass for the same rows
    assert rows(two) == rows(one)
