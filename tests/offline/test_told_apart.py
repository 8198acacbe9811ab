"""What questions say apart of what to show, flags and numbers that columns hold, names that are run together.

The data tell wrong readings apart: two courses lack exams, one has neither, and no two numbers are the same.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from fathom.databases import Database
from tests.offline.asking import ask
from tests.offline.making import made

CAMPUS = """
CREATE TABLE course (course_id INTEGER PRIMARY KEY, title TEXT, department TEXT, num_enrolled INTEGER,
    num_reviews INTEGER, clarity_score REAL, helpfulness_score REAL, has_exams INTEGER, has_projects INTEGER);
CREATE TABLE student (student_id INTEGER PRIMARY KEY, full_name TEXT, admitted_on DATE, total_credit INTEGER);
INSERT INTO course VALUES (1, 'Algebra', 'Mathematics', 120, 8, 4, 3, 1, 0),
    (2, 'Painting', 'Arts', 30, 3, 5, 4, 0, 1), (3, 'Databases', 'Computing', 80, 20, 2, 1, 1, 1),
    (4, 'Drawing', 'Arts', 25, 5, 4, 2, 0, 0);
INSERT INTO student VALUES (1, 'Ann Li', '2021-09-01', 60), (2, 'Bo Ek', '2021-09-15', 45),
    (3, 'Cy Poe', '2022-02-01', 30), (4, 'Di Roe', '2022-09-03', 12), (5, 'Ed Sy', '2021-10-02', 90);
"""
PLACES = """
CREATE TABLE place (pid INTEGER, place_id TEXT, name TEXT, city TEXT, state TEXT, is_open INTEGER);
CREATE TABLE checkin (cid INTEGER, place_id TEXT, count INTEGER, day TEXT);
CREATE TABLE users (uid INTEGER, user_id TEXT, name TEXT);
CREATE TABLE review (rid INTEGER, place_id TEXT, user_id TEXT, stars REAL, year INTEGER, month TEXT);
CREATE TABLE tag (id INTEGER, place_id TEXT, tag_name TEXT);
INSERT INTO tag VALUES (1, 'p-a', 'Jazz'), (2, 'p-a', 'Food'), (3, 'p-b', 'Food'), (4, 'p-c', 'Jazz'),
    (5, 'p-d', 'Food');
INSERT INTO place VALUES (1, 'p-a', 'Blue Door', 'Austin', 'TX', 1),
    (2, 'p-b', 'Old Mill', 'Austin', 'TX', 0),
    (3, 'p-c', 'Sea View', 'Miami', 'FL', 1), (4, 'p-d', 'Red Barn', 'Austin', 'TX', 1);
INSERT INTO checkin VALUES (1, 'p-a', 10, 'Monday'), (2, 'p-a', 25, 'Saturday'), (3, 'p-b', 7, 'Sunday'),
    (4, 'p-c', 4, 'Friday'), (5, 'p-d', 9, 'Saturday');
INSERT INTO users VALUES (1, 'u-x', 'Sara Li'), (2, 'u-y', 'Tom Ode'), (3, 'u-z', 'Kim Eze');
INSERT INTO review VALUES (1, 'p-a', 'u-x', 5, 2021, 'April'), (2, 'p-b', 'u-x', 3, 2021, 'May'),
    (3, 'p-c', 'u-y', 4, 2022, 'April'), (4, 'p-d', 'u-y', 3, 2021, 'April'),
    (5, 'p-a', 'u-z', 4, 2020, 'June'),
    (6, 'p-d', 'u-x', 4, 2019, 'June');
"""
DEALS = """
CREATE TABLE kxcustomer (kxcustid TEXT PRIMARY KEY, kxcustname TEXT, kxcustcountry TEXT, kxcustjoindate DATE);
CREATE TABLE kxtransaction (kxtxid TEXT PRIMARY KEY, kxtxcustid TEXT, kxtxtype TEXT, kxtxprice REAL,
    kxtxdatetime TEXT);
INSERT INTO kxcustomer VALUES ('C1', 'Ann Li', 'Spain', '2022-12-01'), ('C2', 'Bo Ek', 'Chile', '2023-01-05'),
    ('C3', 'Cy Poe', 'Spain', '2023-02-10');
INSERT INTO kxtransaction VALUES ('T1', 'C1', 'buy', 10, '2023-04-01 09:00:00'),
    ('T2', 'C2', 'sell', 20, '2023-04-01 10:30:00'), ('T3', 'C2', 'sell', 40, '2023-04-01 23:59:00'),
    ('T4', 'C3', 'sell', 70, '2023-04-02 00:00:00'), ('T5', 'C3', 'sell', 5, '2023-04-03 08:00:00'),
    ('T6', 'C3', 'sell', 15, '2023-03-31 08:00:00');
