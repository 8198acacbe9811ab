"""Numbers of many rows: several at once, for several groups, kept and ordered by them.

The data tell wrong readings apart: who flies most often carries few passengers, one airline never flies, and
two authors share a name.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom import Answer, ask
from fathom.databases import Database
from tests.offline.making import made

FLIGHTS = """
CREATE TABLE airline (airline_id INTEGER PRIMARY KEY, airline_name TEXT, country TEXT);
CREATE TABLE flight (flight_id INTEGER PRIMARY KEY, airline_id INTEGER REFERENCES airline, destination TEXT,
    status TEXT, flight_date DATE, passengers INTEGER, delay INTEGER);
INSERT INTO airline VALUES (1, 'Azul', 'Brazil'), (2, 'Condor', 'Germany'), (3, 'Eurowings', 'Germany'),
    (4, 'Tradewind', 'Brazil');
INSERT INTO flight VALUES
    (1, 1, 'Denver', 'landed', '2020-01-05', 10, 5), (2, 1, 'Denver', 'landed', '2020-02-05', 20, 15),
    (3, 1, 'Denver', 'cancelled', '2021-01-07', 30, 0), (4, 1, 'Boston', 'landed', '2021-03-01', 40, 40),
    (5, 2, 'Denver', 'landed', '2020-01-09', 300, 10), (6, 2, 'Boston', 'cancelled', '2021-01-11', 200, 30),
    (7, 3, 'Boston', 'landed', '2021-03-09', 90, 100);
"""
PAPERS = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE journal (journal_id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE paper (paper_id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author,
    journal_id INTEGER REFERENCES journal, pages INTEGER);
INSERT INTO author VALUES (1, 'Li Wei'), (2, 'Li Wei'), (3, 'Eva Lund');
INSERT INTO journal VALUES (1, 'Cell'), (2, 'Brain');
INSERT INTO paper VALUES (1, 1, 1, 10), (2, 1, 2, 20), (3, 2, 1, 30), (4, 2, 1, 10), (5, 3, 2, 50);
"""
SALES = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, order_date DATE,
    total_amount REAL);
CREATE TABLE order_item (item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, quantity INTEGER,
    unit_price REAL);
INSERT INTO customer VALUES (1, 'Ann', 'France'), (2, 'Bo', 'France'), (3, 'Cy', 'Spain'), (4, 'Di', 'Spain');
INSERT INTO orders VALUES (1, 1, '2020-01-01', 10), (2, 1, '2021-01-01', 10), (3, 1, '2021-02-01', 10),
    (4, 2, '2021-02-02', 90), (5, 3, '2020-05-05', 40);
INSERT INTO order_item VALUES (1, 1, 1, 5), (2, 1, 1, 5), (3, 2, 2, 5), (4, 3, 1, 10), (5, 4, 9, 10),
    (6, 5, 4, 10);
