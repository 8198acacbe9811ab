"""Selection in two stages, its cache, and what widens it."""

import asyncio
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from fathom.answering.preparation import prepare
from fathom.llm import Budget, ScriptedModel
from fathom.methods import Context, run_method
from fathom.nl2sql.adaptive import ADAPTIVE, narrowing
from fathom.nl2sql.adaptive.first_try import FirstTry
from fathom.nl2sql.adaptive.narrowing import narrow_schema, refine_columns, widened
from fathom.nl2sql.adaptive.writing import write_until_sure
from fathom.nl2sql.query_runs import QueryRun, Status, execute
from fathom.nl2sql.selections import everything
from fathom.records import Draft, Question, Selection

QUESTION = Question("Which genes are on chromosome 19?")
SYMBOLS = json.dumps({"gene": ["symbol", "chromosome"]})


def refine(context: Context, model: ScriptedModel, question: Question = QUESTION) -> Draft:
    draft = Draft(question, selection=everything(context.database.schema))
    return asyncio.run(refine_columns.function(draft, replace(context, model=model), wide=3))


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrowing, "WIDE", 3)


def test_tables_that_were_linked_stay_whole_and_cost_no_call(context: Context) -> None:
    linked = Draft(QUESTION, selection=Selection({"gene": ("symbol",)}))
    draft = asyncio.run(narrow_schema.function(linked, context))
    assert draft.selection == Selection({"gene": ("id", "symbol", "chromosome", "length")})


def test_a_wide_schema_keeps_the_nearest_tables_too(context: Context, wide: None) -> None:
    linked = Draft(Question("Which drugs?"), selection=Selection({"gene": ("symbol",)}))
    draft = asyncio.run(narrow_schema.function(linked, context, tables=1))
    assert draft.selection is not None
    assert set(draft.selection.tables) >= {"drug", "gene"}


def test_without_a_link_the_nearest_tables_are_taken(context: Context) -> None:
    draft = asyncio.run(narrow_schema.function(Draft(Question("Which drugs?")), context, tables=1))
    assert draft.selection is not None
    assert "drug" in draft.selection.tables


def test_of_many_columns_the_model_names_those_needed(context: Context) -> None:
    model = ScriptedModel.of(SYMBOLS)
    draft = refine(context, model)
    assert draft.selection == Selection({"gene": ("id", "symbol", "chromosome")})
    assert len(model.prompts) == 1
    assert draft.notes == {"from": "the model"}


def test_few_columns_are_not_asked_about(context: Context) -> None:
    draft = Draft(QUESTION, selection=everything(context.database.schema))
    after = asyncio.run(refine_columns.function(draft, replace(context, model=ScriptedModel.of())))
    assert after.selection == draft.selection


@pytest.mark.parametrize("reply", ["", "no idea", '{"nowhere": ["x"]}', "[1]", '{"gene": 3}'])
def test_a_reply_that_names_nothing_leaves_the_first_stage(context: Context, reply: str) -> None:
    draft = refine(context, ScriptedModel.of(reply))
    assert draft.selection == everything(context.database.schema)


def test_what_the_offline_method_read_stays_whatever_the_model_says(context: Context) -> None:
    tried = FirstTry("SELECT length FROM gene", ("SELECT name FROM drug",), 0.1)
    draft = Draft(QUESTION, selection=everything(context.database.schema))
    draft = draft.with_findings(offline=asdict(tried))
    asking = replace(context, model=ScriptedModel.of(SYMBOLS))
    after = asyncio.run(refine_columns.function(draft, asking, wide=3))
    assert after.selection is not None
    assert after.selection.tables["gene"] == ("id", "symbol", "chromosome", "length")
    assert after.selection.tables["drug"] == ("id", "name")


def test_the_same_question_in_other_words_or_values_costs_nothing(context: Context) -> None:
    remembering = replace(context, remembers=True)
    first = refine(remembering, ScriptedModel.of(SYMBOLS))
    silent = ScriptedModel.of()
    for words in ("which genes are on chromosome 19", "On chromosome 4, which are the genes?"):
        again = refine(remembering, silent, Question(words))
        assert again.selection == first.selection
        assert again.notes == {"from": "the cache"}
    assert silent.prompts == []
    other = refine(remembering, ScriptedModel.of(json.dumps({"drug": ["name"]})), Question("Which drugs?"))
    assert other.notes == {"from": "the model"}


def test_another_model_or_more_knowledge_is_asked_anew(context: Context) -> None:
    remembering = replace(context, remembers=True)
    refine(remembering, ScriptedModel.of(SYMBOLS))
    named = replace(ScriptedModel.of(SYMBOLS), name="another")
    assert refine(remembering, named).notes == {"from": "the model"}
    unknown = replace(remembering, knowledge=type(context.knowledge)())
    assert refine(unknown, ScriptedModel.of(SYMBOLS)).notes == {"from": "the model"}


