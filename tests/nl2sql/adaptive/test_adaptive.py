import asyncio
from dataclasses import replace

import pytest

from fathom.errors import BudgetExceeded
from fathom.llm import Budget, ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.adaptive.difficulty import Difficulty, difficulty
from fathom.nl2sql.adaptive.evidence import weigh
from fathom.nl2sql.adaptive.plausible import complaints
from fathom.nl2sql.adaptive.steps import narrow_schema, try_offline
from fathom.nl2sql.executing import Outcome, Status
from fathom.records import Draft, Question, Result

QUESTION = Question("List the symbols of genes whose length is above 100000")
RIGHT = "SELECT symbol FROM gene WHERE length > 100000"
OTHER = "SELECT symbol FROM gene"
BROKEN = "SELECT nme FROM gene"


def without_offline(*, sure: float = 2.0) -> Method:
    """Adaptive with an offline step that settles nothing and whose guess has no weight."""
    method: Method = find_method("adaptive")
    return replace(method, steps=(try_offline.using(sure=sure), *method.steps[1:]))


def run(context: Context, model: ScriptedModel, *, sure: float = 2.0, question: Question = QUESTION) -> Draft:
    return asyncio.run(run_method(without_offline(sure=sure), question, replace(context, model=model)))


def test_a_sure_offline_answer_costs_no_call(context: Context) -> None:
    model = ScriptedModel.of()
    draft = run(context, model, sure=0.0, question=Question("How many genes are there?"))
    assert draft.sql is not None
    assert context.database.run(draft.sql).rows == ((3,),)
    assert model.prompts == []
    assert draft.trace.usage.calls == 0


def test_it_stops_as_soon_as_two_results_agree(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, f"Same: ```sql\n{RIGHT} ORDER BY 1\n```", OTHER)
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert len(model.prompts) <= 2
    assert model.script.requests[0].sampling.temperature == 0.0
    assert "length in base pairs" in model.prompts[0]


def test_a_first_query_that_fits_isnt_taken_back_for_one_that_differs(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, OTHER, OTHER, OTHER, OTHER)
    draft = run(context, model)
    before, after = (
        next(s for s in draft.trace.steps if s.name == n) for n in ("write until sure", "choose by signals")
    )
    assert before.found["sql"] == RIGHT
    assert after.found.get("sql", RIGHT) == RIGHT


def test_a_failing_query_is_mended_on_the_whole_schema(context: Context) -> None:
    model = ScriptedModel.of(rules={"doesn't yet answer": RIGHT, "": BROKEN})
    draft = run(context, model)
    assert draft.sql == RIGHT
    mending = next(p for p in model.prompts if "doesn't yet answer" in p)
    assert "no such column: nme" in mending
    assert "CREATE TABLE drug" in mending


def test_a_mending_that_is_no_better_changes_nothing(context: Context) -> None:
    model = ScriptedModel.of(rules={"doesn't yet answer": "SELECT also_wrong FROM gene", "": BROKEN})
    draft = run(context, model)
    assert draft.sql is not None
    assert "also_wrong" not in draft.sql
    assert len([p for p in model.prompts if "doesn't yet answer" in p]) == 2


def test_a_questions_budget_ends_it_with_what_there_is(context: Context) -> None:
    model = ScriptedModel.of(rules={"": RIGHT})
    within = replace(model, budgets=(Budget(calls=1, scope="question"),))
    draft = asyncio.run(run_method(without_offline(), QUESTION, replace(context, model=within)))
    assert draft.sql == RIGHT
    spent = replace(model, budgets=(Budget(calls=0, scope="run"),))
    with pytest.raises(BudgetExceeded):
        asyncio.run(run_method(without_offline(), QUESTION, replace(context, model=spent)))


def test_a_wide_schema_is_narrowed_to_what_the_question_names(context: Context) -> None:
    draft = asyncio.run(narrow_schema.function(Draft(Question("Which genes?")), context, wide=3, tables=1))
    assert draft.selection is not None
    assert "gene" in draft.selection.tables
    whole = asyncio.run(narrow_schema.function(Draft(Question("Which genes?")), context, wide=60))
    assert whole.selection is None


def outcome(*rows: tuple[object, ...], error: str = "") -> Outcome:
    if error:
        return Outcome("broken", Status.ERROR, error=error)
    return Outcome(repr(rows), Status.OK if rows else Status.EMPTY, Result((), rows, "", 0.0))


A, B, NONE, FAILED = outcome(("a",)), outcome(("b",)), outcome(), outcome(error="no")


@pytest.mark.parametrize(
    ("sampled", "chosen"),
    [
        ((A,), A),
        ((A, B), A),
        ((A, B, B), A),  # one more isn't enough to take back what ran and fits
        ((A, B, B, B), B),
        ((FAILED, B), B),
        ((NONE, B), B),
        ((FAILED, NONE), NONE),
        ((FAILED, FAILED), FAILED),
    ],
)
def test_the_first_stands_unless_the_evidence_is_better(
    sampled: tuple[Outcome, ...], chosen: Outcome
) -> None:
    assert weigh("Which?", sampled).choice is chosen


def test_agreement_makes_sure_and_the_offline_guess_weighs_by_its_confidence() -> None:
    alone, two, three = (weigh("Which?", (A,) * n).confidence for n in (1, 2, 3))
    assert alone < two < three
    backed = weigh("Which?", (A, B), offline=outcome(("b",)), offline_confidence=0.9)
    assert backed.choice is A
    assert backed.rival is not None
    assert weigh("Which?", (A, A), offline=B, offline_confidence=0.2).rival is None


@pytest.mark.parametrize(
    ("question", "found", "said"),
    [
        ("How many genes?", outcome((3,)), ""),
        ("How many genes?", outcome((1,), (2,)), "one number"),
        ("How many genes?", outcome(("x",)), "a number"),
        ("How many genes on each chromosome?", outcome((1,), (2,)), ""),
        ("Which genes?", outcome(), "no rows"),
        ("Which genes?", outcome((None,)), "nothing but NULL"),
        ("Which genes?", outcome(("a",), ("a",), ("a",)), "repeats"),
        ("Which genes?", FAILED, "refuses it: no"),
    ],
)
def test_a_result_is_held_against_its_question(question: str, found: Outcome, said: str) -> None:
    told = " ".join(complaints(question, found))
    assert (said in told) if said else not told


def test_difficulty_follows_the_words(context: Context) -> None:
    schema = context.database.schema
    assert difficulty(Question("List all genes"), schema) is Difficulty.SIMPLE
    hard = (
        "For each chromosome, what percentage of the genes longer than the average are not the target of any "
        "drug in phase 3 or more, and which chromosome has the highest?"
    )
    assert difficulty(Question(hard), schema) is Difficulty.CHALLENGING
