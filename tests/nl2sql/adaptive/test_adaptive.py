"""The adaptive method from a question to its end, over a scripted model."""

import asyncio
from dataclasses import asdict, replace

import pytest

from fathom.answering.pipeline import answer
from fathom.answering.preparation import prepare
from fathom.errors import BudgetExceeded
from fathom.llm import Budget, ScriptedModel
from fathom.methods import Context, Method, find_method, run_method, step
from fathom.nl2sql.adaptive.choosing import choose_by_signals
from fathom.nl2sql.adaptive.first_try import FirstTry, first_try, try_offline
from fathom.nl2sql.adaptive.writing import mend_failed, write_until_sure
from fathom.records import Draft, Question, Refusal

QUESTION = Question("List the symbols of genes whose length is above 100000")
RIGHT = "SELECT symbol FROM gene WHERE length > 100000"
OTHER = "SELECT symbol FROM gene"
THIRD = "SELECT chromosome FROM gene"
BROKEN = "SELECT nme FROM gene"
NOTHING = FirstTry()


def after(tried: FirstTry) -> Method:
    """Adaptive after an offline method that found this."""

    @step("selection")
    async def try_offline(draft: Draft, context: Context) -> Draft:
        return draft.with_findings(offline={**asdict(tried), "others": list(tried.others)})

    method: Method = find_method("adaptive")
    return replace(method, steps=(try_offline, *method.steps[1:]))


def run(
    context: Context, model: ScriptedModel, tried: FirstTry = NOTHING, question: Question = QUESTION
) -> Draft:
    return asyncio.run(run_method(after(tried), question, replace(context, model=model)))


def test_a_sure_offline_answer_costs_no_call(context: Context) -> None:
    model = ScriptedModel.of()
    method: Method = find_method("adaptive")
    at_once = replace(method, steps=(try_offline.using(sure=0.0), *method.steps[1:]))
    question = Question("How many genes are there?")
    draft = asyncio.run(run_method(at_once, question, replace(context, model=model)))
    assert draft.sql is not None
    assert context.database.run(draft.sql).rows == ((3,),)
    assert first_try(draft).settles
    assert model.prompts == []
    assert draft.trace.usage.calls == 0


def test_an_unsure_offline_method_leaves_its_queries_and_what_they_read(context: Context) -> None:
    draft = asyncio.run(try_offline.function(Draft(QUESTION), context, sure=2.0))
    tried = first_try(draft)
    assert tried.sql
    assert tried.sql not in tried.others
    assert not tried.settles
    assert draft.sql is None
    assert draft.selection is not None
    assert "gene" in draft.selection.tables


def test_one_candidate_that_the_offline_method_thought_of_is_enough(context: Context) -> None:
    model = ScriptedModel.of(rules={"": RIGHT})
    draft = run(context, model, FirstTry(OTHER, (f"{RIGHT} ORDER BY 1",), 0.4))
    assert draft.sql == RIGHT
    assert len(model.prompts) == 1
    assert model.script.requests[0].sampling.temperature == 0.0
    assert "length in base pairs" in model.prompts[0]


def test_it_stops_as_soon_as_two_results_agree(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, f"Same: ```sql\n{RIGHT} ORDER BY 1\n```", OTHER)
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert len(model.prompts) == 2


def test_a_first_query_that_fits_isnt_taken_back_for_one_that_differs(context: Context) -> None:
    draft = run(context, ScriptedModel.of(RIGHT, OTHER, THIRD))
    before, chosen = (
        next(s for s in draft.trace.steps if s.name == n) for n in ("write_until_sure", "choose_by_signals")
    )
    assert before.found["sql"] == RIGHT
    assert chosen.found.get("sql", RIGHT) == RIGHT


def test_two_ways_that_agree_overrule_a_lone_first_query(context: Context) -> None:
    draft = run(context, ScriptedModel.of(OTHER, RIGHT), FirstTry(RIGHT, (), 0.7))
    assert draft.sql == RIGHT
    assert draft.confidence is not None
    assert draft.confidence > 0.8


def test_a_failing_query_is_mended(context: Context) -> None:
    model = ScriptedModel.of(rules={"doesn't yet answer": RIGHT, "": BROKEN})
    draft = run(context, model)
    assert draft.sql == RIGHT
    mending = next(p for p in model.prompts if "doesn't yet answer" in p)
    assert "no such column: nme" in mending
    assert "CREATE TABLE drug" in mending
    assert len(model.prompts) == 3


def test_a_query_that_ran_is_not_replaced_by_its_mending_alone(context: Context) -> None:
    empty = "SELECT symbol FROM gene WHERE length > 900000"
    model = ScriptedModel.of(rules={"doesn't yet answer": OTHER, "": empty})
    draft = run(context, model)
    assert draft.sql == empty
    assert OTHER in [c.sql for c in draft.candidates]
    model = ScriptedModel.of(rules={"doesn't yet answer": RIGHT, "": empty})
    assert run(context, model, FirstTry(RIGHT, (), 0.7)).sql == RIGHT


