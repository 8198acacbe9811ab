"""Two keys of a table to the same other: which of them leads to a row that the question names."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

FLIGHTS = """
CREATE TABLE city (city_id INTEGER PRIMARY KEY, name TEXT, state TEXT);
CREATE TABLE airport (airport_id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER REFERENCES city);
CREATE TABLE airline (airline_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE flight (flight_id INTEGER PRIMARY KEY, airline_id INTEGER REFERENCES airline,
    origin_airport_id INTEGER REFERENCES airport(airport_id),
    destination_airport_id INTEGER REFERENCES airport(airport_id), price REAL);
INSERT INTO city VALUES (1, 'Boston', 'Massachusetts'), (2, 'Denver', 'Colorado'), (3, 'Austin', 'Texas'),
    (4, 'The', 'Texas');
INSERT INTO airport VALUES (1, 'Logan', 1), (2, 'Stapleton', 2), (3, 'Bergstrom', 3), (4, 'Centennial', 2);
INSERT INTO airline VALUES (1, 'Delta', 'USA'), (2, 'WestJet', 'Canada');
INSERT INTO flight VALUES (1, 1, 1, 2, 100), (2, 1, 1, 4, 150), (3, 2, 2, 1, 90), (4, 2, 1, 3, 80),
    (5, 1, 3, 2, 70), (6, 1, 1, 3, 60), (7, 1, 2, 3, 50);
"""
MESSAGES = """
CREATE TABLE users (user_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE message (message_id INTEGER PRIMARY KEY, sender_id INTEGER REFERENCES users(user_id),
    receiver_id INTEGER REFERENCES users(user_id), body TEXT);
CREATE TABLE paper (paper_id INTEGER PRIMARY KEY, title TEXT,
    supervisor_id INTEGER REFERENCES users(user_id));
CREATE TABLE citation (citing_id INTEGER REFERENCES paper(paper_id),
    cited_id INTEGER REFERENCES paper(paper_id), PRIMARY KEY (citing_id, cited_id));
INSERT INTO users VALUES (1, 'Ann', 'Peru'), (2, 'Bob', 'Cuba'), (3, 'Carla', 'Peru');
INSERT INTO message VALUES (1, 1, 2, 'a'), (2, 1, 2, 'b'), (3, 2, 1, 'c'), (4, 3, 2, 'd'), (5, 1, 3, 'e');
INSERT INTO paper VALUES (1, 'Relational Model', 1), (2, 'Ingres', 1), (3, 'Volcano', 2);
INSERT INTO citation VALUES (2, 1), (3, 1), (3, 2);
"""
MATCHES = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE matches (match_id INTEGER PRIMARY KEY, home_team_id INTEGER REFERENCES team(id),
    away_team_id INTEGER REFERENCES team(id), attendance INTEGER);
INSERT INTO team VALUES (1, 'Ajax'), (2, 'Utrecht'), (3, 'Twente');
INSERT INTO matches VALUES (1, 1, 2, 500), (2, 1, 3, 600), (3, 2, 1, 300), (4, 3, 2, 200), (5, 1, 2, 700);
"""


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(FLIGHTS, tmp_path_factory.mktemp("flights")) as database:
        yield database


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(MESSAGES, tmp_path_factory.mktemp("messages")) as database:
        yield database


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(MATCHES, tmp_path_factory.mktemp("matches")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("how many flights are there from Boston to Denver", {(2,)}),
        ("flights from Boston to Denver", {(1,), (2,)}),
        ("flights denver to boston", {(3,)}),
        ("how many flights to Denver", {(3,)}),
        ("how many flights are there from the Logan to Bergstrom", {(2,)}),
        ("how many flights leave Boston", {(4,)}),
        ("number of flights departing from Austin", {(1,)}),
        ("how many flights arrive in Austin", {(3,)}),
        ("average price of flights from Boston to Austin", {(70.0,)}),
        ("which airlines fly from Denver to Boston", {("WestJet",)}),
        ("which airlines have no flights to Boston", {("Delta",)}),
        ("how many flights are there from Logan to Bergstrom", {(2,)}),
        ("which city has the most departing flights", {("Boston",)}),
        ("number of flights by destination city", {("Denver", 3), ("Boston", 1), ("Austin", 3)}),
        ("which cities have flights to Boston", {("Denver",)}),
        ("which cities have more than 2 departing flights", {("Boston",)}),
    ],
)
def test_origins_and_destinations(asked: str, rows: set[Any], flights: Database) -> None:
    _answers(asked, rows, flights)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("messages sent by Ann to Bob", {(1,), (2,)}),
        ("how many messages did Ann send", {(3,)}),
        ("how many messages did Bob receive", {(3,)}),
        ("how many messages were received by Ann", {(1,)}),
        ("who sent messages to Bob", {("Ann",), ("Carla",)}),
        ("who received a message from Ann", {("Bob",), ("Carla",)}),
        ("who sent the most messages", {("Ann",)}),
        ("which user received the most messages", {("Bob",)}),
        ("number of messages sent by each user", {("Ann", 3), ("Bob", 1), ("Carla", 1)}),
        ("which papers cite Relational Model", {("Ingres",), ("Volcano",)}),
        ("papers cited by Volcano", {("Relational Model",), ("Ingres",)}),
        ("how many papers cite Ingres", {(1,)}),
        ("how many papers does Ann supervise", {(2,)}),
        ("papers supervised by Bob", {("Volcano",)}),
    ],
)
def test_senders_and_receivers(asked: str, rows: set[Any], messages: Database) -> None:
    _answers(asked, rows, messages)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("how many matches did Ajax play at home", {(3,)}),
        ("matches where Ajax was the away team", {(3,)}),
        ("how many home matches did Utrecht play", {(1,)}),
        ("average attendance of matches with Ajax as home team and Utrecht as away team", {(600.0,)}),
    ],
)
def test_home_and_away(asked: str, rows: set[Any], matches: Database) -> None:
    _answers(asked, rows, matches)


@pytest.mark.parametrize(
    "asked",
    [
        "how many matches did Ajax play",
        "which team has the most matches",
        "matches with Ajax or Utrecht as home team",
    ],
)
def test_where_no_role_is_said_no_key_is_taken_for_granted(asked: str, matches: Database) -> None:
    answer = ask(asked, matches)
    assert answer.refusal is not None, answer.sql


def test_alternatives_are_declined(flights: Database) -> None:
    answer = ask("how many flights from Boston to Denver or Austin", flights)
    assert answer.refusal is not None, answer.sql


@pytest.mark.parametrize(
    "asked", ["how many airlines from Canada are there", "how many airlines are from Canada"]
)
def test_from_says_what_a_row_of_another_table_is(asked: str, flights: Database) -> None:
    answer = ask(asked, flights)
    assert answer.result is not None
    assert answer.result.rows == ((1,),)


def _answers(asked: str, rows: set[Any], database: Database) -> None:
    answer = ask(asked, database)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == rows, answer.sql
