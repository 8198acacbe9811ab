"""What a question counts is counted once, however often a join repeats it."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.passed_over import passed_over
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.finishing.counted_once import counted_once
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.to_sql import render
from fathom.records import Question
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("counted_once", "people", tmp_path_factory.mktemp("people")) as opened:
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
    ("question", "passed"),
    [("How many issuers are there?", False), ("How many customers?", False), ("How many windows?", True)],
)
def test_rows_stand_for_what_a_column_of_theirs_is_called_after(
    engine: OfflineEngine, question: str, passed: bool
) -> None:
    query = parse("SELECT COUNT(*) FROM passports", engine.planner)
    assert bool(passed_over(query, engine.link(Question(question)))) == passed
