"""What a query says otherwise than its question: comparisons, denials, extremes, orders, held numbers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.rules import CONTRADICTIONS, OVERLOOKED
from fathom.offline.checks.shows_less import counts_all
from fathom.offline.engine import OfflineEngine
from fathom.offline.finishing.held_numbers import with_held_numbers
from fathom.offline.finishing.said_outright import as_said
from fathom.offline.paraphrase.small_talk import to_the_point
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.to_sql import render
from fathom.records import Question
from tests.offline.asking import rows_of
from tests.offline.making import made

PARTIES = """
CREATE TABLE minister (minister_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, party TEXT,
    took_office INTEGER);
CREATE TABLE campus (campus_id INTEGER PRIMARY KEY, campus_name TEXT, opened INTEGER);
CREATE TABLE degrees (campus_id INTEGER REFERENCES campus, year INTEGER, degrees INTEGER,
    PRIMARY KEY (campus_id, year));
CREATE TABLE match (match_id INTEGER PRIMARY KEY, campus_id INTEGER REFERENCES campus, year INTEGER,
    losses INTEGER);
INSERT INTO minister VALUES (1, 'Ada', 'Ek', 'Blue', 1955), (2, 'Bo', 'Lo', 'Red', 1960),
    (3, 'Cy', 'Mo', 'Blue', 1965);
