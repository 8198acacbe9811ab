import asyncio
from collections.abc import Collection
from dataclasses import replace

import pytest

from fathom.llm import Sampling, ScriptedModel
from fathom.methods import Context
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.nl2sql.refinement import (
    ALWAYS,
    ON_EMPTY,
    ON_ERROR,
    ON_NULL,
    Accept,
    Refinement,
    RefineRules,
    refine,
)

BROKEN, EMPTY, NULL, GOOD = (
    "SELECT nme FROM gene",
    "SELECT symbol FROM gene WHERE id = 9",
    "SELECT length FROM gene WHERE id = 3",
    "SELECT symbol FROM gene WHERE id = 1",
)
TWICE = (Sampling(temperature=0.1), Sampling(temperature=0.4))


def words(outcome: QueryRun, turn: int) -> str:
    return f"turn {turn}: {outcome.sql} gave {outcome.status} {outcome.error}"


def run(
    context: Context,
    sql: str,
    *replies: str,
    triggers: Collection[Status] = ON_ERROR,
    accept: Accept = "last",
    conversation: bool = False,
) -> tuple[Refinement, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    looped = refine(
        replace(context, model=model),
        sql,
        words,
        RefineRules(turns=TWICE, triggers=triggers, accept=accept, conversation=conversation),
    )
    return asyncio.run(looped), model


@pytest.mark.parametrize(
    ("sql", "triggers", "asked"),
    [
        (GOOD, ON_NULL, False),
        (GOOD, ALWAYS, True),
        (NULL, ON_EMPTY, False),
        (NULL, ON_NULL, True),
        (EMPTY, ON_ERROR, False),
        (EMPTY, ON_EMPTY, True),
        (BROKEN, ON_ERROR, True),
    ],
)
def test_only_triggers_ask(context: Context, sql: str, triggers: Collection[Status], asked: bool) -> None:
    refined, model = run(context, sql, *[GOOD] * 2, triggers=triggers)
    assert bool(model.prompts) is asked
    assert refined.sql == (GOOD if asked else sql)


def test_each_turn_sees_the_last_failure_and_draws_anew(context: Context) -> None:
    refined, model = run(context, BROKEN, "```sql\nSELECT nam FROM gene\n```", BROKEN)
    first, second = model.script.requests
    assert "no such column: nme" in model.prompts[0]
    assert "no such column: nam" in model.prompts[1]
    assert len(second.messages) == 1
    assert [r.sampling.temperature for r in (first, second)] == [0.1, 0.4]
    assert (first.sample, second.sample) == (0, 1)
    assert [o.sql for o in refined.outcomes] == [BROKEN, "SELECT nam FROM gene", BROKEN]
    assert refined.sql == BROKEN


def test_a_conversation_goes_on(context: Context) -> None:
    refined, model = run(context, BROKEN, "SELECT nam FROM gene", GOOD, conversation=True)
    roles = [m.role for m in model.script.requests[1].messages]
    assert roles == ["user", "assistant", "user"]
    assert len(refined.messages) == 4
    assert refined.outcome.status is Status.OK


def test_a_reply_without_sql_leaves_the_query_before_it(context: Context) -> None:
    refined, model = run(context, BROKEN, "I can't.")
    assert refined.sql == BROKEN
    assert len(model.prompts) == 1


@pytest.mark.parametrize(("accept", "stands"), [("last", BROKEN), ("best", EMPTY)])
def test_what_stands_at_the_end(context: Context, accept: Accept, stands: str) -> None:
    refined, _ = run(context, EMPTY, BROKEN, BROKEN, triggers=ON_EMPTY, accept=accept)
    assert refined.sql == stands
