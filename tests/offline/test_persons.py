"""People asked for by who they are, and extremes by verbs: "who earns the most?"."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.query import ColumnRef
from fathom.offline.queries.rows import grouped_by_whole_names
from fathom.records import Question
from tests.offline.making import made

FIRM = """
CREATE TABLE department (department_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT,
    salary REAL, department_id INTEGER REFERENCES department);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, name TEXT, price REAL, weight_kg REAL);
INSERT INTO department VALUES (1, 'Research'), (2, 'Sales');
INSERT INTO employee VALUES (1, 'Ann', 'Lee', 'Lima', 5000, 1), (2, 'Bo', 'Ray', 'Quito', 7000, 1),
    (3, 'Cy', 'Fox', 'Lima', 6000, 2);
INSERT INTO product VALUES (1, 'Lamp', 20, 1.5), (2, 'Desk', 150, 30), (3, 'Pen', 2, 0.1);
"""
CLUB = """
CREATE TABLE coach (coach_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, salary REAL);
CREATE TABLE player (player_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, goals INTEGER);
"""


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(FIRM, tmp_path_factory.mktemp("firm")) as database:
        yield database


def in_idiom(asked: str, database: Database) -> str:
    return OfflineEngine(database, KnowledgePack()).in_idiom(Question(asked)).text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "who earns the most?",
            "What is the first and last name of the employee who has the highest salary?",
        ),
        (
            "Which employee is paid the least?",
            "What is the first and last name of the employee who has the lowest salary?",
        ),
        (
            "Which employees live in Lima?",
            "What are the first and last names of the employees who live in Lima?",
        ),
        ("who works in Sales?", "What are the first and last names of the employees who works in Sales?"),
        ("Which product costs the most?", "What is the name of the product that has the highest price?"),
        (
            "which product weighs the least",
            "What is the name of the product that has the lowest weight kg",
        ),
        (
            "Which department has the most employees?",
            "What is the name of the department that has the most employees?",
        ),
        ("Which products cost more than 10?", "What are the names of the products that cost more than 10?"),
        # What is asked for is something else, or said already.
        ("Which employees did Ann Lee hire?", None),
        ("which product lasts the most?", None),
        ("Which employees work in Sales? Give their last names.", None),
        ("What is the salary of Ann Lee?", None),
    ],
)
def test_people_are_asked_for_by_their_names(asked: str, said: str | None, firm: Database) -> None:
    assert in_idiom(asked, firm) == (said or asked)


def test_who_stays_where_two_kinds_of_people_may_be_meant(tmp_path_factory: pytest.TempPathFactory) -> None:
    with made(CLUB, tmp_path_factory.mktemp("club")) as database:
        assert in_idiom("who joined first?", database) == "who joined first?"
        assert in_idiom("who earns the most?", database).endswith("of the coach who has the highest salary?")


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("who earns the most?", [("Bo", "Ray")]),
        ("Which employees live in Lima?", [("Ann", "Lee"), ("Cy", "Fox")]),
        ("Which product costs the most?", [("Desk",)]),
    ],
)
def test_they_are_answered(asked: str, rows: list[tuple[str, ...]], firm: Database) -> None:
    answer = ask(asked, firm)
    assert answer.result is not None, answer.text
    assert sorted(answer.result.rows) == rows


def test_people_of_one_first_name_are_kept_apart(firm: Database) -> None:
    engine = OfflineEngine(firm, KnowledgePack())
    partly = "SELECT first_name, last_name, COUNT(*) FROM employee GROUP BY first_name"
    grouped = grouped_by_whole_names(parse(partly, engine.planner), engine.names)
    assert [c.name for c in grouped.group if isinstance(c, ColumnRef)] == [
        "employee_id",
        "first_name",
        "last_name",
    ]
    shown = parse("SELECT first_name, COUNT(*) FROM employee GROUP BY first_name", engine.planner)
    assert grouped_by_whole_names(shown, engine.names) == shown
