import asyncio
from dataclasses import replace

import pytest

from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, run_method
from fathom.nl2sql.published.din_sql import DIN_SQL
from fathom.records import Draft, Question

QUESTION = Question("Which gene is the longest?", evidence="longest refers to MAX(length)")
LINKS = "Think.\nLinks: [gene.symbol, target.gene_id = gene.id, 19]"
RIGHT = "SELECT symbol FROM gene ORDER BY length DESC LIMIT 1"


def run(context: Context, model: ScriptedModel) -> Draft:
    method: Method = DIN_SQL
    return asyncio.run(run_method(method, QUESTION, replace(context, model=model)))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ('Label: "EASY"', "over one table"),
        ('Label: "NON-NESTED"', "joined on what"),
        ('Which one?\nLabel: "NESTED"', "Solve the sub-questions"),
        ("no idea", "Solve the sub-questions"),
    ],
)
def test_four_calls_the_third_by_class(context: Context, told: str, words: str) -> None:
    model = ScriptedModel.of(LINKS, told, f"So.\nSQL: {RIGHT}", "SQL: SELECT 1")
    draft = run(context, model)
    assert draft.sql == "SELECT 1"
    assert draft.candidates[0].sql == RIGHT
    assert [s.usage.calls for s in draft.trace.steps] == [1, 2, 1]
    assert draft.selection is not None
    assert draft.selection.tables == {"gene": ("id", "symbol"), "target": ("gene_id",)}
    assert words in model.prompts[2]
    assert RIGHT in model.prompts[3]
    for asked in model.prompts:
        for part in (QUESTION.text, QUESTION.evidence, "CREATE TABLE gene", "length in base pairs"):
            assert part in asked
    assert "target.gene_id = gene.id, 19" not in model.prompts[3]
    assert {(r.sampling.temperature, r.sampling.max_tokens) for r in model.script.requests} == {(0, 2000)}


def test_bad_replies_fall_back(context: Context) -> None:
    kept = run(context, ScriptedModel.of("none", 'Label: "EASY"', RIGHT, "It is right."))
    assert kept.sql == RIGHT
    assert kept.selection is None
    refused = run(context, ScriptedModel.of("none", "none", "none"))
    assert refused.sql is None
    assert refused.refusal is not None
