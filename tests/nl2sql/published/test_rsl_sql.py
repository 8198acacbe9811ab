import asyncio
import json
from dataclasses import replace

import pytest

from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.rsl_sql import RSL_SQL
from fathom.records import Draft, Question, SolvedExample

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
LINKS = json.dumps({"tables": ["gene"], "columns": ["gene.`symbol`", "nowhere.x"]})
GOOD = "SELECT symbol FROM gene WHERE length > 100000"
EMPTY = "SELECT symbol FROM gene WHERE length > 10000000"
BROKEN = "SELECT nme FROM gene"
KEYWORDS, CONDITIONS = '{"sql_keywords": ["DISTINCT"]}', '{"conditions": ["the gene is long"]}'
SOLVED = tuple(SolvedExample(f"Which genes are on {n}?", f"SELECT {n}") for n in range(9))


def sql(query: str) -> str:
    return json.dumps({"sql": query})


def run(context: Context, *replies: str, method: Method = RSL_SQL) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    given = replace(context, model=model, examples=SOLVED)
    return asyncio.run(run_method(method, QUESTION, given)), model


def test_seven_calls_link_hint_and_choose(context: Context) -> None:
    draft, model = run(
        context,
        LINKS,
        sql(EMPTY),
        LINKS,
        KEYWORDS,
        CONDITIONS,
        sql(GOOD),
        sql(GOOD),
        method=find_method("rsl-sql"),
    )
    link, first, _, _, conditions, second, choose = model.prompts
    assert link.count("Which genes are on") == first.count("Which genes are on") == 3
    assert "drug(" in link
    assert "length in base pairs" not in link
    assert "gene.symbol" in first
    assert draft.selection is not None
    assert dict(draft.selection.tables) == {"gene": ("symbol", "length")}
    assert "drug(" not in second
    assert all(p in second for p in ("length in base pairs", "DISTINCT", "the gene is long", "'LRRK2'"))
    assert "long refers to" not in conditions
    assert all(p in choose for p in (EMPTY, "No rows.", GOOD, "LRRK2"))
    assert draft.sql == GOOD
    assert [c.sql for c in draft.candidates] == [EMPTY, GOOD]
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 0, 4, 1, 0]
    assert {r.sampling.temperature for r in model.script.requests} == {0}


@pytest.mark.parametrize("failing", [EMPTY, BROKEN])
def test_five_corrections_at_most_in_one_conversation(context: Context, failing: str) -> None:
    replies = [LINKS, sql(failing), LINKS, KEYWORDS, CONDITIONS, sql(failing), sql(failing)]
    draft, model = run(context, *replies, *[sql(failing)] * 9)
    assert len(model.prompts) == 12
    assert draft.sql == failing
    assert [len(r.messages) for r in model.script.requests[7:]] == [1, 3, 5, 7, 9]
    assert failing in model.prompts[7]


def test_bad_replies_fall_back(context: Context) -> None:
    draft, model = run(context, "?", "?", "[]", "{}", "", sql(GOOD), "no choice")
    assert draft.sql == GOOD
    assert "gene(length" in model.prompts[5]
    refused, _ = run(context, *["?"] * 6)
    assert refused.refusal is not None
