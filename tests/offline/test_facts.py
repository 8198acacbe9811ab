"""What a column says of one named row: "the capacity of the Royal Arena"."""

from collections.abc import Iterator

import pytest

import fathom
from fathom.databases import Database
from tests.offline.asking import rows_of
from tests.offline.making import made

VENUES = """
CREATE TABLE city (city_id INTEGER PRIMARY KEY, city_name TEXT, population INTEGER, mayor TEXT, area REAL);
CREATE TABLE arena (arena_id INTEGER PRIMARY KEY, arena_name TEXT, city_name TEXT, capacity INTEGER,
    highest_seat INTEGER, area REAL);
CREATE TABLE manager (manager_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, phone TEXT,
    city_name TEXT, hire_date DATE);
CREATE TABLE stop (stop_id INTEGER PRIMARY KEY, city_name TEXT, line TEXT);
INSERT INTO city VALUES (1, 'Oslo', 700000, 'Anne Lind', 454), (2, 'Turku', 200000, 'Minna Arve', 306);
INSERT INTO arena VALUES (1, 'Royal Arena', 'Oslo', 9000, 41, 2.5), (2, 'Fjord Hall', 'Oslo', 3000, 17, 1.1),
    (3, 'Gatorade Center', 'Turku', 11000, 38, 3.2);
INSERT INTO manager VALUES (1, 'Frank', 'Holm', '555-1', 'Oslo', '2019-03-01'),
    (2, 'Siri', 'Holm', '555-2', 'Turku', '2020-05-01');
INSERT INTO stop VALUES (1, 'Oslo', 'T1'), (2, 'Oslo', 'T2'), (3, 'Turku', '18');
"""


@pytest.fixture(scope="module")
def venues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(VENUES, tmp_path_factory.mktemp("venues")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("What is the population of Oslo?", {(700000,)}),
        ("area of Turku", {(306,)}),
        ("the mayor of Turku", {("Minna Arve",)}),
        ("capacity of the Royal Arena", {(9000,)}),
        ("what's the highest seat in Fjord Hall?", {(17,)}),
        ("How many people live in Oslo?", {(700000,)}),
        ("how big is Turku", {(306,)}),
        ("Where is Fjord Hall?", {("Oslo",)}),
        ("I need the phone and hire date of Frank Holm", {("555-1", "2019-03-01")}),
    ],
)
def test_a_fact_is_read_from_the_row_that_is_named(
    asked: str, rows: set[tuple[object, ...]], venues: Database
) -> None:
    answer = fathom.ask(asked, venues)
    assert rows_of(asked, venues) == rows
    assert (answer.confidence or 0.0) >= 0.9


@pytest.mark.parametrize(
    "asked",
    [
        "What is the average population of Oslo?",
        "How many arenas are in Oslo?",
        "Which cities have more people than Oslo?",
        "How many people live in the city of the Royal Arena?",
        "How high is the highest seat in Fjord Hall?",
        "arenas of Oslo's mayor",
    ],
)
def test_what_asks_for_more_is_no_such_fact(asked: str, venues: Database) -> None:
    trace = fathom.ask(asked, venues).trace
    assert all(step.found.get("source") != "fact" for step in trace.steps)
