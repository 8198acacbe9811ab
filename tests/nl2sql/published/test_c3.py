import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.c3 import recall_tables
from fathom.records import Draft, Question

QUESTION = Question("Which drugs act on APOE?", evidence="act on refers to target")
TABLES = json.dumps(["target", "drug", "gene"])
COLUMNS = json.dumps({"drug": ["name", "phase"], "gene": ["symbol"], "target": ["action"]})
RIGHT = (
    "drug.name FROM drug JOIN target ON target.drug_id = drug.id JOIN gene ON gene.id = target.gene_id "
    "WHERE gene.symbol = 'APOE'"
)
Lines = str | Sequence[str]


def script(tables: Lines = TABLES, columns: Lines = COLUMNS, sql: Lines = RIGHT) -> ScriptedModel:
    rules = {"Rank all tables": tables, "rank its columns": columns, "Complete one": sql}
    return ScriptedModel.of(rules=rules)


def run(context: Context, model: ScriptedModel) -> Draft:
    return asyncio.run(run_method(find_method("c3"), QUESTION, replace(context, model=model)))


def test_three_requests_for_forty_samples(context: Context) -> None:
    model = script()
    draft = run(context, model)
    assert draft.sql == f"SELECT {RIGHT}"
    assert [s.usage.calls for s in draft.trace.steps] == [10, 10, 20, 0]
    temperatures = [r.sampling.temperature for r in model.script.requests]
    assert temperatures == [0.7] * 20 + [None] * 20
    assert len({r.key for r in model.script.requests}) == 40
    assert draft.selection is not None
    assert list(draft.selection.tables.items()) == [
        ("target", ("action", "gene_id", "drug_id")),
        ("drug", ("name", "phase", "id")),
        ("gene", ("symbol", "id")),
    ]
    tables, columns, sql = model.prompts[0], model.prompts[10], model.prompts[20]
    for asked in (tables, columns, sql):
        assert "Which drugs act on APOE?" in asked
        assert "act on refers to target" in asked
        assert "symbol ('APOE')" in asked
    assert "target.drug_id = drug.id" in columns
    assert "chromosome" not in sql
    roles = [m.role for m in model.script.requests[20].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_the_commonest_set_of_tables_wins_and_unreadable_replies_have_no_vote(context: Context) -> None:
    replies = ["?", '["gene"]', '["drug", "nothing", "gene"]', '["gene", "drug"]', *["no list"] * 6]
    draft = run(context, script(tables=replies))
    assert draft.trace.steps[0].found["selection"].keys() == {"gene", "drug"}


@pytest.mark.parametrize(
    ("name", "replies", "tables"),
    [
        ("c3", ['["gene"]', '["gene"]', TABLES], {"gene"}),
        ("c3+longer_lists_weigh_more", ['["gene"]', '["gene"]', TABLES], {"gene", "drug", "target"}),
        # Names of tables that aren't there are examined too.
        ("c3+longer_lists_weigh_more", ['["gene", "x", "y"]', '["drug"]', '["drug"]'], {"gene"}),
        ("c3", ["?", '["gene"]', '["gene"]'], {"gene"}),
        ("c3+redraws_whole_batch", ["?", '["gene"]', '["gene"]', *['["drug"]'] * 3], {"drug"}),
    ],
)
def test_quirks_change_the_vote_only_when_switched_on(
    context: Context, name: str, replies: list[str], tables: set[str]
) -> None:
    recall = find_method(name).steps[0].using(samples=3)
    model = script(tables=replies)
    found = asyncio.run(run_method(Method(name, (recall,)), QUESTION, replace(context, model=model)))
    assert found.selection is not None
    assert set(found.selection.tables) == tables


def test_tables_stand_in_the_order_of_the_first_reply_that_has_them(context: Context) -> None:
    model = script(tables=['["drug"]', '["target", "gene"]', '["gene", "target"]'])
    method = Method("recall", (recall_tables.using(samples=3),))
    found = asyncio.run(run_method(method, QUESTION, replace(context, model=model)))
    assert found.selection is not None
    assert list(found.selection.tables) == ["target", "gene"]


def test_a_first_reply_without_a_query_has_the_batch_drawn_anew(context: Context) -> None:
    model = script(sql=["I can't say.", *[RIGHT] * 19, RIGHT])
    draft = run(context, model)
    assert draft.trace.steps[2].usage.calls == 40


def test_operators_are_closed_up_and_ambiguous_columns_qualified(context: Context) -> None:
    sql = "gene_id FROM target AS a JOIN target AS b ON a.gene_id = b.gene_id WHERE a.drug_id > = 2"
    draft = run(context, script(sql=sql))
    assert draft.sql is not None
    assert draft.sql.startswith("SELECT a.gene_id FROM target AS a")
    assert draft.sql.endswith("a.drug_id >= 2")
    assert context.database.run(draft.sql).rows == ((2,),)


def test_what_can_not_be_read_twice_over_keeps_everything(context: Context) -> None:
    model = script(tables="none", columns="none")
    draft = run(context, model)
    assert [s.usage.calls for s in draft.trace.steps] == [20, 20, 20, 0]
    assert draft.selection is None
    assert "chromosome" in model.prompts[-1]


def test_a_batch_is_drawn_anew_while_its_first_query_fails(context: Context) -> None:
    model = script(sql=[*["nme FROM gene"] * 20, RIGHT])
    draft = run(context, model)
    assert draft.trace.steps[2].usage.calls == 40
    assert draft.sql == f"SELECT {RIGHT}"
    model = script(sql="nme FROM gene")
    draft = run(context, model)
    assert draft.trace.steps[2].usage.calls == 100
    assert draft.sql == "SELECT nme FROM gene"


def test_the_vote_looks_past_distinct(context: Context) -> None:
    plain, distinct = "action FROM target", "DISTINCT action FROM target"
    draft = run(context, script(sql=["symbol FROM gene", distinct, plain, "symbol FROM drug"]))
    assert draft.sql == f"SELECT {distinct}"
    assert len(draft.candidates) == 20
    assert draft.candidates[1].score == 2


def test_no_sql_at_all_is_a_reasoned_refusal(context: Context) -> None:
    draft = run(context, script(sql="I can't say."))
    assert draft.sql is None
    assert draft.refusal is not None
