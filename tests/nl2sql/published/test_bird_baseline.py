import asyncio
from dataclasses import replace

import pytest

from fathom.errors import ModelNeeded
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import Question

QUESTION = Question("How many genes are long?", evidence="long refers to length > 100000")


@pytest.mark.parametrize("name", ["zero-shot", "zero-shot-cot"])
def test_one_call_with_schema_evidence_and_question(context: Context, name: str) -> None:
    model = ScriptedModel.of(" COUNT(*) FROM gene WHERE length > 100000")
    method: Method = find_method(name)
    draft = asyncio.run(run_method(method, QUESTION, replace(context, model=model)))
    assert draft.sql == "SELECT COUNT(*) FROM gene WHERE length > 100000"
    assert draft.trace.usage.calls == 1
    (asked,) = model.prompts
    for part in ("CREATE TABLE gene", "long refers to length > 100000", "How many genes are long?"):
        assert part in asked
    (request,) = model.script.requests
    assert request.sampling.temperature == 0
    assert bool(request.sampling.stop) is (name == "zero-shot")


def test_a_reply_without_sql_is_a_reasoned_refusal(context: Context) -> None:
    model = ScriptedModel.of("I'm sorry:\nnothing in the tables says so.")
    draft = asyncio.run(run_method(find_method("zero-shot-cot"), QUESTION, replace(context, model=model)))
    assert draft.sql is None
    assert draft.refusal is not None


def test_a_model_that_talks_first_is_asked_again_without_the_ends_that_cut_it(context: Context) -> None:
    model = ScriptedModel.of("Let's go step by step:", "Let's go.\n\n```sql\nSELECT COUNT(*) FROM gene\n```")
    draft = asyncio.run(run_method(find_method("zero-shot"), QUESTION, replace(context, model=model)))
    assert draft.sql == "SELECT COUNT(*) FROM gene"
    assert [bool(r.sampling.stop) for r in model.script.requests] == [True, False]


def test_without_a_model_the_error_says_what_to_do(context: Context) -> None:
    with pytest.raises(ModelNeeded, match="--model provider:name"):
        asyncio.run(run_method(find_method("zero-shot"), QUESTION, context))


def test_none_is_printed_for_evidence_only_when_switched_on(context: Context) -> None:
    for name, printed in {"zero-shot": False, "zero-shot+prints_none": True}.items():
        model = ScriptedModel.of("1")
        asyncio.run(run_method(find_method(name), Question("How many?"), replace(context, model=model)))
        assert ("Evidence: None" in model.prompts[0]) is printed
