import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.mac_sql import decompose, refine_by_execution
from fathom.records import Draft, Question

QUESTION = Question("Which gene is the longest?", evidence="longest refers to MAX(length)")
RIGHT = "SELECT symbol FROM gene WHERE length IS NOT NULL ORDER BY length DESC LIMIT 1"
PARTS = f"Part 1.\n```sql\nSELECT MAX(length) FROM gene\n```\nPart 2.\n```sql\n{RIGHT}\n```"


def run(context: Context, model: ScriptedModel) -> Draft:
    return asyncio.run(run_method(find_method("mac-sql"), QUESTION, replace(context, model=model)))


def fence(sql: str) -> str:
    return f"```sql\n{sql}\n```"


def test_a_small_schema_and_a_query_that_runs_take_one_call(context: Context) -> None:
    model = ScriptedModel.of(PARTS)
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert [s.usage.calls for s in draft.trace.steps] == [0, 1, 0]
    (asked,) = model.prompts
    for part in (QUESTION.text, QUESTION.evidence, "(symbol, symbol, examples:", "drug.id"):
        assert part in asked
    assert model.script.requests[0].sampling.temperature == 0.1


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT nme FROM gene", "no such column: nme"),
        ("SELECT symbol FROM gene WHERE id = 9", "gives no rows"),
        ("SELECT length FROM gene", "IS NOT NULL"),
    ],
)
def test_the_refiner_is_told_what_came_of_the_query(context: Context, sql: str, told: str) -> None:
    model = ScriptedModel.of(fence(sql), fence(RIGHT))
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert draft.trace.steps[2].usage.calls == 1
    assert told in model.prompts[1]
    assert sql in model.prompts[1]
    assert QUESTION.evidence in model.prompts[1]


def test_three_rounds_at_most_and_an_unusable_reply_ends_them(context: Context) -> None:
    draft = run(context, ScriptedModel.of(*[fence(f"SELECT x{i} FROM gene") for i in range(5)]))
    assert draft.trace.steps[2].usage.calls == 3
    assert draft.sql == "SELECT x3 FROM gene"
    draft = run(context, ScriptedModel.of(fence("SELECT x FROM gene"), "I can't say."))
    assert draft.sql == "SELECT x FROM gene"


def test_spider_s_mode_mends_errors_only(context: Context) -> None:
    method = Method("spider", (decompose, refine_by_execution.using(only_errors=True)))
    model = ScriptedModel.of(fence("SELECT length FROM gene"))
    draft = asyncio.run(run_method(method, QUESTION, replace(context, model=model)))
    assert draft.sql == "SELECT length FROM gene"


def test_no_sql_is_a_reasoned_refusal(context: Context) -> None:
    draft = run(context, ScriptedModel.of("I can't say."))
    assert draft.sql is None
    assert draft.refusal is not None


def wide(table: str) -> tuple[str, ...]:
    return tuple(f"{table}{i}" for i in range(12))


@pytest.mark.parametrize(
    ("reply", "tables"),
    [
        (
            '{"a": ["A9", "nothing"], "b": "drop_all"}',
            {"a": ("a0", "a1", "a2", "a3", "a4", "a9"), "b": wide("b")[:6], "c": wide("c")},
        ),
        ('{"a": "keep_all"}', {t: wide(t) for t in "abc"}),
        ("no object", None),
    ],
)
def test_the_selector_keeps_more_than_it_is_told(
    tmp_path: Path, reply: str, tables: dict[str, tuple[str, ...]] | None
) -> None:
    with sqlite3.connect(tmp_path / "wide.db") as made:
        for table in "abc":
            columns = " TEXT, ".join(wide(table))
            made.execute(f"CREATE TABLE {table} ({columns} TEXT)")
            made.execute(f"INSERT INTO {table} VALUES ({', '.join(repr('of ' + c) for c in wide(table))})")
    made.close()
    with connect(tmp_path / "wide.db") as database:
        model = ScriptedModel.of(reply, fence("SELECT COUNT(*) FROM a"))
        draft = run(Context(database), model)
    assert draft.sql == "SELECT COUNT(*) FROM a"
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 0]
    assert (draft.selection.tables if draft.selection else None) == tables


def test_a_query_that_speaks_of_errors_is_checked_unless_the_quirk_is_on(context: Context) -> None:
    sql = "SELECT nme FROM gene WHERE symbol <> 'error'"
    for name, calls in {"mac-sql": 1, "mac-sql+trusts_error_word": 0}.items():
        given = replace(context, model=ScriptedModel.of(fence(sql), fence(RIGHT)))
        draft = asyncio.run(run_method(find_method(name), QUESTION, given))
        assert draft.trace.steps[2].usage.calls == calls
        assert draft.sql == (RIGHT if calls else sql)


def test_a_query_that_takes_too_long_is_mended_unless_the_quirk_is_on(context: Context) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    quick = replace(context, limits=replace(context.limits, seconds=0.2))
    for name, sql in {"mac-sql": RIGHT, "mac-sql+loses_timeouts": None}.items():
        given = replace(quick, model=ScriptedModel.of(fence(endless), fence(RIGHT)))
        draft = asyncio.run(run_method(find_method(name), QUESTION, given))
        assert draft.sql == sql
        assert (draft.refusal is None) == (sql is not None)
