import asyncio
from dataclasses import replace

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question

QUESTION = Question("Which gene is the longest?", evidence="longest refers to MAX(length)")
DRAFT = " symbol FROM gene WHERE length = (SELECT MAX(length) FROM gene)"
STEPS = "First the order.\n```\ndf.orderby(gene.length, desc).limit(1).select(gene.symbol)\n```"
RIGHT = "symbol FROM gene ORDER BY length DESC LIMIT 1"


def run(context: Context, model: ScriptedModel) -> Draft:
    return asyncio.run(run_method(find_method("ta-sql"), QUESTION, replace(context, model=model)))


def test_three_calls_that_build_on_each_other(context: Context) -> None:
    model = ScriptedModel.of(DRAFT, STEPS, f"```sql\nSELECT {RIGHT};\n```")
    draft = run(context, model)
    assert draft.sql == f"SELECT {RIGHT}"
    assert [s.module for s in draft.trace.steps] == ["selection", "generation", "generation"]
    assert draft.trace.usage.calls == 3
    assert draft.selection is not None
    assert draft.selection.tables == {"gene": ("symbol", "length")}
    drafted, planned, translated = model.prompts
    for asked in model.prompts:
        assert QUESTION.text in asked
        assert QUESTION.evidence in asked
    assert "'length': 'length in base pairs'" in drafted
    assert "target.drug_id = drug.id" in drafted
    assert "length in base pairs" in planned
    assert "LRRK2" in planned
    assert "trade name" not in planned
    assert "df.orderby(gene.length, desc)" in translated
    assert "First the order" not in translated
    assert "target.drug_id = drug.id" in translated
    for request in model.script.requests:
        assert (request.sampling.temperature, request.sampling.max_tokens) == (0, 800)
    assert model.script.requests[0].sampling.stop


def test_a_column_is_selected_in_every_table_of_the_draft_that_has_it(context: Context) -> None:
    draft = run(context, ScriptedModel.of(" id FROM gene, drug", STEPS, RIGHT))
    assert draft.trace.steps[0].found["selection"] == {"gene": ["id"], "drug": ["id"]}


def test_without_a_draft_everything_is_shown(context: Context) -> None:
    model = ScriptedModel.of("I can't say.", "", RIGHT)
    draft = run(context, model)
    assert draft.sql == f"SELECT {RIGHT}"
    assert draft.selection is None
    assert "trade name" in model.prompts[1]


def test_an_unusable_translation_leaves_the_draft_query_and_none_at_all_a_refusal(context: Context) -> None:
    kept = run(context, ScriptedModel.of(DRAFT, STEPS, "I can't say."))
    assert kept.sql == f"SELECT{DRAFT}"
    refused = run(context, ScriptedModel.of("I can't say.", STEPS, ""))
    assert refused.sql is None
    assert refused.refusal is not None


def test_the_same_question_shows_the_same_values(context: Context) -> None:
    first, second = (ScriptedModel.of(DRAFT, STEPS, RIGHT) for _ in range(2))
    run(context, first)
    run(context, second)
    assert first.prompts == second.prompts


def test_double_quotes_are_dropped_only_when_switched_on(context: Context) -> None:
    quoted = '"trade name" FROM drug'
    for name, sql in {
        "ta-sql": f"SELECT {quoted}",
        "ta-sql+drops_double_quotes": "SELECT trade name FROM drug",
    }.items():
        given = replace(context, model=ScriptedModel.of(DRAFT, STEPS, quoted))
        assert asyncio.run(run_method(find_method(name), QUESTION, given)).sql == sql
