import asyncio
import json
from dataclasses import replace

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.wording import NOTHING_RUN
from fathom.records import Draft, Question

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
QUERY = "SELECT symbol FROM gene WHERE length > 100000"
BROKEN = "SELECT nme FROM gene"


def act(action: str, given: str) -> str:
    return json.dumps({"thought": "so far so good", "action": action, "action_input": given})


def run(context: Context, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    asked = run_method(find_method("react"), QUESTION, replace(context, model=model))
    return asyncio.run(asked), model


def test_it_tries_runs_and_answers(context: Context) -> None:
    draft, model = run(
        context,
        act("verify_sql", BROKEN),
        act("final_answer", QUERY),
        f"```json\n{act('execute_sql', QUERY)}\n```",
        act("final_answer", f"```sql\n{QUERY}\n```"),
        "LRRK2 is long.",
    )
    assert draft.sql == QUERY
    assert draft.findings["answer"] == "LRRK2 is long."
    assert "no such column: nme" in model.prompts[1]
    assert "execute one first" in model.prompts[2]
    assert "LRRK2" in model.prompts[3]
    for part in ("CREATE TABLE gene", "long refers to", "final_answer"):
        assert part in model.prompts[0]
    assert [r.sampling.temperature for r in model.script.requests] == [0.2] * 4 + [0.3]
    assert [r.sampling.max_tokens for r in model.script.requests] == [1500] * 4 + [1000]
    assert [t["action"] for t in draft.trace.steps[0].found["turns"]][-1] == "final_answer"


def test_five_turns_at_most_then_the_last_query_that_ran(context: Context) -> None:
    draft, model = run(
        context, act("execute_sql", QUERY), *[act("execute_sql", BROKEN)] * 4, "LRRK2 is long."
    )
    assert len(model.prompts) == 6
    assert draft.sql == QUERY
    assert [c.sql for c in draft.candidates] == [QUERY, BROKEN]


def test_a_query_that_never_ran_stands_without_an_answer(context: Context) -> None:
    draft, model = run(context, *[act("verify_sql", BROKEN)] * 5)
    assert draft.sql == BROKEN
    assert draft.findings["answer"] == NOTHING_RUN
    assert len(model.prompts) == 5


def test_no_query_at_all_is_a_refusal(context: Context) -> None:
    draft, _ = run(context, "hello", act("dance", ""), act("execute_sql", "no query"), "{}", "[]")
    assert draft.sql is None
    assert draft.refusal is not None
