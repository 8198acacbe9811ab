import asyncio
from dataclasses import replace

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
GOOD = "SELECT symbol FROM gene WHERE length > 100000"
BROKEN = "SELECT nme FROM gene"
USED = '{"gene": ["symbol", "length"]}'


def run(context: Context, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    asked = run_method(find_method("gsr"), QUESTION, replace(context, model=model))
    return asyncio.run(asked), model


def test_values_and_result_are_shown(context: Context) -> None:
    others = '{"gene": ["chromosome"]}'
    draft, model = run(
        context, "1. long genes", f"SQL: {GOOD} END", USED, others, f"SQL: {GOOD} END", "SQL: SELECT 1"
    )
    _, first, _, rest, second, final = model.prompts
    assert "1. long genes" in first
    assert "gene.chromosome" not in rest
    assert "gene.symbol: 'APOE'" in second
    assert "gene.chromosome: '19'" in second
    assert "LRRK2" in final
    assert len(model.script.requests[-1].messages) == 3
    temperatures = [r.sampling.temperature for r in model.script.requests]
    assert temperatures == [0.2, 0.7, 0.2, 0.2, 0.2, 0.7]
    assert draft.sql == "SELECT 1"


def test_columns_that_are_not_there_are_mended(context: Context) -> None:
    used = '{"gene": ["nme"]}'
    draft, model = run(
        context, "", f"SQL: {BROKEN} END", used, f"SQL: {GOOD} END", USED, "?", "SQL: " + GOOD, "", ""
    )
    assert "no such column: gene.nme" in model.prompts[3]
    assert draft.sql == GOOD


def test_a_reply_without_sql_is_put_into_form_once(context: Context) -> None:
    draft, model = run(context, "", "who knows", "still nothing")
    assert draft.refusal is not None
    assert len(model.prompts) == 3