def test_where_runs_are_to_be_repeatable_nothing_is_kept(context: Context, tmp_path: Path) -> None:
    refine(context, ScriptedModel.of(SYMBOLS))
    assert refine(context, ScriptedModel.of(SYMBOLS)).notes == {"from": "the model"}
    assert not list((tmp_path / "cache").rglob("selections"))
    plain = ScriptedModel.of()
    assert prepare(context.database, method=ADAPTIVE, model=plain).context.remembers
    taped = replace(plain, recorded=True)
    assert not prepare(context.database, method=ADAPTIVE, model=taped).context.remembers


def test_what_had_to_be_widened_is_remembered_wider(context: Context, wide: None) -> None:
    remembering = replace(context, remembers=True)
    question = Question("What is the id of Donepezil?")
    lost = "SELECT id FROM gene WHERE symbol = 'Donepezil'"
    model = ScriptedModel.of(
        '{"gene": ["symbol"]}', lost, "SELECT id FROM drug WHERE name = 'Donepezil'", lost
    )
    refined = refine(remembering, model, question)
    asyncio.run(write_until_sure.function(refined, replace(remembering, model=model)))
    again = refine(remembering, ScriptedModel.of(), question)
    assert again.notes == {"from": "the cache"}
    assert again.selection is not None
    assert "drug" in again.selection.tables


def test_a_spent_budget_leaves_the_first_stage(context: Context) -> None:
    spent = replace(ScriptedModel.of(SYMBOLS), budgets=(Budget(calls=0, scope="question"),))
    draft = refine(context, spent)
    assert draft.selection == everything(context.database.schema)
    assert "calls" in draft.notes["stopped"]


@pytest.mark.parametrize("content", ["", "[]", '{"gene": 3}', '{"nowhere": []}', "{"])
def test_a_damaged_entry_is_asked_anew(context: Context, tmp_path: Path, content: str) -> None:
    remembering = replace(context, remembers=True)
    refine(remembering, ScriptedModel.of(SYMBOLS))
    (kept,) = (tmp_path / "cache" / "selections").rglob("*.json")
    kept.write_text(content)
    assert refine(remembering, ScriptedModel.of(SYMBOLS)).notes == {"from": "the model"}


@pytest.mark.parametrize(
    ("sql", "added"),
    [
        ("SELECT g.phase FROM gene g", "drug"),  # a column that lies elsewhere
        ("SELECT name FROM drugs", "drug"),
        ("SELECT name FROM drug WHERE action = 'inhibitor'", "target"),
        ("SELECT id FROM gene WHERE symbol = 'Donepezil'", "drug"),  # a value that lies elsewhere
        ("SELECT symbol FROM gene WHERE", "target"),  # says nothing: what joins the selected
    ],
)
def test_what_a_query_missed_is_added(context: Context, wide: None, sql: str, added: str) -> None:
    narrow = Selection({"gene": ("id", "symbol")})
    ran = asyncio.run(execute(context, sql))
    wider = asyncio.run(widened(narrow, context, [ran]))
    assert wider is not None
    assert added in wider.tables
    assert set(wider.tables["gene"]) >= {"id", "symbol"}


def test_a_query_nested_too_deeply_names_nothing_that_was_missing(context: Context, wide: None) -> None:
    deep = QueryRun(f"SELECT {'(' * 5000}id{')' * 5000} FROM disease", Status.ERROR, error="too deep")
    narrow = Selection({"gene": ("id", "symbol")})
    assert asyncio.run(widened(narrow, context, [deep])) == asyncio.run(widened(narrow, context, []))


def test_in_a_small_schema_widening_takes_everything(context: Context) -> None:
    assert asyncio.run(widened(Selection({"gene": ("id",)}), context, [])) is None


def test_an_empty_result_has_the_next_candidate_written_on_more_tables(context: Context) -> None:
    lost = "SELECT id FROM gene WHERE symbol = 'Donepezil'"
    found = "SELECT id FROM drug WHERE name = 'Donepezil'"
    model = ScriptedModel.of(rules={"CREATE TABLE drug": found, "": lost})
    draft = Draft(Question("What is the id of Donepezil?"), selection=Selection({"gene": ("id", "symbol")}))
    after = asyncio.run(write_until_sure.function(draft, replace(context, model=model)))
    assert [c.sql for c in after.candidates][:2] == [lost, found]
    assert "CREATE TABLE drug" not in model.prompts[0]
    assert "CREATE TABLE drug" in model.prompts[1]


def test_a_whole_run_says_where_its_columns_come_from(context: Context) -> None:
    asking = replace(context, model=ScriptedModel.of(SYMBOLS, *["SELECT symbol FROM gene"] * 3))
    method = replace(ADAPTIVE, steps=(narrow_schema, refine_columns.using(wide=1), write_until_sure))
    draft = asyncio.run(run_method(method, QUESTION, asking))
    refined = next(s for s in draft.trace.steps if s.name == "refine_columns")
    assert refined.found["from"] == "the model"
    assert refined.usage.calls == 1
