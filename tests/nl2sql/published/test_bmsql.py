import asyncio
import json
from dataclasses import replace

import pytest

from fathom.knowledge import ColumnNote, Convention, KnowledgePack, TableNote
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.bmsql import BMSQL, judge_sufficiency, mend_broad_query
from fathom.nl2sql.wording import NOTHING_RUN
from fathom.records import Draft, Question

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
COLUMNS = json.dumps({"gene": ["symbol", "LENGTH"], "nowhere": ["x"]})
BROAD = "SELECT symbol, length FROM gene LIMIT 100"
REFINED = "SELECT symbol FROM gene WHERE length > 100000"
BROKEN = "SELECT nme FROM gene"
PACK = KnowledgePack(conventions=(Convention(name="hit", rule="A hit has p < 5e-8."),))


def run(method: Method, context: Context, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    given = replace(context, model=model, knowledge=PACK)
    return asyncio.run(run_method(method, QUESTION, given)), model


def test_one_pass_makes_five_calls(context: Context) -> None:
    draft, model = run(find_method("bmsql"), context, COLUMNS, BROAD, REFINED, "LRRK2 is long.", "no")
    columns, broad, refined, answer, enough = model.prompts
    assert "gene(id, symbol, chromosome, length)" in columns
    assert "CREATE TABLE" not in columns
    assert "gene(symbol, length)" in broad
    assert "'SNCA'" in broad
    assert "5e-8" not in broad
    assert all(part in refined for part in (BROAD, "APOE | 3612", "A hit has p < 5e-8."))
    assert all(part in answer for part in (BROAD, REFINED, "LRRK2"))
    assert "LRRK2 is long." in enough
    assert all("long refers to" in p for p in model.prompts)
    assert {(r.sampling.temperature, r.sampling.max_tokens) for r in model.script.requests} == {(0, 4096)}
    assert draft.sql == REFINED
    assert draft.result is not None
    assert draft.result.rows == (("LRRK2",),)
    assert draft.selection is not None
    assert dict(draft.selection.tables) == {"gene": ("symbol", "length")}
    assert draft.findings["answer"] == "LRRK2 is long."
    assert draft.findings["sufficient"] is False


def test_a_failing_broad_query_is_mended_three_times_at_most(context: Context) -> None:
    draft, model = run(BMSQL, context, COLUMNS, *[BROKEN] * 4, REFINED, "LRRK2.", "yes")
    assert len(model.prompts) == 8
    assert all("no such column: nme" in p for p in model.prompts[2:5])
    assert "no such column: nme" in model.prompts[5]
    assert draft.sql == REFINED


def test_mending_blindly_hides_the_error_and_does_not_run_the_last(context: Context) -> None:
    steps = tuple(s.using(mends_blindly=True) if s is mend_broad_query else s for s in BMSQL.steps)
    draft, model = run(
        Method("m", steps), context, COLUMNS, *[BROKEN] * 3, BROAD, REFINED, "LRRK2 is long.", "yes"
    )
    assert all("nme" in p and "no such column" not in p for p in model.prompts[2:5])
    assert draft.findings["general"] == {
        "sql": BROAD,
        "rows": "Error: The query failed; the database gave no reason.",
        "more rows": "Error: The query failed; the database gave no reason.",
        "ran": False,
    }


def test_nothing_ran_is_a_fixed_answer(context: Context) -> None:
    draft, model = run(BMSQL, context, "?", *[BROKEN] * 4, BROKEN, "no")
    assert draft.findings["answer"] == NOTHING_RUN
    assert len(model.prompts) == 7
    assert draft.sql == BROKEN


@pytest.mark.parametrize(
    ("verdicts", "passes"), [(["yes"], 1), (["No.", "yes"], 2), (["no", "**No**", "no"], 3)]
)
def test_a_no_starts_another_pass_without_memory(context: Context, verdicts: list[str], passes: int) -> None:
    replies = [r for v in verdicts for r in (COLUMNS, BROAD, REFINED, "LRRK2 is long.", v)]
    draft, model = run(find_method("bmsql-3"), context, *replies)
    assert len(model.prompts) == 5 * passes
    assert draft.findings["passes"] == passes
    assert [r.sample for r in model.script.requests[::5]] == list(range(passes))
    assert len(set(model.prompts[::5])) == 1


def test_only_the_bare_word_starts_another_pass_as_published(context: Context) -> None:
    method = find_method("bmsql-2")
    steps = tuple(s.using(exact_no=True) if s.name == judge_sufficiency.name else s for s in method.steps)
    _, model = run(Method("m", steps), context, COLUMNS, BROAD, REFINED, "LRRK2 is long.", "No.")
    assert len(model.prompts) == 5


def test_a_pass_without_sql_leaves_the_query_before(context: Context) -> None:
    first = [COLUMNS, BROAD, REFINED, "LRRK2 is long.", "no"]
    second = ["no json", "no sql", "none either", "Still LRRK2.", "yes"]
    draft, model = run(find_method("bmsql-2"), context, *first, *second)
    assert len(model.prompts) == 10
    assert draft.sql == REFINED
    refused, _ = run(BMSQL, context, "no json", "no sql")
    assert refused.refusal is not None


NUMBERS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 150) SELECT x FROM n"


def test_the_calls_that_answer_and_judge_see_what_their_rivals_see(context: Context) -> None:
    _, model = run(BMSQL, context, COLUMNS, NUMBERS, NUMBERS, "A hundred and fifty.", "yes")
    _, _, refined, answer, enough = model.prompts
    assert "\n10\n" in refined
    assert "\n11\n" not in refined
    for words in (answer, enough):
        assert words.count("\n100\n") == 2  # of both queries
        assert "\n101\n" not in words


def test_what_a_pack_says_of_columns_reaches_the_schema(context: Context) -> None:
    notes = {"length": ColumnNote(description="in base pairs, quorvx")}
    pack = KnowledgePack(tables={"gene": TableNote(columns=notes)}, conventions=PACK.conventions)
    model = ScriptedModel.of(COLUMNS, BROKEN, BROAD, REFINED, "LRRK2 is long.", "yes")
    asyncio.run(run_method(BMSQL, QUESTION, replace(context, model=model, knowledge=pack)))
    broad, mended, refined = model.prompts[1:4]
    assert all("-- in base pairs, quorvx" in words for words in (broad, mended, refined))
