"""Verbs that leave rows out: who won is not whoever raced."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.outcomes import outcomes_left
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.records import Question
from tests.offline.asked_databases import asked_database

RACED = (
    "SELECT T2.name FROM entry AS T1 JOIN driver AS T2 ON T1.driver_id = T2.driver_id "
    "JOIN race AS T3 ON T1.race_id = T3.race_id WHERE T3.race_name = 'Harbour Run'"
)
CAME_FIRST = RACED + " AND T1.position = 1"
WINNERS = "SELECT T1.name FROM driver AS T1 JOIN race AS T2 ON T1.driver_id = T2.winner_id"
MEDALS = "SELECT T1.name FROM driver AS T1 JOIN medal AS T2 ON T1.driver_id = T2.driver_id"
POINTS = "SELECT name FROM driver ORDER BY points DESC LIMIT 1"


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("outcomes", "races", tmp_path_factory.mktemp("races")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(races: Database) -> OfflineEngine:
    return OfflineEngine(races, KnowledgePack())


@pytest.mark.parametrize(
    ("asked", "sql", "left"),
    [
        ("who won the Harbour Run", RACED, ["won"]),
        ("drivers who finished the Harbour Run", RACED, ["finished"]),
        ("who took part in the Harbour Run", RACED, []),
        ("who won the Harbour Run", CAME_FIRST, []),
        ("drivers who won a race", WINNERS, []),
        ("which drivers have won medals", MEDALS, []),
        ("who won the most points", POINTS, []),
        ("who won the race with the most points", POINTS, ["won"]),
    ],
)
def test_what_a_query_passes_over(asked: str, sql: str, left: list[str], engine: OfflineEngine) -> None:
    linking = engine.link(Question(asked))
    places = outcomes_left(parse(sql, engine.planner), linking, engine.planner)
    assert [linking.tokens[i].text for i in places] == left
