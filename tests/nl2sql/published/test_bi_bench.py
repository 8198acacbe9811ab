import asyncio
from dataclasses import replace

import pytest

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.published import bi_bench
from fathom.nl2sql.wording import NOTHING_RUN
from fathom.records import Draft, Question

QUESTION = Question("How are our genes doing?", evidence="genes are rows of gene")
ASIDE = '["How many drugs are there?", "Which genes are long?", "One too many?"]'
GENES, DRUGS = "SELECT symbol FROM gene", "SELECT COUNT(*) FROM drug"
BROKEN, LONG = "SELECT nme FROM gene", "SELECT symbol FROM gene WHERE length > 9999"


def run(context: Context, **replies: str | list[str]) -> tuple[Draft, ScriptedModel]:
    told = {
        "round off": ASIDE,
        "found for a question": [GENES, DRUGS, BROKEN],
        "didn't run it": f"```sql\n{LONG}\n```",
        "It brought": ["There are three.", "Two drugs.", "LRRK2 is long."],
        "Merge them": "Three genes, of which LRRK2 is long, and two drugs.",
    }
    model = ScriptedModel.of(rules={**told, **replies})
    asked = run_method(find_method("bi-bench"), QUESTION, replace(context, model=model))
    return asyncio.run(asked), model


def test_three_questions_three_paragraphs_one_answer(context: Context) -> None:
    draft, model = run(context)
    assert draft.sql == GENES
    assert draft.findings["answer"] == "Three genes, of which LRRK2 is long, and two drugs."
    assert [s.usage.calls for s in draft.trace.steps] == [1, 3, 1, 3, 1]
    assert [s.module for s in draft.trace.steps] == ["generation"] * 2 + ["revision"] + ["answering"] * 2
    assert {r.sampling.temperature for r in model.script.requests} == {0}
    mend = next(p for p in model.prompts if "didn't run it" in p)
    assert "no such column: nme" in mend
    assert "Which genes are long?" in mend
    assert any("LRRK2" in p for p in model.prompts if "It brought" in p)
    merge = model.prompts[-1]
    assert all(p in merge for p in ("There are three.", "Two drugs.", "LRRK2 is long.", QUESTION.evidence))
    assert "One too many?" not in "".join(model.prompts)


def test_without_questions_beside_it_the_asked_one_is_answered_alone(context: Context) -> None:
    draft, _ = run(context, **{"round off": "I can think of none."})
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 0, 1, 1]
    assert draft.sql == GENES


def test_where_nothing_runs_there_is_a_fixed_sentence(context: Context) -> None:
    draft, _ = run(context, **{"found for a question": BROKEN, "didn't run it": BROKEN})
    assert [s.usage.calls for s in draft.trace.steps] == [1, 3, 3, 0, 0]
    assert draft.findings["answer"] == NOTHING_RUN


def test_of_a_long_schema_the_nearest_tables_are_shown_and_it_is_told(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bi_bench, "LONGEST_SCHEMA", 150)
    draft, model = run(context)
    tables = len(context.database.schema.tables)
    steps = {s.name: s.found for s in draft.trace.steps}
    assert [n for n, found in steps.items() if "schema" in found] == ["ask_beside", "write_each"]
    assert f"of {tables} tables, the nearest" in steps["write_each"]["schema"]
    drugs = next(p for p in model.prompts if "How many drugs" in p and "found for a question" in p)
    assert "drug" in drugs
    assert "create table gene" not in drugs.casefold()


def test_no_query_for_the_question_is_a_reasoned_refusal(context: Context) -> None:
    draft, _ = run(context, **{"found for a question": "I can't say."})
    assert draft.sql is None
    assert draft.refusal is not None
