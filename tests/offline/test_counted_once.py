"""What a question counts is counted once, however often a join repeats it."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.passed_over import passed_over
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.queries.from_sql import parse
from fathom.records import Question
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("counted_once", "people", tmp_path_factory.mktemp("people")) as opened:
        yield opened


@pytest.fixture(scope="module")
def engine(database: Database) -> OfflineEngine:
    return engine_for(database, KnowledgePack())


@pytest.mark.parametrize(
    ("question", "passed"),
    [("How many issuers are there?", False), ("How many customers?", False), ("How many windows?", True)],
)
def test_rows_stand_for_what_a_column_of_theirs_is_called_after(
    engine: OfflineEngine, question: str, passed: bool
) -> None:
    query = parse("SELECT COUNT(*) FROM passports", engine.planner)
    assert bool(passed_over(query, engine.link(Question(question)))) == passed
