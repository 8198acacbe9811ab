import asyncio
from dataclasses import replace

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question


def run(context: Context, text: str, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    asked = run_method(find_method("schema-index"), Question(text), replace(context, model=model))
    return asyncio.run(asked), model


def test_only_the_nearest_tables_are_shown(context: Context) -> None:
    query = "SELECT COUNT(*) FROM gene"
    draft, model = run(context, "How many genes have a symbol?", f"```sql\n{query}\n```", "Three genes.")
    assert draft.sql == query
    assert draft.selection is not None
    assert "gene" in draft.selection.tables
    assert "drug" not in draft.selection.tables
    assert "CREATE TABLE gene" in model.prompts[0]
    assert "CREATE TABLE drug" not in model.prompts[0]
    assert [r.sampling.temperature for r in model.script.requests] == [None, None]
    assert draft.findings["answer"] == "Three genes."


def test_nothing_near_shows_everything_and_errors_are_told(context: Context) -> None:
    draft, model = run(context, "Zzyzx?", "SELECT nme FROM gene", "I don't know.")
    assert draft.selection is None
    assert "CREATE TABLE drug" in model.prompts[0]
    assert "no such column: nme" in model.prompts[1]
    assert draft.findings["answer"] == "I don't know."


def test_no_sql_is_a_refusal_after_one_call(context: Context) -> None:
    draft, model = run(context, "How many genes are there?", "No idea.")
    assert draft.refusal is not None
    assert len(model.prompts) == 1
