"""The simulated model: right as often as it is told to be, wrong in other words, the same each time."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from bench.simulated import KINDS, Gold, Simulated, corrupt, kind_of

from fathom.databases import Database, connect
from fathom.llm.prompts import fence, load
from fathom.methods import Context, find_method, run_method
from fathom.records import Question

QUESTION = "How many genes are on chromosome 19 of a species called human?"
SQL = (
    "SELECT COUNT(*) FROM gene JOIN species ON gene.species_id = species.id "
    "WHERE species.name = 'human' AND gene.chromosome = 19"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "genes.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript("""
            CREATE TABLE species (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE gene (id INTEGER PRIMARY KEY, symbol TEXT, chromosome INTEGER,
                               species_id INTEGER REFERENCES species (id));
            INSERT INTO species VALUES (1, 'human'), (2, 'mouse');
            INSERT INTO gene VALUES (1, 'APOE', 19, 1), (2, 'TP53', 17, 1), (3, 'Apoe', 7, 2);
        """)
    connection.close()
    with connect(str(file)) as opened:
        yield opened


def ask(method: str, database: Database, folder: Path, *, p: float, seed: int = 0) -> str | None:
    model = Simulated(p, [Gold(QUESTION, SQL, database.schema)], seed).model()
    context = Context(database, cache=folder, model=model)
    return asyncio.run(run_method(find_method(method), Question(QUESTION), context)).sql


@pytest.mark.parametrize("method", ["zero-shot", "zero-shot-cot", "dail-sql", "schema-index", "baseline"])
def test_single_calls_are_right_at_one_and_wrong_at_zero(
    method: str, database: Database, tmp_path: Path
) -> None:
    assert ask(method, database, tmp_path, p=1) == SQL
    assert all(ask(method, database, tmp_path, p=0, seed=s) != SQL for s in range(10))


@pytest.mark.parametrize(
    "method",
    [
        "pet-sql",
        "mac-sql",
        "ta-sql",
        "react",
        "e-sql",
        "c3",
        "rsl-sql",
        "chess-ir-ss-cg",
        "chess-ir-cg-ut",
        "din-sql",
        "gsr",
        "opensearch-sql",
    ],
)
def test_every_form_of_request_is_answered_rightly_at_one(
    method: str, database: Database, tmp_path: Path
) -> None:
    assert ask(method, database, tmp_path, p=1) == SQL


def test_the_same_seed_gives_the_same_and_another_one_varies(database: Database, tmp_path: Path) -> None:
    found = [ask("zero-shot", database, tmp_path, p=0.5, seed=s) for s in range(12)]
    assert found == [ask("zero-shot", database, tmp_path, p=0.5, seed=s) for s in range(12)]
    assert SQL in found
    assert len(set(found)) > 2


def test_samples_of_one_question_vary(database: Database) -> None:
    words = load("fathom.nl2sql", "bird_reasoning").render(
        schema="species id name gene chromosome species_id", question=QUESTION, dialect="SQLite"
    )
    model = Simulated(0.0, [Gold(QUESTION, SQL, database.schema)]).model()
    replies = asyncio.run(model.samples(words, 10))
    assert len({r.text for r in replies}) > 2


def test_wrong_queries_are_never_the_gold_one(database: Database) -> None:
    made = {corrupt(SQL, database.schema, Random(i)) for i in range(200)}
    assert SQL not in made
    assert len(made) > 8
    assert not any(Gold(QUESTION, SQL, database.schema).is_right(sql) for sql in made)


def test_nothing_is_right_without_its_schema(database: Database) -> None:
    words = load("fathom.nl2sql", "bird_reasoning").render(
        schema="gene (id, symbol)", question=QUESTION, dialect="SQLite"
    )
    model = Simulated(1.0, [Gold(QUESTION, SQL, database.schema)]).model()
    assert SQL not in asyncio.run(model.ask(words)).text


@pytest.mark.parametrize("name", KINDS)
def test_a_prompt_is_known_by_its_own_words(name: str) -> None:
    marker, kind = KINDS[name]
    assert marker in load("fathom.nl2sql", name).template
    assert not [n for n in KINDS if n != name and marker in load("fathom.nl2sql", n).template]
    assert kind_of(load("fathom.nl2sql", name).template) == kind


def test_an_unknown_question_is_an_error(database: Database) -> None:
    model = Simulated(1.0, [Gold(QUESTION, SQL, database.schema)]).model()
    with pytest.raises(LookupError, match="no question"):
        asyncio.run(model.ask(fence("question", "Something else?")))


def test_reasons_are_given_where_a_prompt_asks_for_them(database: Database, tmp_path: Path) -> None:
    gold = Gold(QUESTION, SQL, database.schema)
    for method, reasoned in (("zero-shot-cot", True), ("zero-shot", False), ("chess-ir-cg-ut", True)):
        model = Simulated(1, [gold]).model()
        asyncio.run(
            run_method(
                find_method(method), Question(QUESTION), Context(database, cache=tmp_path, model=model)
            )
        )
        replies = [Simulated(1, [gold])(request) for request in model.script.requests]
        assert any("They are joined where" in reply for reply in replies) is reasoned
