import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom import registry
from fathom.databases import connect
from fathom.errors import ConfigError, QueryFailed, UnknownName
from fathom.llm import Reply, ScriptedModel
from fathom.methods import Context, Method, find_method, run_method, step
from fathom.records import Candidate, Draft, Question, Refusal, Selection


@pytest.fixture
def context(tmp_path: Path) -> Context:
    path = tmp_path / "genes.db"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE gene (symbol TEXT)")
        made.execute("INSERT INTO gene VALUES ('APOE')")
    made.close()
    return Context(connect(path))


@step("selection")
async def pick_tables(draft: Draft, context: Context) -> Draft:
    return replace(draft, selection=Selection({"gene": ("symbol",)}), notes={"looked_at": 1})


@step("generation")
async def write(draft: Draft, context: Context) -> Draft:
    sql = "SELECT symbol FROM gene"
    return replace(draft, sql=sql, candidates=(Candidate(sql, 1.0),), result=await context.run(sql))


@step("generation")
async def give_up(draft: Draft, context: Context) -> Draft:
    return replace(draft, refusal=Refusal("no idea"))


@step("revision")
async def fail(draft: Draft, context: Context) -> Draft:
    await context.run("SELECT nothing FROM gene")
    return draft


@step("generation")
async def guess(draft: Draft, context: Context, *, tries: int = 1, bold: bool = False) -> Draft:
    return draft


def test_settings_reach_the_steps_that_take_them() -> None:
    method = Method("test", (pick_tables, guess, guess.using(bold=True)))
    changed = method.using(tries=3)
    assert [dict(s.settings) for s in changed.steps] == [{}, {"tries": 3}, {"bold": True, "tries": 3}]
    assert changed.name == "test"
    with pytest.raises(ConfigError, match=r"'test' has no setting 'trees'.*tries"):
        method.using(trees=3)
    with pytest.raises(ConfigError, match=r"no setting 'xyz'\. There is: bold, tries\."):
        method.using(xyz=1)
    with pytest.raises(ConfigError, match=r"no setting 'tries'\. It has none\."):
        Method("plain", (pick_tables,)).using(tries=1)


def run(context: Context, *steps: object) -> Draft:
    method = Method("test", tuple(steps))  # type: ignore[arg-type]
    return asyncio.run(run_method(method, Question("Which genes?"), context))


def test_the_trace_holds_each_step_with_what_it_changed_and_used(context: Context) -> None:
    draft = run(context, pick_tables, write)
    selection, generation = draft.trace.steps
    assert (selection.name, selection.module) == ("pick_tables", "selection")
    assert selection.found == {"selection": {"gene": ["symbol"]}, "looked_at": 1}
    assert generation.name == "write"
    assert generation.found["sql"] == "SELECT symbol FROM gene"
    assert generation.usage.database_seconds > 0
    assert draft.trace.usage.own_seconds > 0
    assert draft.notes == {}
    assert draft.result is not None
    assert draft.result.rows == (("APOE",),)


def test_a_refusal_without_sql_ends_the_way(context: Context) -> None:
    draft = run(context, give_up, write)
    assert [s.name for s in draft.trace.steps] == ["give_up"]
    assert draft.sql is None


def test_a_refusal_with_a_best_guess_goes_on(context: Context) -> None:
    assert len(run(context, write, give_up, pick_tables).trace.steps) == 3


def test_errors_of_a_step_reach_the_caller(context: Context) -> None:
    with pytest.raises(QueryFailed):
        run(context, fail)


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(UnknownName, match="no method 'ofline'"):
        find_method("ofline")


@step("generation", quirks={"shouts": "writes in capitals"})
async def speak(draft: Draft, context: Context, *, shouts: bool = False, sql: str = "select 1") -> Draft:
    return replace(draft, sql=sql.upper() if shouts else sql)


def test_quirks_are_off_until_they_are_switched_on_by_name(context: Context) -> None:
    method = Method("speak", (speak,))
    assert method.quirks == {"shouts": "writes in capitals"}
    for names, sql in ((), "select 1"), (("shouts",), "SELECT 1"), (("quirks",), "SELECT 1"):
        chosen = method.with_quirks(*names)
        assert chosen.name == "+".join(("speak", *names))
        assert run(context, *chosen.steps).sql == sql


def test_a_quirk_that_is_not_there_is_told_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'longer_lists_weigh_more'"):
        find_method("c3+longer_list_weigh_more")
    with pytest.raises(ConfigError, match="It has none"):
        find_method("offline+quirks")
    assert find_method("c3+quirks").steps[0].settings["longer_lists_weigh_more"] is True


def test_every_quirk_of_every_method_is_off_by_default() -> None:
    for name in registry.names("methods"):
        method = find_method(name)
        if isinstance(method, Method):
            assert all(s.known_settings[q] is False for s in method.steps for q in s.quirks), name
            assert ("fastest_wins" in method.quirks) == (name == "opensearch-sql")


@step("generation", calls="1")
async def _asks(draft: Draft, context: Context) -> Draft:
    reply = await context.metered_model().ask("Say it.")
    return replace(draft, sql=reply.text) if reply.text else replace(draft, refusal=Refusal("No SQL."))


def _replied(context: Context, *replies: Reply) -> Draft:
    asked = replace(context, model=ScriptedModel.of(*replies))
    return asyncio.run(run_method(Method("asks", (_asks,)), Question("Say it."), asked))


def test_the_trace_tells_how_replies_were_drawn(context: Context) -> None:
    found = _replied(context, Reply("SELECT 1", dropped=("seed", "temperature"))).trace.steps[0].found
    assert found["not taken by the model"] == ["seed", "temperature"]
    assert "replies cut at their length" not in found


def test_a_reply_that_was_cut_is_told_as_such(context: Context) -> None:
    cut = Reply("", finish="length")
    draft = _replied(context, cut, cut)  # asked again with room to think, it says nothing either
    assert draft.trace.steps[0].found["replies cut at their length"] == 2
    assert draft.refusal is not None
    assert draft.refusal.reason.startswith("No SQL. A reply was cut")
    assert "--reply-tokens" in draft.refusal.reason


def test_a_reply_that_ended_by_itself_is_not_told_as_cut(context: Context) -> None:
    draft = _replied(context, Reply(""))
    assert draft.refusal is not None
    assert draft.refusal.reason == "No SQL."