"""
DURATIONS = """
CREATE TABLE login (login_id INTEGER PRIMARY KEY, device_type TEXT, login_start TIMESTAMP,
    login_end TIMESTAMP);
INSERT INTO login VALUES (1, 'phone', '2023-06-01 09:00:00', '2023-06-01 09:00:30'),
    (2, 'phone', '2023-06-01 10:00:00', '2023-06-01 10:01:30'),
    (3, 'laptop', '2023-06-02 09:00:00', '2023-06-02 10:00:00');
"""


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Database]]:
    with (
        made(CAMPUS, tmp_path_factory.mktemp("campus")) as campus,
        made(PLACES, tmp_path_factory.mktemp("places")) as places,
        made(DEALS, tmp_path_factory.mktemp("deals")) as deals,
        made(DURATIONS, tmp_path_factory.mktemp("durations")) as durations,
    ):
        yield {"campus": campus, "places": places, "deals": deals, "durations": durations}


def _rows(asked: str, database: Database) -> list[tuple[Any, ...]]:
    draft = ask(asked, database)
    assert draft.refusal is None, draft.sql
    assert draft.sql is not None
    rows = database.run(draft.sql).rows
    return [tuple(round(c, 6) if isinstance(c, float) else c for c in row) for row in rows]


@pytest.mark.parametrize(
    ("name", "asked", "rows"),
    [
        (
            "campus",
            "Which course has the highest number of enrolled students, and what is the number of reviews?",
            [("Algebra", 8)],
        ),
        (
            "campus",
            "What month were most students admitted? Return the no. of students and the month.",
            [(2, "2021-09")],
        ),
        (
            "campus",
            "What are the clarity scores of the courses in the Arts department? Show both titles and scores.",
            [("Painting", 5.0), ("Drawing", 4.0)],
        ),
        (
            "deals",
            "Which customer made the most sell transactions on 2023-04-01? Return the id, name and number of"
            " transactions.",
            [("C2", "Bo Ek", 2)],
        ),
    ],
)
def test_what_is_said_apart_is_shown(
    name: str, asked: str, rows: list[tuple[Any, ...]], databases: dict[str, Database]
) -> None:
    assert _rows(asked, databases[name]) == rows


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("Which courses have exams?", {"Algebra", "Databases"}),
        ("Which courses have exams and projects?", {"Databases"}),
        ("Which courses have exams or projects?", {"Algebra", "Databases", "Painting"}),
        ("Which courses lack exams?", {"Painting", "Drawing"}),
        ("List the titles of the courses without exams or projects.", {"Drawing"}),
    ],
)
def test_flags_say_what_rows_have(asked: str, titles: set[str], databases: dict[str, Database]) -> None:
    assert {title for (title,) in _rows(asked, databases["campus"])} == titles


@pytest.mark.parametrize(
    ("name", "asked", "rows"),
    [
        (
            "campus",
            "What is the total number of students enrolled in each course, ordered from highest to lowest?",
            [("Algebra", 120), ("Databases", 80), ("Painting", 30), ("Drawing", 25)],
        ),
        (
            "campus",
            "What is the number of reviews for each course, ordered from lowest to highest?",
            [("Painting", 3), ("Drawing", 5), ("Algebra", 8), ("Databases", 20)],
        ),
        ("places", "How many check-ins were there on weekends?", [(41,)]),
        (
            "places",
            "How many check-ins are there per day, ordered by day?",
            [(10, "Monday"), (4, "Friday"), (34, "Saturday"), (7, "Sunday")],
        ),
        (
            "places",
            "How many reviews were posted in each month, ordered by the month?",
            [("April", 3), ("May", 1), ("June", 2)],
        ),
        ("places", "How many check-ins were there at the Blue Door?", [(35,)]),
        ("places", "How many reviews did Sara Li post?", [(3,)]),
        ("places", 'How many reviews were posted by users with the name "Sara Li" in April 2021?', [(1,)]),
        ("places", "What is the total number of reviews posted in 2021?", [(3,)]),
        ("places", "What is the number of reviews for each tag?", [("Food", 5), ("Jazz", 3)]),
        ("places", "How many reviews are there of places with the tag Food?", [(5,)]),
        (
            "places",
            "What is the total count of check-ins for each place id in the state of Texas?",
            [("p-a", 35), ("p-b", 7), ("p-d", 9)],
        ),
        ("places", "How many reviews were posted in April 2021?", [(2,)]),
        (
            "durations",
            "average login duration in seconds split by device type",
            [("laptop", 3600.0), ("phone", 60.0)],
        ),
    ],
)
def test_numbers_are_those_that_columns_hold(
    name: str, asked: str, rows: list[tuple[Any, ...]], databases: dict[str, Database]
) -> None:
    assert _rows(asked, databases[name]) == rows


@pytest.mark.parametrize(
    ("name", "asked", "rows"),
    [
        ("campus", "What is the ratio of courses with exams to courses without exams?", {(1.0,)}),
        ("campus", "How many courses have projects and how many do not?", {(0, 2), (1, 2)}),
        ("deals", "How many transactions are sells and how many are not?", {(5, 1)}),
        ("places", "What is the ratio of open places to closed places in the city of Austin?", {(2.0,)}),
        (
            "places",
            "What is the ratio of check-ins on weekends to check-ins on weekdays for the place 'Blue Door'?",
            {(2.5,)},
        ),
        (
            "places",
            "What is the ratio of open places to closed places for each city?",
            {("Austin", 2.0), ("Miami", None)},
        ),
    ],
)
def test_one_thing_is_held_against_another(
    name: str, asked: str, rows: set[tuple[Any, ...]], databases: dict[str, Database]
) -> None:
    assert set(_rows(asked, databases[name])) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("How many customers are there per country?", {("Spain", 2), ("Chile", 1)}),
        ("What is the average transaction price per transaction type?", {("buy", 10.0), ("sell", 30.0)}),
        ("How many transactions were there before April 2, 2023?", {(4,)}),
        ("How many customers joined between 2022-12-01 and 2023-01-05?", {(2,)}),
        ("List the names of customers who joined after the 5th of January 2023", {("Cy Poe",)}),
        ("How many transactions were there in the last 9 months of 2023?", {(5,)}),
    ],
)
def test_names_run_together_are_read(
    asked: str, rows: set[tuple[Any, ...]], databases: dict[str, Database]
) -> None:
    assert set(_rows(asked, databases["deals"])) == rows


@pytest.mark.parametrize(
    ("name", "asked", "rows"),
    [
        (
            "campus",
            "What is the ratio of helpfulness scores to clarity scores for each course?",
            {("Algebra", 0.75), ("Painting", 0.8), ("Databases", 0.5), ("Drawing", 0.5)},
        ),
        ("deals", "How many transactions were made by customers who joined in 2023?", {(5,)}),
        (
            "deals",
            "Which transaction has the highest price? Return the price and the name of the customer.",
            {(70.0, "Cy Poe")},
        ),
    ],
)
def test_best_guesses_say_what_is_asked(
    name: str, asked: str, rows: set[tuple[Any, ...]], databases: dict[str, Database]
) -> None:
    assert set(databases[name].run(ask(asked, databases[name]).sql or "").rows) == rows


@pytest.mark.parametrize(
    ("name", "asked", "rows"),
    [
        (
            "places",
            "List the place names in Austin and their average stars ordered by the highest average first.",
            [("Blue Door", 4.5), ("Red Barn", 3.5), ("Old Mill", 3.0)],
        ),
        ("places", "the top 2 users with the most reviews", [("Sara Li",), ("Tom Ode",)]),
        ("places", "Return the name and average stars for each user", None),
    ],
)
def test_lists_tell_of_each(
    name: str, asked: str, rows: list[tuple[Any, ...]] | None, databases: dict[str, Database]
) -> None:
    expected = rows if rows is not None else [("Kim Eze", 4.0), ("Sara Li", 4.0), ("Tom Ode", 3.5)]
    found = _rows(asked, databases[name])
    assert sorted(found) == sorted(expected)
    assert rows is None or found == rows


def test_days_are_counted_since_the_last(databases: dict[str, Database]) -> None:
    ((days,),) = _rows("How many days has it been since the last transaction?", databases["deals"])
    ((weeks,),) = _rows("how long in weeks since the latest transaction?", databases["deals"])
    assert abs(days - (date.today() - date(2023, 4, 3)).days) <= 2
    assert abs(days / 7 - weeks) < 0.01


def test_groups_are_not_split_by_what_is_told(databases: dict[str, Database]) -> None:
    asked = "What month were most students admitted? Return the month and the name of the student."
    assert ask(asked, databases["campus"]).refusal is not None
