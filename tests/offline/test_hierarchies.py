"""Who is above or below whom, along a key that refers to its own table."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.rows import grouped_by_names
from fathom.offline.queries.to_sql import render
from fathom.records import Question
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
UNDECLARED = """
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, branch_name TEXT, city TEXT, manager_id INTEGER);
CREATE TABLE worker (worker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, wage REAL,
    manager_id INTEGER, branch_id INTEGER REFERENCES branch);
INSERT INTO branch VALUES (1, 'North', 'Bern', 20), (2, 'South', 'Graz', 10), (3, 'Harbour', 'Kiel', 50);
INSERT INTO worker VALUES (10, 'Maria', 'Keller', 900, 0, 2), (20, 'Tom', 'Archer', 700, 10, 1),
    (30, 'Nina', 'Fox', 500, 20, 2), (40, 'Omar', 'Said', 510, 20, 1), (50, 'Rolf', 'Meier', 600, 10, 3),
    (60, 'Ada', 'Berg', 450, 20, 3);
"""
BELOW_TOM = {("Nina", "Fox"), ("Omar", "Said")}
BELOW_MARIA = {("Tom", "Archer"), ("Rolf", "Meier")}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(STAFF, tmp_path_factory.mktemp("staff")) as database:
        yield database


@pytest.fixture(scope="module")
def undeclared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(UNDECLARED, tmp_path_factory.mktemp("undeclared")) as database:
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


PER_MANAGER = {("Maria", "Keller", 2), ("Tom", "Archer", 3)}


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("who reports to Tom Archer?", {*BELOW_TOM, ("Ada", "Berg")}),
        ("workers managed by Maria Keller", BELOW_MARIA),
        ("who is Ada Berg's boss", {("Tom", "Archer")}),
        ("who is the manager of the North branch?", {("Tom", "Archer")}),
        ("who manages the Harbour branch", {("Rolf", "Meier")}),
        ("which branches are managed by Tom Archer", {("North",)}),
        ("how many people does each manager have", PER_MANAGER),
        ("number of workers per manager", PER_MANAGER),
        ("how many people report to each manager", PER_MANAGER),
        ("which manager has the most workers", {("Tom", "Archer")}),
        ("who has the most direct reports?", {("Tom", "Archer")}),
        ("which manager has the fewest subordinates", {("Maria", "Keller")}),
    ],
)
def test_keys_that_nothing_declares(asked: str, rows: set[Any], undeclared: Database) -> None:
    answer = ask(asked, undeclared)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == rows
    assert any("no key is declared" in a.text for a in answer.assumptions)


@pytest.mark.parametrize(
    "asked",
    [
        "how many branches does each manager have in Bern",
        "number of workers per manager in Kiel and Graz",
        "which manager has the most customers",
        "who manages the North branch and the South branch",
    ],
)
def test_more_than_who_is_above_is_declined(asked: str, undeclared: Database) -> None:
    answer = ask(asked, undeclared)
    assert answer.refusal is not None, answer.sql


def test_groups_by_a_key_to_the_same_table_show_names(undeclared: Database) -> None:
    engine = OfflineEngine(undeclared, KnowledgePack())
    query = parse("SELECT manager_id, avg(wage) FROM worker GROUP BY manager_id", engine.planner)
    linking = engine.link(Question("average wage of workers for each manager"))
    named = render(grouped_by_names(query, linking, engine.names), engine.planner, undeclared.dialect)
    assert {row[:2] for row in undeclared.run(named).rows} == {("Maria", "Keller"), ("Tom", "Archer")}
    asked_for = engine.link(Question("average wage of workers for each manager id"))
    assert grouped_by_names(query, asked_for, engine.names) == query
