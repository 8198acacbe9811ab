"""Questions within questions, and what joins and names must not get wrong in them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.linking.descriptions import find_descriptions
from fathom.offline.linking.namesakes import things_first
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import TableRef
from fathom.records import Question
from fathom.records.schema import Column, Schema, Table
from tests.offline.asked_databases import asked_database

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
    with asked_database("inner_questions", "aria", tmp_path_factory.mktemp("aria")) as opened:
        yield opened


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
