"""Questions within questions, and what joins and names must not get wrong in them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.linking.descriptions import find_descriptions
from fathom.offline.linking.namesakes import things_first
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import TableRef
from fathom.records import Question
from fathom.records.schema import Column, Schema, Table
from tests.offline.asking import ask
from tests.offline.making import sqlite_of

QUESTIONS = yaml.safe_load(Path(__file__).with_name("nested_questions.yaml").read_text(encoding="utf-8"))
SCHEMA = """
CREATE TABLE state (state_name TEXT PRIMARY KEY, population INTEGER, area REAL, country TEXT);
CREATE TABLE city (city_id INTEGER PRIMARY KEY, city_name TEXT, state_name TEXT REFERENCES state,
    population INTEGER);
CREATE TABLE neighbour (state_name TEXT REFERENCES state, neighbour TEXT REFERENCES state);
CREATE TABLE department (department_id INTEGER PRIMARY KEY, department_name TEXT, budget REAL);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, employee_name TEXT,
    department_id INTEGER REFERENCES department, age INTEGER, salary INTEGER);
CREATE TABLE canal (canal_name TEXT PRIMARY KEY, length INTEGER);
CREATE TABLE bridge (bridge_name TEXT PRIMARY KEY, crosses TEXT, height INTEGER);
INSERT INTO state VALUES ('Lower Fen', 900, 10.5, 'Aria'), ('High Moor', 400, 80.0, 'Aria'),
    ('Eastmark', 700, 30.0, 'Aria'), ('Saltland', 100, 5.0, 'Aria');
INSERT INTO city VALUES (1, 'Wick', 'Lower Fen', 300), (2, 'Holm', 'Lower Fen', 120),
    (3, 'Crag', 'High Moor', 310), (4, 'Tarn', 'High Moor', 50), (5, 'Ford', 'Eastmark', 800),
    (6, 'Pan', 'Saltland', 90), (7, 'Sedge', 'Lower Fen', 60);
INSERT INTO neighbour VALUES ('Lower Fen', 'High Moor'), ('High Moor', 'Lower Fen'),
    ('High Moor', 'Eastmark'), ('Eastmark', 'High Moor'), ('Eastmark', 'Saltland'), ('Saltland', 'Eastmark');
INSERT INTO department VALUES (1, 'Sales', 500), (2, 'Research', 900), (3, 'Service', 200);
INSERT INTO employee VALUES (1, 'Ann Lee', 1, 60, 100), (2, 'Bo Chan', 2, 30, 200),
    (3, 'Cy Roy', 2, 50, 150), (4, 'Di May', 3, 20, 80), (5, 'Ed Poe', 3, 25, 70), (6, 'Flo Ray', 3, 27, 75);
INSERT INTO canal VALUES ('Merrow', 40), ('Sallow', 12);
INSERT INTO bridge VALUES ('Long Arch', 'Merrow Canal', 9), ('Short Arch', 'Sallow Canal', 5);
"""


TWINS = Schema(
    "sqlite",
    tuple(
        Table(name, (Column(f"{name}_name", "TEXT", "text"), Column("country_code", "TEXT", "text")), ())
        for name in ("lake", "peak")
    ),
    (),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with connect(sqlite_of(tmp_path_factory.mktemp("aria") / "aria.sqlite", SCHEMA)) as opened:
        yield opened


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q["question"])
def test_the_best_guess_is_right(database: Database, asked: dict[str, str]) -> None:
    draft = ask(asked["question"], database)
    assert draft.sql
    assert set(database.run(draft.sql).rows) == set(database.run(asked["gold"]).rows), draft.sql


@pytest.mark.parametrize("name", ["Sales older than 40", 'Sales" or the oldest', "total age of each"])
def test_what_a_value_says_is_not_asked(name: str, tmp_path: Path) -> None:
    renamed = f"UPDATE department SET department_name = '{name}', budget = 5000 WHERE department_id = 2"
    file = sqlite_of(tmp_path / "firm.sqlite", SCHEMA, renamed)
    text = "Which employees work in the department with the largest budget?"
    with connect(file) as opened:
        draft = ask(text, opened)
        found = opened.run(draft.sql or "").rows
    assert draft.refusal is not None or sorted(found) == [("Bo Chan",), ("Cy Roy",)], draft.sql


def descriptions(database: Database, text: str) -> list[str]:
    linking = OfflineEngine(database, KnowledgePack()).link(Question(text))
    return [d.question for d in find_descriptions(linking)]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("What is the largest city in the most populous state?", "what is the most populous state"),
        ("Which states border states that border Lower Fen?", "which states border Lower Fen"),
        ("Which cities lie in the state with the largest area?", "what is the state with the largest area"),
        ("How many cities does the largest state have?", "what is the largest state"),
    ],
)
def test_a_description_is_a_question_of_its_own(database: Database, text: str, inner: str) -> None:
    assert descriptions(database, text)[0] == inner


@pytest.mark.parametrize(
    "text",
    [
        "What is the name and budget of the department with the largest budget?",
        "Which state has the most cities?",
        "How many employees are there in each department that is at most 30 years old?",
        "What is the number of employees who earn the highest salary?",
        "Which employees are older than the oldest employee?",
        "Which employees earn at least 100?",
        "What is the largest city?",
    ],
)
def test_what_one_query_tells_is_no_question_within_a_question(database: Database, text: str) -> None:
    assert descriptions(database, text) == []


def test_a_name_with_its_kind_is_the_thing_of_that_name(database: Database) -> None:
    reading = OfflineEngine(database, KnowledgePack()).linker.read(Question("How long is the Merrow canal?"))
    likely = {"Merrow Canal": 0.6, "Merrow": 0.1}
    values = tuple(replace(v, probability=likely.get(str(v.value), 0.0)) for v in reading.held)
    found = {v.value: v.probability for v in things_first(reading, values)}
    assert found["Merrow"] == 0.6
    assert found["Merrow Canal"] < 0.2


def test_columns_of_one_value_join_nothing() -> None:
    planner = JoinPlanner(TWINS)
    assert planner.plans((TableRef("lake"), TableRef("peak")))
    uniform = JoinPlanner(TWINS, {("lake", "country_code"), ("peak", "country_code")})
    assert not uniform.plans((TableRef("lake"), TableRef("peak")))