"""


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(FLIGHTS, tmp_path_factory.mktemp("flights")) as database:
        yield database


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(PAPERS, tmp_path_factory.mktemp("papers")) as database:
        yield database


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SALES, tmp_path_factory.mktemp("sales")) as database:
        yield database


def _rows(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.result is not None, answer.text
    return list(answer.result.rows)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(round(cell, 9) if isinstance(cell, float) else cell for cell in row)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        (
            "number of flights per airline and status",
            {("Azul", "landed", 3), ("Azul", "cancelled", 1), ("Condor", "landed", 1),
             ("Condor", "cancelled", 1), ("Eurowings", "landed", 1)},
        ),
        (
            "number of flights by country and year",
            {("Brazil", "2020", 2), ("Brazil", "2021", 2), ("Germany", "2020", 1), ("Germany", "2021", 2)},
        ),
        (
            "how many flights and what average delay does each airline have",
            {("Azul", 4, 15), ("Condor", 2, 20), ("Eurowings", 1, 100)},
        ),
        (
            "For each airline, show the number of flights and the total number of passengers.",
            {("Azul", 4, 100), ("Condor", 2, 500), ("Eurowings", 1, 90)},
        ),
        ("min, max and average delay per destination",
         {("Denver", 0, 15, 7.5), ("Boston", 30, 100, 170 / 3)}),
        ("difference between the highest and lowest delay per destination",
         {("Denver", 15), ("Boston", 70)}),
        ("what share of flights by status", {("landed", 5 / 7), ("cancelled", 2 / 7)}),
    ],
)  # fmt: skip
def test_several_groups_and_numbers_at_once(asked: str, rows: set[Any], flights: Database) -> None:
    assert set(map(_rounded, _rows(ask(asked, flights)))) == set(map(_rounded, rows))


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("airlines with more than 1 flight to Denver", {"Azul"}),
        ("which airlines had more than 1 flight in 2020", {"Azul"}),
        ("airlines with an average delay above 18", {"Condor", "Eurowings"}),
        ("airlines with at least 2 flights and an average delay above 18", {"Condor"}),
        ("flights delayed more than the average of their airline", {4, 6}),
    ],
)
def test_groups_and_rows_are_kept_by_their_numbers(asked: str, shown: set[Any], flights: Database) -> None:
    assert {row[0] for row in _rows(ask(asked, flights))} == shown


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("the 2 airlines with the most flights along with their counts", [("Azul", 4), ("Condor", 2)]),
        ("which airline has the second highest average delay", [("Condor",)]),
        (
            "total delay by airline sorted by total descending",
            [("Eurowings", 100), ("Azul", 60), ("Condor", 40)],
        ),
        (
            "average delay by airline from lowest to highest",
            [("Azul", 15), ("Condor", 20), ("Eurowings", 100)],
        ),
        (
            "top 2 airlines by average delay with the number of flights",
            [("Eurowings", 1, 100), ("Condor", 2, 20)],
        ),
        ("number of flights by destination sorted by destination", [("Boston", 3), ("Denver", 4)]),
    ],
)
def test_groups_are_ordered_by_their_numbers(asked: str, rows: list[Any], flights: Database) -> None:
    assert _rows(ask(asked, flights)) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "number of flights per airline and pilot",
        "number of flights per weekday and airline",
    ],
)
def test_what_leaves_something_open_is_declined(asked: str, flights: Database) -> None:
    assert ask(asked, flights).refusal is not None


def test_those_of_one_name_are_kept_apart(papers: Database) -> None:
    rows = _rows(ask("number of papers and average pages per author", papers))
    assert sorted(rows) == [("Eva Lund", 1, 50), ("Li Wei", 2, 15), ("Li Wei", 2, 20)]


def test_what_a_join_repeats_is_counted_once(papers: Database) -> None:
    answer = ask("number of authors and number of papers per journal", papers)
    assert set(_rows(answer)) == {("Cell", 2, 3), ("Brain", 2, 2)}


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("customers who spent more than 35", {("Bo",), ("Cy",)}),
        ("customers who spent more than 15 in 2021", {("Ann",), ("Bo",)}),
        ("countries whose total sales exceed 100", {("France",)}),
        ("number of orders and total sales per country", {("France", 4, 120), ("Spain", 1, 40)}),
        ("revenue by country and year",
         {("France", "2020", 10), ("France", "2021", 110), ("Spain", "2020", 40)}),
        ("average spending per customer", {(40,)}),
        ("on average how much do customers spend", {(40,)}),
        ("average order value", {(32,)}),
    ],
)  # fmt: skip
def test_money_is_kept_averaged_and_grouped(asked: str, rows: set[Any], sales: Database) -> None:
    assert set(_rows(ask(asked, sales))) == rows


@pytest.mark.parametrize(
    "asked",
    ["customers who spent less than 35", "average spending of customers who ordered in 2021"],
)
def test_money_of_those_who_spent_nothing_is_left_open(asked: str, sales: Database) -> None:
    assert ask(asked, sales).refusal is not None


def test_the_highest_is_no_number_beside_others(tmp_path: Path) -> None:
    staff = """
    CREATE TABLE team (team_id INTEGER PRIMARY KEY, team_name TEXT, budget REAL);
    CREATE TABLE worker (worker_id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team, salary REAL);
    INSERT INTO team VALUES (1, 'Red', 900), (2, 'Blue', 100);
    INSERT INTO worker VALUES (1, 1, 10), (2, 1, 20), (3, 2, 90);
    """
    with made(staff, tmp_path) as database:
        sql = ask("What is the average salary of workers in the team with the largest budget?", database).sql
        assert "MAX(T1.budget)" not in (sql or "")