INSERT INTO campus VALUES (1, 'North', 1900), (2, 'South', 1950), (3, 'East', 1980);
INSERT INTO degrees VALUES (1, 2001, 40), (1, 2002, 70), (2, 2001, 90);
INSERT INTO match VALUES (1, 1, 2009, 3), (2, 2, 2009, 1), (3, 2, 2010, 4);
"""


@pytest.fixture(scope="module")
def parties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(PARTIES, tmp_path_factory.mktemp("parties")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(parties: Database) -> OfflineEngine:
    return OfflineEngine(parties, KnowledgePack())


def is_at_odds(sql: str, asked: str, engine: OfflineEngine) -> bool:
    """True if a check finds that a query contradicts a question."""
    checked = engine.checked(parse(sql, engine.planner), engine.link(Question(asked)))
    return engine.rules.says_any(CONTRADICTIONS, checked)


@pytest.mark.parametrize(
    ("asked", "odd", "right"),
    [
        (
            "Show the last names of ministers who took office after 1961",
            "SELECT last_name FROM minister WHERE took_office = 1961",
            "SELECT last_name FROM minister WHERE took_office > 1961",
        ),
        (
            "Which parties have both Blue and Red?",
            "SELECT party FROM minister WHERE party = 'Blue' INTERSECT"
            " SELECT party FROM minister WHERE party = 'Red'",
            "SELECT party FROM minister WHERE party IN ('Blue', 'Red')",
        ),
        (
            "Which campus gave the most degrees in each year?",
            "SELECT T1.campus_name FROM campus AS T1 JOIN degrees AS T2 ON T1.campus_id = T2.campus_id"
            " GROUP BY T2.year ORDER BY max(T2.degrees) DESC LIMIT 1",
            "SELECT T1.campus_name, T2.year FROM campus AS T1 JOIN degrees AS T2"
            " ON T1.campus_id = T2.campus_id GROUP BY T2.year HAVING max(T2.degrees) > 0",
        ),
        (
            "Campuses that gave degrees in more than two different years",
            "SELECT T1.campus_name FROM campus AS T1 JOIN degrees AS T2 ON T1.campus_id = T2.campus_id"
            " GROUP BY T1.campus_id HAVING count(T2.year) > 2",
            "SELECT T1.campus_name FROM campus AS T1 JOIN degrees AS T2 ON T1.campus_id = T2.campus_id"
            " GROUP BY T1.campus_id HAVING count(DISTINCT T2.year) > 2",
        ),
        (
            "How many matches were lost in 2009?",
            "SELECT count(*) FROM match WHERE losses = 2009",
            "SELECT count(*) FROM match WHERE year = 2009",
        ),
        (
            "Names of campuses with 1 match",
            "SELECT campus_name FROM campus WHERE campus_id = 1",
            "SELECT T1.campus_name FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "GROUP BY T1.campus_id HAVING count(*) = 1",
        ),
        (
            "Names of campuses that never had more than 3 losses",
            "SELECT T1.campus_name FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "WHERE T2.losses > 3",
            "SELECT campus_name FROM campus WHERE campus_id NOT IN "
            "(SELECT campus_id FROM match WHERE losses > 3)",
        ),
        (
            "What is the year of the latest match of the North campus?",
            "SELECT T2.year FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "WHERE T1.campus_name = 'North'",
            "SELECT max(T2.year) FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "WHERE T1.campus_name = 'North'",
        ),
        (
            "Which campus had the fewest losses?",
            "SELECT campus_id FROM match ORDER BY losses DESC LIMIT 1",
            "SELECT campus_id FROM match ORDER BY losses LIMIT 1",
        ),
        (
            "What are the names of campuses without matches?",
            "SELECT campus_id FROM campus WHERE campus_id NOT IN (SELECT campus_id FROM match)",
            "SELECT campus_name FROM campus WHERE campus_id NOT IN (SELECT campus_id FROM match)",
        ),
        (
            "Show the party and the number of ministers of each party",
            "SELECT party, party FROM minister GROUP BY party",
            "SELECT party, count(*) FROM minister GROUP BY party",
        ),
        (
            "Which matches had losses lower than the average?",
            "SELECT match_id FROM match WHERE losses > (SELECT avg(losses) FROM match)",
            "SELECT match_id FROM match WHERE losses < (SELECT avg(losses) FROM match)",
        ),
        (
            "Show the average opening year of Blue and Red ministers",
            "SELECT avg(took_office) FROM minister WHERE party = 'Blue'",
            "SELECT party, avg(took_office) FROM minister WHERE party = 'Blue' OR party = 'Red' "
            "GROUP BY party",
        ),
        (
            "How many matches had 2 to 4 losses?",
            "SELECT count(*) FROM match WHERE losses <= 4",
            "SELECT count(*) FROM match WHERE losses BETWEEN 2 AND 4",
        ),
        (
            "Which matches had 3 or 4 losses?",
            "SELECT match_id FROM match WHERE losses = 3",
            "SELECT match_id FROM match WHERE losses = 3 OR losses = 4",
        ),
        (
            "How many matches did the South campus have?",
            "SELECT count(*) FROM campus WHERE campus_name = 'South'",
            "SELECT count(*) FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "WHERE T1.campus_name = 'South'",
        ),
        (
            "List the names and opening years of campuses with a match in 2009",
            "SELECT T1.opened FROM campus AS T1 JOIN match AS T2 ON T1.campus_id = T2.campus_id "
            "WHERE T2.year = 2009",
            "SELECT T1.campus_name, T1.opened FROM campus AS T1 JOIN match AS T2 "
            "ON T1.campus_id = T2.campus_id WHERE T2.year = 2009",
        ),
        (
            "What are the ids and parties of ministers?",
            "SELECT party, last_name FROM minister",
            "SELECT minister_id, party FROM minister",
        ),
        (
            "total losses of all matches",
            "SELECT sum(match_id) FROM match",
            "SELECT sum(losses) FROM match",
        ),
    ],
)
def test_a_query_is_at_odds_with_its_question(
    asked: str, odd: str, right: str, engine: OfflineEngine
) -> None:
    assert is_at_odds(odd, asked, engine)
    assert not is_at_odds(right, asked, engine)


@pytest.mark.parametrize(
    "asked",
    ["parties with at least 2 ministers", "Show the parties that have at most 2 ministers"],
)
def test_bounds_are_no_extremes(asked: str, engine: OfflineEngine) -> None:
    sql = "SELECT party FROM minister GROUP BY party HAVING count(*) >= 2"
    assert not is_at_odds(sql, asked, engine)


@pytest.mark.parametrize(
    ("asked", "chosen", "mended"),
    [
        (
            "First names and parties of ministers in ascending order of their party",
            "SELECT first_name, party FROM minister ORDER BY first_name",
            "SELECT first_name, party FROM minister ORDER BY party",
        ),
        (
            "last names of all ministers in reverse alphabetical order",
            "SELECT last_name FROM minister ORDER BY last_name",
            "SELECT last_name FROM minister ORDER BY last_name DESC",
        ),
        (
            "Show the parties sorted by the number of ministers",
            "SELECT party, COUNT(*) FROM minister GROUP BY party ORDER BY COUNT(*)",
            "SELECT party FROM minister GROUP BY party ORDER BY COUNT(*)",
        ),
        (
            "Show the parties and the number of ministers, sorted by party",
            "SELECT party, COUNT(*) FROM minister GROUP BY party ORDER BY COUNT(*)",
            "SELECT party, COUNT(*) FROM minister GROUP BY party ORDER BY party",
        ),
    ],
)
def test_rows_come_in_the_order_that_is_said(
    asked: str, chosen: str, mended: str, engine: OfflineEngine
) -> None:
    query = as_said(parse(chosen, engine.planner), engine.link(Question(asked)))
    assert render(query, engine.planner, "sqlite") == mended


def test_a_number_that_rows_hold_is_added_up(engine: OfflineEngine) -> None:
    linking = engine.link(Question("Which year has the most degrees?"))
    counted = parse("SELECT year FROM degrees GROUP BY year ORDER BY COUNT(*) DESC LIMIT 1", engine.planner)
    query = with_held_numbers(counted, linking, engine.names)
    assert (
        render(query, engine.planner, "sqlite")
        == "SELECT year FROM degrees GROUP BY year ORDER BY SUM(degrees) DESC LIMIT 1"
    )


def test_the_degrees_of_a_year_are_those_that_rows_hold(parties: Database) -> None:
    assert rows_of("How many degrees were there in 2001?", parties) == {(130,)}


@pytest.mark.parametrize(
    "asked",
    [
        "How many ministers took office in or after 1960?",
        "How many ministers took office from 1960 on?",
        "How many ministers took office in 1960 or later?",
    ],
)
def test_a_year_is_within_what_begins_with_it(asked: str, parties: Database) -> None:
    assert rows_of(asked, parties) == {(2,)}


def test_short_names_of_columns_are_first_and_last_names(tmp_path: Path) -> None:
    people = """
        CREATE TABLE student (stuid INTEGER PRIMARY KEY, LName TEXT, Fname TEXT, age INTEGER);
        INSERT INTO student VALUES (1, 'Ek', 'Ada', 20), (2, 'Lo', 'Bo', 21);
    """
    with made(people, tmp_path) as database:
        rows = rows_of("Show first name and last name of all students", database)
        assert {frozenset(row) for row in rows} == {frozenset(("Ada", "Ek")), frozenset(("Bo", "Lo"))}


def test_full_names_are_first_and_last_names(parties: Database) -> None:
    asked = "What is the full name of the minister who took office in 1960?"
    assert rows_of(asked, parties) == {("Bo", "Lo")}


@pytest.mark.parametrize(
    ("asked", "point"),
    [
        ("titles that contain the word love", 'titles that contain "love"'),
        ("tracks that contain the the word you in them", 'tracks that contain "you" in them'),
        ("books containing the word 'ice'", "books containing the word 'ice'"),
    ],
)
def test_a_word_that_is_contained_is_quoted(asked: str, point: str) -> None:
    assert to_the_point(asked) == point


@pytest.mark.parametrize(
    ("asked", "sql", "together"),
    [
        ("how many ministers per party", "SELECT count(*) FROM minister WHERE party = 'Red'", True),
        ("how many ministers per party", "SELECT party, count(*) FROM minister GROUP BY party", False),
        ("the number of red ministers", "SELECT count(*) FROM minister WHERE party = 'Red'", False),
        ("average degrees per year", "SELECT avg(degrees) FROM degrees", False),
    ],
)
def test_each_kind_is_counted_by_itself(asked: str, sql: str, together: bool, engine: OfflineEngine) -> None:
    assert counts_all(parse(sql, engine.planner), engine.link(Question(asked))) == together


def test_what_passes_over_a_year_is_put_behind_what_holds_it(engine: OfflineEngine) -> None:
    linking = engine.link(Question("How many matches did campuses have in 2009?"))
    without, within = (
        parse(sql, engine.planner)
        for sql in ("SELECT count(*) FROM match", "SELECT count(*) FROM match WHERE year = 2009")
    )
    assert engine.rules.says_any(OVERLOOKED, engine.checked(without, linking))
    assert not engine.rules.says_any(OVERLOOKED, engine.checked(within, linking))
