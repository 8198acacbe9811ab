import asyncio
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.knowledge import ColumnNote, KnowledgePack, TableNote
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
    assert all(request.sampling.json_mode for request in model.script.requests)
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


def test_meanings_are_shown_to_every_step_on_the_pruned_schema(context: Context) -> None:
    _, model = run(context, LINKS, sql(GOOD), LINKS, KEYWORDS, CONDITIONS, sql(GOOD), sql(GOOD))
    link, draft, link_again, keywords, _, second, choose = model.prompts
    for asked in (link, draft):
        assert "length in base pairs" not in asked
    for asked in (link_again, keywords, second, choose):
        assert "gene.length: length in base pairs" in asked


def test_a_correction_that_cannot_be_read_is_drawn_thrice(context: Context) -> None:
    start = [LINKS, sql(EMPTY), LINKS, KEYWORDS, CONDITIONS, sql(EMPTY), sql(EMPTY)]
    draft, model = run(context, *start, "?", "{}", sql(GOOD))
    assert draft.sql == GOOD
    assert [r.sample for r in model.script.requests[7:]] == [0, 1, 2]
    draft, model = run(context, *start, "?", "?", "?", sql(GOOD))
    assert draft.sql == EMPTY
    assert len(model.prompts) == 10


def test_quirks_of_corrections_and_capitals_are_off_until_switched_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "town.db") as made:
        made.executescript(
            "CREATE TABLE Town (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE road (id INTEGER PRIMARY KEY, town INTEGER REFERENCES Town (id), name TEXT)"
        )
    made.close()
    notes = {
        t: TableNote(columns={"name": ColumnNote(description=f"what people call a {t}")})
        for t in ("Town", "road")
    }
    empty = sql("SELECT Town.name FROM Town JOIN road ON road.town = Town.id")
    links = json.dumps({"tables": ["Town", "road"], "columns": []})
    with connect(tmp_path / "town.db") as database:
        context = Context(database, KnowledgePack(tables=notes), cache=tmp_path)
        for name in ("rsl-sql", "rsl-sql+quirks"):
            replies = [links, empty, links, KEYWORDS, CONDITIONS, empty, empty, empty, "?", "?", "?"]
            _, model = run(context, *replies, method=find_method(name))
            for asked in (model.prompts[5], model.prompts[6], model.prompts[7]):
                assert "what people call a road" in asked
                assert ("what people call a Town" in asked) == (name == "rsl-sql")
                assert ("road.town = Town.id" in asked.partition("</schema")[0]) == (name == "rsl-sql")
            assert ("This query is wrong" in model.prompts[7]) == (name == "rsl-sql")
