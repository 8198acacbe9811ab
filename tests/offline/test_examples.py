from dataclasses import replace

import pytest

from fathom.databases import connect
from fathom.offline.examples.exchanged_values import values_left_out
from fathom.offline.examples.solved import Examples
from fathom.offline.examples.variants.traits import traits
from fathom.offline.linking import Linker, Span
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.to_sql import render
from fathom.records import Question, SolvedExample
from tests.offline.making import linker_of, sqlite_of

SOLVED = (
    SolvedExample("How many rivers are longer than 500 km?", "SELECT count(*) FROM river WHERE length > 500"),
    SolvedExample("What is the capital of France?", "SELECT capital FROM country WHERE name = 'France'"),
    SolvedExample("the 3 longest rivers", "SELECT name FROM river ORDER BY length DESC LIMIT 3"),
    SolvedExample("broken", "SELECT nothing FROM nowhere"),
)
EARTH = """
CREATE TABLE country (name TEXT PRIMARY KEY, capital TEXT);
CREATE TABLE river (name TEXT, length INTEGER, country TEXT REFERENCES country(name));
INSERT INTO country VALUES ('France','Paris'),('Peru','Lima'),('Norway','Oslo');
INSERT INTO river VALUES ('Seine',777,'France'),('Amazon',6400,'Peru');
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Linker, JoinPlanner]:
    database = connect(sqlite_of(tmp_path_factory.mktemp("earth") / "earth.sqlite", EARTH))
    return linker_of(database), JoinPlanner(database.schema)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("What is the capital of Norway?", "SELECT capital FROM country WHERE name = 'Norway'"),
        ("How many rivers are longer than 1000 km?", "SELECT count(*) FROM river WHERE length > 1000"),
        ("the 2 longest rivers", "SELECT name FROM river ORDER BY length DESC LIMIT 2"),
    ],
)
def test_the_nearest_query_takes_the_values_of_the_question(
    world: tuple[Linker, JoinPlanner], question: str, sql: str
) -> None:
    linker, planner = world
    best = Examples(SOLVED, planner).recall(linker.link(Question(question)))[0]
    assert render(best.query, planner).lower() == sql.lower()
    assert best.similarity > 0.5


def test_a_query_whose_values_have_no_counterpart_is_not_recalled(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    recalled = Examples(SOLVED[1:2], planner).recall(linker.link(Question("What is the capital?")))
    assert not recalled


def test_what_cannot_be_read_is_left_out(world: tuple[Linker, JoinPlanner]) -> None:
    assert len(Examples(SOLVED, world[1])) == 3


def test_nothing_solved_nothing_recalled(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    assert Examples((), planner).recall(linker.link(Question("How many rivers?"))) == []


def test_words_said_twice_are_not_the_same_as_once(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    once = "which rivers are in countries of Peru"
    twice = "which rivers are in countries of countries of Peru"
    solved = [
        SolvedExample(once, "SELECT name FROM river WHERE country = 'Peru'"),
        SolvedExample(twice, "SELECT name FROM country WHERE name = 'Peru'"),
    ]
    for question, example in zip((once, twice), solved, strict=True):
        recalled = Examples(solved, planner).recall(linker.link(Question(question.replace("Peru", "France"))))
        assert recalled[0].example == example
        assert recalled[0].similarity > recalled[1].similarity


def test_words_that_solved_questions_pass_over_are_told_from_values(
    world: tuple[Linker, JoinPlanner],
) -> None:
    linker, planner = world
    examples = Examples(
        [
            SolvedExample("the longest river in Peru", "SELECT name FROM river ORDER BY length DESC LIMIT 1"),
            SolvedExample("What is the capital of France?", SOLVED[1].sql),
        ],
        planner,
    )
    linking = linker.link(Question("How many rivers are in Peru or France?"))
    spans = {str(v.value): v.span for v in linking.values if v.match == "exact"}
    assert examples.passes_over(linking, spans["Peru"])
    assert not examples.passes_over(linking, spans["France"])


def test_words_that_choose_another_table_may_still_be_a_value(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    capitals = [
        SolvedExample(f"the {what} capital of Norway", "SELECT capital FROM country LIMIT 1")
        for what in ("old", "new", "great")
    ]
    linking = linker.link(Question("Which rivers are in Norway?"))
    span = next(v.span for v in linking.values if v.value == "Norway")
    assert Examples(capitals, planner).passes_over(linking, span)
    elsewhere = [SolvedExample(c.question, "SELECT name FROM river") for c in capitals]
    assert not Examples(elsewhere, planner).passes_over(linking, span)


def test_long_runs_of_words_that_solved_questions_pass_over_are_no_value_either(
    world: tuple[Linker, JoinPlanner],
) -> None:
    linker, planner = world
    question = Question("How long is the longest river in Peru?")
    linking = linker.link(question)
    of_a_river = next(v for v in linking.values if v.column.table == "river")
    # A cell "long river" has all its words in these, and others between them.
    long_river = replace(of_a_river, value="long river", span=Span(1, 6), match="partial")
    solved = [SolvedExample("How long is the longest river of all?", "SELECT max(length) FROM river")]
    assert Examples(solved, planner).passes_over(replace(linking, values=(long_river,)), long_river.span)


def test_a_solved_query_keeps_joins_that_no_key_explains(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    question = "Which capitals bear the name of a river?"
    sql = "SELECT country.capital FROM country JOIN river ON country.capital = river.name"
    [recalled] = Examples([SolvedExample(question, sql)], planner).recall(linker.link(Question(question)))
    assert "ON T1.capital = T2.name" in render(recalled.query, planner)
    by_key = parse("SELECT country.capital FROM country JOIN river ON country.name = river.country", planner)
    assert traits(recalled.query) != traits(by_key)


def test_values_that_a_query_leaves_out_are_counted(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    linking = linker.link(Question("How many rivers are in Peru or France?"))
    queries = [
        parse(f"SELECT count(*) FROM river{where}", planner)
        for where in ("", " WHERE country = 'Peru'", " WHERE country IN ('Peru', 'FRANCE')")
    ]
    assert values_left_out(linking, queries) == [2, 1, 0]


def test_numbers_that_words_stand_for_are_no_values_left_out(world: tuple[Linker, JoinPlanner]) -> None:
    linker, planner = world
    linking = linker.link(Question("How many long rivers are in Peru?"))
    value = next(v for v in linking.values if v.value == "Peru")
    long = replace(value, value=500, text="long", span=Span(2, 3), match="exact", comparison=">")
    queries = [
        parse(f"SELECT count(*) FROM river WHERE country = 'Peru'{more}", planner)
        for more in ("", " AND length > 500")
    ]
    assert values_left_out(replace(linking, values=(*linking.values, long)), queries) == [1, 0]
