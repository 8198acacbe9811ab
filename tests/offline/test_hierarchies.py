"""Who is above or below whom, along a key that refers to its own table."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

STAFF = """
CREATE TABLE office (office_id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, title TEXT,
    salary REAL, reports_to INTEGER REFERENCES employee, office_id INTEGER REFERENCES office);
INSERT INTO office VALUES (1, 'Bern'), (2, 'Graz');
INSERT INTO employee VALUES (1, 'Maria', 'Keller', 'President', 900, NULL, 1),
    (2, 'Tom', 'Archer', 'Sales Manager', 700, 1, 1), (3, 'Nina', 'Fox', 'Clerk', 500, 2, 2),
    (4, 'Omar', 'Said', 'Clerk', 510, 2, 1), (5, 'Rolf', 'Meier', 'Buyer', 600, 1, 2);
"""
BELOW_TOM = {("Nina", "Fox"), ("Omar", "Said")}
BELOW_MARIA = {("Tom", "Archer"), ("Rolf", "Meier")}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(STAFF, tmp_path_factory.mktemp("staff")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("which employees report to Tom Archer", BELOW_TOM),
        ("who reports to Maria Keller?", BELOW_MARIA),
        ("who reports to the sales manager", BELOW_TOM),
        ("employees whose manager is Maria Keller", BELOW_MARIA),
        ("which employees are managed by Tom Archer", BELOW_TOM),
        ("who does Tom Archer manage", BELOW_TOM),
        ("direct reports of Maria Keller", BELOW_MARIA),
        ("how many employees report to Tom Archer", {(2,)}),
        ("who does Nina Fox report to", {("Tom", "Archer")}),
        ("who is Tom Archer's boss", {("Maria", "Keller")}),
        ("who manages Omar Said", {("Tom", "Archer")}),
        ("what is the title of Nina Fox's manager", {("Sales Manager",)}),
    ],
)
def test_rows_above_and_below(asked: str, rows: set[Any], staff: Database) -> None:
    answer = ask(asked, staff)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "which employees report to Maria Keller or Tom Archer",
        "who doesn't report to Tom Archer",
        "which employees in Graz report to Tom Archer",
    ],
)
def test_what_a_key_alone_would_answer_is_declined(asked: str, staff: Database) -> None:
    answer = ask(asked, staff)
    assert answer.refusal is not None, answer.sql