def test_a_mending_that_is_no_better_changes_nothing(context: Context) -> None:
    model = ScriptedModel.of(rules={"doesn't yet answer": "SELECT also_wrong FROM gene", "": BROKEN})
    draft = run(context, model)
    assert draft.sql == BROKEN
    assert draft.confidence == 0.0
    assert len([p for p in model.prompts if "doesn't yet answer" in p]) == 2


def test_mending_works_in_a_method_of_ones_own(context: Context) -> None:
    model = ScriptedModel.of(rules={"doesn't yet answer": RIGHT, "": BROKEN})
    own = Method("own", (write_until_sure, mend_failed))
    assert asyncio.run(run_method(own, QUESTION, replace(context, model=model))).sql == RIGHT


@pytest.mark.parametrize(("reply", "reason"), [("I can't tell.", "no SQL"), (RIGHT, "calls")])
def test_without_a_candidate_a_declined_guess_stays_declined(
    context: Context, reply: str, reason: str
) -> None:
    budget = Budget(calls=9 if reason == "no SQL" else 0, scope="question")
    model = replace(ScriptedModel.of(rules={"": reply}), budgets=(budget,))
    declined = run(context, model, FirstTry(OTHER, (), 0.2, refused="Nothing accounts for “length”."))
    assert declined.sql == OTHER
    assert declined.confidence == 0.2
    assert isinstance(declined.refusal, Refusal)
    assert reason in declined.refusal.reason
    answered = run(context, model, FirstTry(RIGHT, (), 0.8))
    assert (answered.sql, answered.refusal, answered.confidence) == (RIGHT, None, 0.8)
    assert run(context, model).refusal is not None


def test_a_questions_budget_ends_it_with_what_there_is(context: Context) -> None:
    model = ScriptedModel.of(rules={"": RIGHT})
    within = replace(model, budgets=(Budget(calls=1, scope="question"),))
    draft = run(context, within)
    assert draft.sql == RIGHT
    assert draft.refusal is None
    spent = replace(model, budgets=(Budget(calls=0, scope="run"),))
    with pytest.raises(BudgetExceeded):
        run(context, spent)


def test_two_readings_that_give_different_results_are_asked_back(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, OTHER, THIRD)
    draft = run(context, model, FirstTry(OTHER, (), 0.1))
    assert [r.sql for r in draft.readings] == [RIGHT, OTHER]
    assert draft.confidence is not None
    assert draft.confidence < 0.5


def test_a_person_gets_a_question_with_two_options(context: Context) -> None:
    asking = prepare(
        context.database, method=after(FirstTry(OTHER, (), 0.1)), model=ScriptedModel.of(RIGHT, OTHER, THIRD)
    )
    given = asyncio.run(answer(QUESTION, asking))
    assert len(given.readings) == 2
    assert given.text.startswith("I'm not sure. Did you mean (1)")
    told = ["the symbol of genes whose length is more than 100,000", "the symbol of genes"]
    assert [r.text for r in given.readings] == told
    assert given.result is None
    chosen = asyncio.run(answer(QUESTION, asking, reading=given.readings[1]))
    assert chosen.result is not None
    assert len(chosen.result.rows) == 3


def test_no_question_comes_back_where_the_results_are_the_same(context: Context) -> None:
    draft = run(context, ScriptedModel.of(RIGHT, f"{RIGHT} AND 1 = 1"), FirstTry(OTHER, (), 0.1))
    assert draft.readings == ()
    unasked = replace(
        after(FirstTry(OTHER, (), 0.1)),
        steps=(
            *after(FirstTry(OTHER, (), 0.1)).steps[:-1],
            choose_by_signals.using(asks_back=0.0),
        ),
    )
    model = ScriptedModel.of(RIGHT, OTHER, THIRD)
    assert asyncio.run(run_method(unasked, QUESTION, replace(context, model=model))).readings == ()


HARD = Question(
    "For each chromosome, what percentage of the genes longer than the average are not the target of any "
    "drug in phase 3 or more, and which chromosome has the highest?"
)


def test_a_challenging_question_is_written_in_two_ways(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, OTHER, THIRD, OTHER)
    draft = run(context, model, question=HARD)
    ways = ["Reason in short lines" in p for p in model.prompts]
    assert ways == [True, False, True, False]
    assert all(("numbered plan" in p) is not reasons for p, reasons in zip(model.prompts, ways, strict=True))
    assert [r.sampling.temperature for r in model.script.requests] == [0.0, 0.0, 0.7, 0.7]
    assert len(draft.candidates) == 4


def test_two_ways_that_agree_are_enough(context: Context) -> None:
    model = ScriptedModel.of(f"1. Each row is a gene.\n```sql\n{RIGHT}\n```", f"{RIGHT} ORDER BY 1")
    assert run(context, model, question=HARD).sql == RIGHT
    assert len(model.prompts) == 2


def test_other_questions_are_asked_for_plainly(context: Context) -> None:
    model = ScriptedModel.of(rules={"": RIGHT})
    run(context, model)
    assert not [p for p in model.prompts if "Reason in short lines" in p or "numbered plan" in p]
