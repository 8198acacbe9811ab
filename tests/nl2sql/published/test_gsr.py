import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
GOOD = "SELECT symbol FROM gene WHERE length > 100000"
BROKEN = "SELECT nme FROM gene"
USED = '{"gene": ["symbol", "length"]}'


def run(context: Context, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    asked = run_method(find_method("gsr"), QUESTION, replace(context, model=model))
    return asyncio.run(asked), model


def test_values_and_result_are_shown(context: Context) -> None:
    others = '{"gene": ["chromosome"]}'
    draft, model = run(
        context, "1. long genes", f"SQL: {GOOD} END", USED, others, f"SQL: {GOOD} END", "SQL: SELECT 1"
    )
    _, first, _, rest, second, final = model.prompts
    assert "1. long genes" in first
    assert "gene.chromosome" not in rest
    assert "gene.symbol: 'APOE'" in second
    assert "gene.chromosome: '19'" in second
    assert "LRRK2" in final
    assert len(model.script.requests[-1].messages) == 3
    temperatures = [r.sampling.temperature for r in model.script.requests]
    assert temperatures == [0.2, 0.7, 0.2, 0.2, 0.2, 0.7]
    assert draft.sql == "SELECT 1"


def test_columns_that_are_not_there_are_mended(context: Context) -> None:
    used = '{"gene": ["nme"]}'
    draft, model = run(
        context, "", f"SQL: {BROKEN} END", used, f"SQL: {GOOD} END", USED, "?", "SQL: " + GOOD, "", ""
    )
    assert "no such column: gene.nme" in model.prompts[3]
    assert draft.sql == GOOD


def test_a_reply_without_sql_is_put_into_form_once(context: Context) -> None:
    draft, model = run(context, "", "who knows", "still nothing")
    assert draft.refusal is not None
    assert len(model.prompts) == 3


def test_a_query_that_is_never_right_is_mended_in_three_passes_at_most(context: Context) -> None:
    used = '{"gene": ["nme"]}'
    mended = f"SQL: {BROKEN} END"
    draft, model = run(context, "", mended, *[used, mended] * 3, f"SQL: {GOOD} END")
    assert draft.sql == GOOD
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 6, 1]
    assert len(model.script.requests[-1].messages) == 1  # there is no conversation to go on with


@pytest.mark.parametrize(
    ("reply", "sql"),
    [
        ("SQL: SELECT 1 END", "SELECT 1"),
        ("SQL: SELECT CASE WHEN 1 THEN 2 END", "SELECT CASE WHEN 1 THEN 2 END"),
        ("SQL: SELECT CASE WHEN 1 THEN 2 END END", "SELECT CASE WHEN 1 THEN 2 END"),
    ],
)
def test_the_mark_is_told_from_the_end_of_a_case(context: Context, reply: str, sql: str) -> None:
    draft, _ = run(context, "", reply, USED, "{}", "?", "?", "?", "?")
    assert draft.candidates[0].sql == sql


@pytest.mark.parametrize(
    ("distinct", "rows", "shown"), [(49, 49, 49), (50, 50, 3), (60, 700, 60), (60, 600, 3), (100, 5000, 3)]
)
def test_all_values_are_shown_below_fifty_or_below_a_hundred_and_a_tenth_of_the_rows(
    tmp_path: Path, distinct: int, rows: int, shown: int
) -> None:
    with sqlite3.connect(tmp_path / "town.db") as made:
        made.execute("CREATE TABLE town (name TEXT)")
        made.executemany("INSERT INTO town VALUES (?)", [(f"n{i % distinct:03}",) for i in range(rows)])
    made.close()
    with connect(tmp_path / "town.db") as database:
        found, model = run(
            Context(database, cache=tmp_path),
            "",
            "SQL: SELECT name FROM town WHERE name = 'n001'",
            '{"town": ["name"]}',
            *(['{"town.name": ["n007"]}'] if shown == 3 else []),
            *["SQL: SELECT 1"] * 3,
        )
    second = next(p for p in model.prompts if "Reconsider it" in p)
    listed = second.split("town.name: ")[1].splitlines()[0].split(", ")
    if shown == 3:  # the search words' nearest values stand in their place
        assert listed[0] == "'n007'"
        assert len(listed) == 5
    else:
        assert len(listed) == shown
    assert found.sql == "SELECT 1"


def test_the_schema_holds_keys_and_values_come_with_descriptions(context: Context) -> None:
    _, model = run(context, "", f"SQL: {GOOD} END", USED, "{}", f"SQL: {GOOD} END", "SQL: SELECT 1")
    assert "target.drug_id = drug.id" in model.prompts[1]
    assert "gene.length: 3612, 144274, None (length in base pairs)" in model.prompts[4]


def test_long_results_are_cut_to_five_rows_and_short_ones_shown(context: Context) -> None:
    for last, shown in ((10, "10"), (11, "6 more rows")):
        counting = f"SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {last}"
        sql = f"WITH RECURSIVE n(i) AS ({counting}) SELECT i FROM n"
        _, model = run(context, "", f"SQL: {sql}", "{}", "{}", f"SQL: {sql}", "SQL: SELECT 1")
        gave = model.prompts[-1].partition("gave:")[2]
        assert shown in gave
        assert ("more rows" in gave) == (last == 11)


def test_tables_with_spaces_are_missed_only_when_switched_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "town.db") as made:
        made.execute('CREATE TABLE "old town" (name TEXT)')
    made.close()
    with connect(tmp_path / "town.db") as database:
        for name in ("gsr", "gsr+misses_spaced_tables"):
            model = ScriptedModel.of(rules={"": "SQL: SELECT 1"})
            context = Context(database, cache=tmp_path, model=model)
            asyncio.run(run_method(find_method(name), QUESTION, context))
            assert ("`old town`" in model.prompts[1]) == (name == "gsr")


def named(context: Context, name: str, *replies: str) -> Draft:
    model = ScriptedModel.of(*replies)
    return asyncio.run(run_method(find_method(name), QUESTION, replace(context, model=model)))


def test_the_word_error_is_a_query_only_when_switched_on(context: Context) -> None:
    unread = ("", "No idea.", "None either.")
    assert named(context, "gsr", *unread).refusal is not None
    good = f"SQL: {GOOD} END"
    draft = named(context, "gsr+writes_error", *unread, "{}", "{}", good, good)
    assert draft.candidates[0].sql == "error"
    assert draft.sql == GOOD


def test_an_unread_last_reply_loses_the_query_only_when_switched_on(context: Context) -> None:
    replies = ("", f"SQL: {GOOD} END", USED, "{}", f"SQL: {GOOD} END", "It is right.", "It is.")
    assert named(context, "gsr", *replies).sql == GOOD
    lost = named(context, "gsr+loses_unmarked", *replies)
    assert lost.sql is None
    assert lost.refusal is not None
