import asyncio
from dataclasses import replace

import pytest

from fathom.llm import ScriptedModel
from fathom.llm.prompts import load
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.din_sql import DIN_SQL, classify_and_write
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
        for part in (
            QUESTION.text,
            QUESTION.evidence,
            "CREATE TABLE gene",
            "gene.length: length in base pairs",
        ):
            assert part in asked
        assert "id | symbol | chromosome | length\n1 | 'APOE' | '19' | 3612" in asked
        assert asked.count("length in base pairs") == 1
    assert "target.gene_id = gene.id, 19" not in model.prompts[3]
    assert {(r.sampling.temperature, r.sampling.max_tokens) for r in model.script.requests} == {(0, 2000)}


def test_bad_replies_fall_back(context: Context) -> None:
    kept = run(context, ScriptedModel.of("none", 'Label: "EASY"', RIGHT, "It is right."))
    assert kept.sql == RIGHT
    assert kept.selection is None
    refused = run(context, ScriptedModel.of("none", "none", "none"))
    assert refused.sql is None
    assert refused.refusal is not None


@pytest.mark.parametrize(
    ("told", "label"),
    [
        ("It is not that EASY, I think.", "NESTED"),
        ('I call it "EASY".', "EASY"),
        ("Label: easy", "EASY"),
        ("An EASY one? No.\nLabel: NON-NESTED", "NON-NESTED"),
    ],
)
def test_a_label_is_read_where_it_is_meant_as_one(context: Context, told: str, label: str) -> None:
    draft = run(context, ScriptedModel.of(LINKS, told, RIGHT, RIGHT))
    assert draft.findings["difficulty"] == label


def test_only_the_sub_questions_are_handed_on(context: Context) -> None:
    told = 'Hm, let me see.\nSub-questions: How long is the longest?\nLabel: "NESTED"'
    model = ScriptedModel.of(LINKS, told, RIGHT, RIGHT)
    run(context, model)
    assert "How long is the longest?" in model.prompts[2]
    assert "let me see" not in model.prompts[2]


@pytest.mark.parametrize("label", ["EASY", "NON-NESTED", "NESTED"])
def test_harder_classes_write_an_intermediate_form_where_it_is_asked_for(
    context: Context, label: str
) -> None:
    for intermediate in (False, True):
        model = ScriptedModel.of(f'Label: "{label}"', f"Intermediate: SELECT gene.symbol\nSQL: {RIGHT}")
        method = Method("write", (classify_and_write.using(intermediate=intermediate),))
        draft = asyncio.run(run_method(method, QUESTION, replace(context, model=model)))
        assert draft.sql == RIGHT
        assert ("intermediate form" in model.prompts[1]) == (intermediate and label != "EASY")


def test_demonstrations_are_as_many_as_published(context: Context) -> None:
    counts = {
        "din_link": 2,
        "din_classify": 6,
        "din_easy": 6,
        "din_joined": 4,
        "din_nested": 3,
        "din_correct": 1,
    }
    for name, count in counts.items():
        text = load("fathom.nl2sql", name).template
        assert text.count("Question: ") == count, name


def test_lines_are_glued_together_only_when_switched_on(context: Context) -> None:
    broken = "SELECT symbol\nFROM gene"
    for name, sql in {"din-sql": broken, "din-sql+glues_lines": "SELECT symbolFROM gene"}.items():
        model = ScriptedModel.of(LINKS, 'Label: "EASY"', f"SQL: {broken}", f"SQL: {broken}")
        draft = asyncio.run(run_method(find_method(name), QUESTION, replace(context, model=model)))
        assert draft.sql == sql


def test_a_question_without_a_label_is_lost_only_when_switched_on(context: Context) -> None:
    replies = (LINKS, "I can't tell.", f"SQL: {RIGHT}", f"SQL: {RIGHT}")
    for name, sql, calls in (("din-sql", RIGHT, 4), ("din-sql+needs_label", None, 2)):
        model = ScriptedModel.of(*replies)
        draft = asyncio.run(run_method(find_method(name), QUESTION, replace(context, model=model)))
        assert draft.sql == sql
        assert draft.trace.usage.calls == calls
        assert (draft.refusal is None) == (sql is not None)
