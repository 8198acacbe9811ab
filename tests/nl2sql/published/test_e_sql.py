import asyncio
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.levels import level
from fathom.nl2sql.published.e_sql import demonstrations
from fathom.nl2sql.value_probes import cells_holding, possible_conditions
from fathom.records import Draft, Question, SolvedExample

QUESTION = Question("How many drugs are called donepezil?", evidence="drugs with a phase")
FIRST = "SELECT COUNT(*) FROM drug WHERE `trade name` = 'donepezil'"
RIGHT = "SELECT COUNT(*) FROM drug WHERE name = 'Donepezil'"
EXAMPLES = (
    SolvedExample("Boats?", "SELECT name FROM boat"),
    SolvedExample("Ferries?", "SELECT name FROM ferry"),
    SolvedExample("Harbours?", "SELECT name FROM boat JOIN harbour ON 1 = 1", evidence="all of them"),
    SolvedExample(QUESTION.text, "SELECT 'the answer given away'"),
)


def run(context: Context, *lines: str, name: str = "e-sql") -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*lines)
    known = replace(context, model=model, examples=EXAMPLES)
    return asyncio.run(run_method(find_method(name), QUESTION, known)), model


def said(**parts: str) -> str:
    return f"Here it is:\n```json\n{json.dumps(parts)}\n```"


def test_three_calls_the_last_with_what_the_others_found(context: Context) -> None:
    draft, model = run(
        context,
        said(reasoning="count", sql=FIRST),
        said(reasoning="it is the name", enriched_question="Count drug with drug.name = 'Donepezil'"),
        said(reasoning="so", sql=RIGHT),
    )
    assert draft.sql == RIGHT
    assert [s.module for s in draft.trace.steps] == ["generation", "revision", "revision"]
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 1]
    assert draft.trace.steps[0].found["sql"] == FIRST
    write, enrich, rewrite = model.prompts
    for words in (write, enrich):
        assert "'Donepezil'" in words
        assert "length in base pairs" in words
        assert "SELECT name FROM boat JOIN harbour" in words
        assert "Evidence: all of them" in words
        assert "Enriched: Harbours? (selecting name; joined by 1 = 1)" in words
        assert words.index("Reasoning: The question is about ") < words.index("Enriched: Harbours?")
    for words in (write, enrich, rewrite):
        assert QUESTION.evidence in words
        assert "given away" not in words
    assert "drug.name = 'Donepezil'" in enrich
    assert "it is the name\nCount drug with" in rewrite
    assert FIRST in rewrite
    assert "SELECT name FROM boat JOIN harbour" not in rewrite
    for request in model.script.requests:
        assert (request.sampling.temperature, request.sampling.top_p, request.sampling.max_tokens) == (
            0,
            1,
            4096,
        )
        assert request.sampling.json_mode


def test_the_error_of_the_first_query_is_shown(context: Context) -> None:
    _, model = run(context, said(sql="SELECT naem FROM drug"), said(), said(sql=RIGHT))
    assert "no such column: naem" in model.prompts[2]


@pytest.mark.parametrize("bad", ["", "no idea", "[1]", '{"sql": 3}', "{" * 40])
def test_replies_that_cannot_be_read_fall_back(context: Context, bad: str) -> None:
    assert run(context, said(sql=FIRST), bad, bad)[0].sql == FIRST
    draft, model = run(context, said(sql=FIRST), bad, said(sql=RIGHT))
    assert draft.sql == RIGHT
    assert QUESTION.text in model.prompts[2]
    refused, model = run(context, bad, bad, bad)
    assert refused.sql is None
    assert refused.refusal is not None
    assert len(model.prompts) == 1


def test_conditions_that_the_cells_allow(context: Context) -> None:
    found = asyncio.run(
        possible_conditions(context, "SELECT 1 FROM gene WHERE symbol > 'DONEP x' AND length = 3")
    )
    assert found == ["drug.name > 'Donepezil'"]
    allowed = asyncio.run(possible_conditions(context, "SELECT 1 FROM drug WHERE name = 'aricept'"))
    assert allowed == ["drug.`trade name` = 'Aricept'"]
    assert asyncio.run(cells_holding(context, "442"))[("gene", "length")] == ["144274"]
    assert asyncio.run(cells_holding(context, "%")) == {}
    assert asyncio.run(possible_conditions(context, "not a query")) == []


def test_examples_of_each_level_drawn_by_the_question() -> None:
    many = [SolvedExample(f"Which {i}?", f"SELECT c{i} FROM t") for i in range(20)]
    drawn = demonstrations(QUESTION, [*many, *EXAMPLES], "sqlite", 3)
    assert drawn == demonstrations(QUESTION, [*many, *EXAMPLES], "sqlite", 3)
    assert [level(e.sql, "sqlite") for e in drawn] == ["simple"] * 3 + ["moderate"]
    assert drawn != demonstrations(Question("Another one?"), [*many, *EXAMPLES], "sqlite", 3)
    assert level("SELECT (", "sqlite") == "simple"
    assert (
        level("SELECT a FROM b JOIN c ON 1 = 1 WHERE d IN (SELECT e FROM f UNION SELECT 1)", "")
        == "challenging"
    )


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("e-sql", 'SELECT "trade name" FROM drug'),
        ("e-sql+drops_double_quotes", "SELECT trade name FROM drug"),
    ],
)
def test_double_quotes_are_dropped_only_when_switched_on(context: Context, name: str, sql: str) -> None:
    reply = said(sql='SELECT "trade name"\nFROM drug' if "+" in name else sql)
    draft, _ = run(context, reply, said(reasoning="r"), reply, name=name)
    assert draft.candidates[0].sql == draft.sql == sql


def test_replies_that_are_no_json_lose_the_question_only_when_switched_on(context: Context) -> None:
    kept, _ = run(context, said(sql=FIRST), "?", f"I'd say {RIGHT}")
    assert kept.sql == RIGHT
    lost, _ = run(context, said(sql=FIRST), "?", f"I'd say {RIGHT}", name="e-sql+needs_json")
    assert lost.sql is None
    assert lost.refusal is not None
    lost, model = run(context, f"I'd say {RIGHT}", name="e-sql+needs_json")
    assert lost.sql is None
    assert len(model.prompts) == 1


def test_tables_without_a_key_lose_their_columns_only_when_switched_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "town.db") as made:
        made.executescript(
            "CREATE TABLE town (name TEXT); CREATE TABLE river (id INTEGER PRIMARY KEY, depth INT)"
        )
    made.close()
    with connect(tmp_path / "town.db") as database:
        for name in ("e-sql", "e-sql+loses_keyless_tables"):
            _, model = run(Context(database, cache=tmp_path), *[said(sql=RIGHT)] * 3, name=name)
            for asked in model.prompts:
                assert "CREATE TABLE town (" in asked
                assert "depth INT" in asked
                assert ("name TEXT" in asked) == (name == "e-sql")
