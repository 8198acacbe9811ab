"""What is told of each row besides: "guests from Ohio with their phone numbers"."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.asking import rows_of
from tests.offline.making import made

INN = """
CREATE TABLE agency (agency_id INTEGER PRIMARY KEY, name TEXT, phone TEXT);
CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, state TEXT, email TEXT,
    phone TEXT, agency_id INTEGER NOT NULL REFERENCES agency, sponsor_id INTEGER REFERENCES agency);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, room_name TEXT, price REAL, floor INTEGER,
    style TEXT);
CREATE TABLE stay (stay_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest,
    room_id INTEGER REFERENCES room, arrival DATE, nights INTEGER);
INSERT INTO agency VALUES (1, 'Sun Tours', '555-1'), (2, 'Sea Trips', '555-2');
INSERT INTO guest VALUES (1, 'Ann', 'Ito', 'Ohio', 'a@x.org', '1-1', 1, NULL),
    (2, 'Bo', 'Haas', 'Utah', NULL, '1-2', 2, 1), (3, 'Kim', 'Eze', 'Ohio', 'k@x.org', '1-3', 2, NULL);
INSERT INTO room VALUES (1, 'Blue', 90, 1, 'plain'), (2, 'Rose', 120, 2, 'rustic'),
    (3, 'Attic', 60, 3, 'plain');
INSERT INTO stay VALUES (1, 1, 1, '2021-05-01', 2), (2, 2, 3, '2021-06-01', 7), (3, 1, 2, '2022-01-01', 1);
"""


@pytest.fixture(scope="module")
def inn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(INN, tmp_path_factory.mktemp("inn")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        (
            "List the guests from Ohio with their email addresses",
            {("Ann", "Ito", "a@x.org"), ("Kim", "Eze", "k@x.org")},
        ),
        ("rooms with their prices", {("Blue", 90), ("Rose", 120), ("Attic", 60)}),
        ("plain rooms and their floors", {("Blue", 1), ("Attic", 3)}),
        ("show all rooms with price and floor", {("Blue", 90, 1), ("Rose", 120, 2), ("Attic", 60, 3)}),
        ("the 2 most expensive rooms along with the price", {("Rose", 120), ("Blue", 90)}),
        ("guests from Ohio with their agency", {("Ann", "Ito", "Sun Tours"), ("Kim", "Eze", "Sea Trips")}),
        (
            "guests with their sponsors",
            {("Ann", "Ito", None), ("Bo", "Haas", "Sun Tours"), ("Kim", "Eze", None)},
        ),
        ("guests from Utah with their phone number and state", {("Bo", "Haas", "1-2", "Utah")}),
    ],
)
def test_columns_are_shown_with_the_rows(asked: str, rows: set[Any], inn: Database) -> None:
    assert rows_of(asked, inn) == rows


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("guests with an email", 2),
        ("guests with more than one stay", 1),
        ("rooms with a price above 80", 2),
    ],
)
def test_what_rows_have_still_restricts_them(asked: str, shown: int, inn: Database) -> None:
    answer = ask(asked, inn)
    if answer.refusal is None:
        assert answer.result is not None
        assert len(answer.result.rows) == shown


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("stays with their agency", id="of other rows that lead there in two ways"),
        pytest.param("guests with their stays", id="many rows of each"),
        pytest.param("rooms with their colours", id="nothing is called so"),
        pytest.param("rooms with their average nights", id="a number of many rows"),
    ],
)
def test_what_each_row_has_not_one_of_is_not_shown(asked: str, inn: Database) -> None:
    answer = ask(asked, inn)
    assert answer.refusal is not None, answer.sql
