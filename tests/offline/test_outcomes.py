"""Verbs that leave rows out: who won is not whoever raced."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.outcomes import outcomes_left
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.records import Question
from tests.offline.making import made

RACES = """
CREATE TABLE driver (driver_id INTEGER PRIMARY KEY, name TEXT, country TEXT, points INTEGER);
CREATE TABLE race (race_id INTEGER PRIMARY KEY, race_name TEXT, year INTEGER,
    winner_id INTEGER REFERENCES driver);
CREATE TABLE entry (race_id INTEGER REFERENCES race, driver_id INTEGER REFERENCES driver, position INTEGER,
    PRIMARY KEY (race_id, driver_id));
CREATE TABLE medal (medal_id INTEGER PRIMARY KEY, driver_id INTEGER REFERENCES driver, kind TEXT);
INSERT INTO driver VALUES (1, 'Ida Holm', 'Norway', 9), (2, 'Jo Falk', 'Sweden', 4),
    (3, 'Kim Dahl', 'Norway', 2);
INSERT INTO race VALUES (1, 'Harbour Run', 2010, 1), (2, 'Forest Run', 2011, 2);
INSERT INTO entry VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3), (2, 2, 1), (2, 3, 2);
INSERT INTO medal VALUES (1, 1, 'gold'), (2, 2, 'silver'), (3, 1, 'gold');
"""
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
    with made(RACES, tmp_path_factory.mktemp("races")) as database:
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


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ("which drivers retired from the Harbour Run", "retired"),
        ("drivers who finished the Harbour Run", "finished"),
        ("drivers who died", "died"),
    ],
)
def test_what_the_database_does_not_tell_is_declined(asked: str, word: str, races: Database) -> None:
    answer = ask(asked, races)
    assert answer.refusal is not None, answer.sql
    assert word in answer.text


def test_what_it_tells_is_answered(races: Database) -> None:
    answer = ask("which drivers won the Harbour Run", races)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == {("Ida Holm",)}
