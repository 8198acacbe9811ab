import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.published.chess import shuffled
from fathom.nl2sql.published.chess_ir_ss_cg import entity_notes
from fathom.nl2sql.published.chess_selection import connected
from fathom.nl2sql.unit_tests import best, verdicts_in
from fathom.records import Draft, Question, Selection

QUESTION = Question("Which drug inhibits LRRK2?", evidence="inhibits refers to action = 'inhibitor'")
RIGHT = (
    "SELECT T1.name FROM drug AS T1 JOIN target AS T2 ON T2.drug_id = T1.id "
    "JOIN gene AS T3 ON T3.id = T2.gene_id WHERE T3.symbol = 'LRRK2'"
)
KEYWORDS = '["drug", "LRRK2", "action = \'inhibitor\'"]'
FILTER, TABLES, COLUMNS = "Judge one column", "needs*.*table_names", "Which columns does the query"
WRITE, REVISE = "aliases T1, T2", "revised_sql"
FIRST = "Before a database is searched"


def column_filter(prompt: Any) -> str:
    words = prompt.messages[-1].text
    wanted = ("column: name", "column: symbol", "column: action")
    return json.dumps({"reasoning": "so", "relevant": "Yes" if any(w in words for w in wanted) else "No"})


def rules(**changed: Any) -> dict[str, Any]:
    told = {
        FIRST: KEYWORDS,
        FILTER: column_filter,
        "table_names": json.dumps({"reasoning": "r", "table_names": ["Drug", "target", "gene", "planet"]}),
        COLUMNS: "```json\n" + json.dumps({"columns": {"drug": ["name"], "gene": ["SYMBOL"]}}) + "\n```",
        WRITE: json.dumps({"reasoning": "joins", "sql": "SELECT name FROM drug WHERE name = 'lrrk2'"}),
        REVISE: json.dumps({"reasoning": "mended", "revised_sql": RIGHT}),
    }
    return told | changed


def run(context: Context, model: ScriptedModel, name: str) -> Draft:
    return asyncio.run(run_method(find_method(name), QUESTION, replace(context, model=model)))


def test_selectors_one_query_and_one_revision(context: Context) -> None:
    model = ScriptedModel.of(rules=rules())
    draft = run(context, model, "chess-ir-ss-cg")
    schema = context.database.schema
    columns = sum(len(t.columns) for t in schema.tables)
    assert draft.trace.usage.calls == 1 + columns + 2 + 1 + 1
    assert [s.usage.calls for s in draft.trace.steps] == [1, 0, columns, 1, 1, 1, 1]
    assert draft.sql == RIGHT
    assert draft.selection == Selection({"gene": ("symbol",), "drug": ("name",)})
    filtered = draft.trace.steps[2].found["selection"]
    assert filtered == {
        "gene": ["id", "symbol"],
        "drug": ["id", "name"],
        "target": ["drug_id", "gene_id", "action"],
    }
    write = next(p for p in model.prompts if WRITE in p)
    assert "symbol TEXT" in write
    assert "chromosome" not in write
    assert "'LRRK2'" in write
    assert "id INTEGER" in write, "what joins is shown though it isn't selected"
    revise = next(p for p in model.prompts if REVISE in p)
    for part in ("chromosome", "No rows.", "name = 'lrrk2'", QUESTION.evidence):
        assert part in revise
    judged_column = next(p for p in model.prompts if "column: chromosome" in p)
    assert any(f"examples: '{n}'" in judged_column for n in (19, 12, 4))
    temperatures = [r.sampling.temperature for r in model.script.requests]
    assert temperatures[0] == 0.2
    assert set(temperatures[1:]) == {0.0}


@pytest.mark.parametrize("bad", ["", "no idea", "[1]", '{"columns": 3, "table_names": {}}', "{" * 40])
def test_replies_that_cannot_be_read_fall_back(context: Context, bad: str) -> None:
    selecting = {FILTER: bad, "table_names": bad, COLUMNS: bad}
    draft = run(context, ScriptedModel.of(rules=rules(**selecting)), "chess-ir-ss-cg")
    assert draft.sql == RIGHT
    kept = run(context, ScriptedModel.of(rules=rules(**{REVISE: bad})), "chess-ir-ss-cg")
    assert kept.sql == "SELECT name FROM drug WHERE name = 'lrrk2'"
    none = run(context, ScriptedModel.of(rules=dict.fromkeys(rules(), bad)), "chess-ir-ss-cg")
    assert none.sql is None
    assert none.refusal is not None


def test_notes_on_literals_that_the_cells_do_not_hold(context: Context) -> None:
    values = {"gene": {"symbol": ["LRRK2", "APOE"]}, "drug": {"name": ["Donepezil"]}}
    schema = context.database.schema
    notes = list(entity_notes("SELECT 1 FROM gene WHERE symbol = 'lrrk2'", schema, values))
    assert notes == ["gene.symbol holds 'LRRK2'; the query compares it with 'lrrk2'."]
    notes = list(entity_notes("SELECT 1 FROM drug WHERE name = 'APOE'", schema, values))
    assert notes == ["'APOE' is a value of gene.symbol; the query looks in drug.name."]
    assert not list(entity_notes("SELECT 1 FROM gene WHERE symbol = 'APOE'", schema, values))


def test_connected_adds_keys(context: Context) -> None:
    kept = connected(context.database.schema, Selection({"target": ("action",), "gene": ("symbol",)}))
    assert kept.tables == {"gene": ("id", "symbol"), "target": ("drug_id", "gene_id", "action")}


BROKEN, OTHER = "SELECT naem FROM drug", "SELECT name FROM drug"
DIVIDE, PLAN, REPAIR = "by dividing", "as a database would", "fails or gives nothing"
TESTS, JUDGE = "Write at most", "Hold each candidate"


def tagged(sql: str) -> str:
    return f"First this, then that.\n<answer>\n{sql};\n</answer>"


def many(**changed: Any) -> dict[str, Any]:
    told = {
        FIRST: KEYWORDS,
        DIVIDE: [tagged(OTHER)] * 6 + [tagged(BROKEN), "nothing", tagged(RIGHT)],
        PLAN: tagged(RIGHT.replace("'LRRK2'", "'nobody'")),
        REPAIR: tagged(RIGHT),
        TESTS: '<reasoning>r</reasoning><answer>["Joins gene.", "Keeps LRRK2."]</answer>',
        JUDGE: judged,
    }
    return told | changed


def judged(request: Any) -> str:
    """Candidates that look for LRRK2 pass."""
    shown = request.messages[-1].text.split("Candidate ")[1:]
    lines = [f"{i}: {'Passed' if 'LRRK2' in c else 'Failed'}" for i, c in enumerate(shown, 1)]
    return "<reasoning>1 and 2</reasoning>\n<answer>\n" + "\n".join(lines) + "\n</answer>"


def test_many_candidates_are_repaired_and_tested(context: Context) -> None:
    model = ScriptedModel.of(rules=many())
    draft = run(context, model, "chess-ir-cg-ut")
    assert draft.sql == RIGHT
    modules = [s.module for s in draft.trace.steps]
    assert modules == ["generation"] * 3 + ["revision"] * 2
    assert [s.usage.calls for s in draft.trace.steps] == [1, 0, 20, 11, 4]
    generated = draft.trace.steps[2].found["candidates"]
    assert len(generated) == 19, "a reply without SQL is no candidate"
    assert generated[6]["sql"] == BROKEN
    assert draft.trace.steps[2].found["sql"] == OTHER
    by_kind = {
        kind: [r.sampling.temperature for r in model.script.requests if kind in r.messages[-1].text]
        for kind in many()
    }
    assert by_kind[DIVIDE] == by_kind[PLAN] == [0.5] * 10
    assert by_kind[REPAIR] == [0.0] * 11
    assert by_kind[TESTS] == [0.8]
    assert by_kind[JUDGE] == [0.0] * 3
    prompts = model.prompts
    assert len({p for p in prompts if DIVIDE in p}) > 1, "the schema is shuffled"
    assert len({p for p in prompts if REPAIR in p}) > 2, "each time it is shown"
    counted = "length in base pairs | 2 values, 2 different, 1 missing"
    assert all(counted in p for p in prompts if DIVIDE in p)
    assert any("no such column" in p for p in prompts if REPAIR in p)
    assert all(QUESTION.evidence in p for p in prompts)
    (asking,) = (p for p in prompts if TESTS in p)
    assert "chromosome" not in asking
    assert "Group 2" in asking


def test_no_tests_where_all_agree(context: Context) -> None:
    model = ScriptedModel.of(rules=many(**{DIVIDE: tagged(RIGHT), PLAN: RIGHT}))
    draft = run(context, model, "chess-ir-cg-ut")
    assert draft.sql == RIGHT
    assert draft.trace.usage.calls == 21


@pytest.mark.parametrize("bad", ["", "no idea", "<answer>", '["x"', "{" * 40])
def test_tests_and_repairs_that_cannot_be_read(context: Context, bad: str) -> None:
    draft = run(context, ScriptedModel.of(rules=many(**{TESTS: bad, JUDGE: bad})), "chess-ir-cg-ut")
    assert draft.sql == RIGHT, "without a verdict the largest group stands"
    kept = run(context, ScriptedModel.of(rules=many(**{REPAIR: bad, JUDGE: bad})), "chess-ir-cg-ut")
    assert kept.sql is not None
    none = run(context, ScriptedModel.of(rules=dict.fromkeys(many(), bad)), "chess-ir-cg-ut")
    assert none.refusal is not None


def test_verdicts_and_ties() -> None:
    assert verdicts_in("1: Passed\n2) Failed\n3: passed", 3) == [1, 0, 1]
    assert verdicts_in("<answer>2: pass</answer>", 2) == [0, 1]
    assert verdicts_in("7: Passed", 2) is None
    assert best([1, 2, 2], [[0, 2], [1]]) == 2
    assert best([1, 2, 1], [[0, 2], [1]]) == 1
    assert best([0, 0], [[1], [0]]) == 1


def test_shuffling_keeps_everything_and_depends_on_the_seed_alone(context: Context) -> None:
    schema = context.database.schema
    made = shuffled(schema, "a")
    assert made == shuffled(schema, "a")
    assert len({repr(shuffled(schema, str(i))) for i in range(9)}) > 1
    for table in schema.tables:
        assert set(made.table(table.name).columns) == set(table.columns)


def test_the_last_temperature_stays_in_force_only_when_switched_on(context: Context) -> None:
    model = ScriptedModel.of(rules=rules())
    run(context, model, "chess-ir-ss-cg+keeps_last_temperature")
    asked = {r.sampling.temperature for r in model.script.requests if FILTER in r.messages[-1].text}
    assert asked == {0.2}
    model = ScriptedModel.of(rules=many())
    run(context, model, "chess-ir-cg-ut+keeps_last_temperature")
    for kind, temperature in {REPAIR: 0.5, JUDGE: 0.8}.items():
        asked = {r.sampling.temperature for r in model.script.requests if kind in r.messages[-1].text}
        assert asked == {temperature}


def test_one_unreadable_verdict_voids_all_only_when_switched_on(context: Context) -> None:
    def partly(request: Any) -> str:
        return "?" if "Joins gene." in request.messages[-1].text else judged(request)

    for name, sql in {"chess-ir-cg-ut": RIGHT, "chess-ir-cg-ut+voided_by_one_failure": OTHER}.items():
        assert run(context, ScriptedModel.of(rules=many(**{JUDGE: partly})), name).sql == sql


@pytest.mark.parametrize(
    ("quirk", "kept"), [("", ["nme0", "1", "2"]), ("+shifts_repairs", ["1", "2", "nme2"])]
)
def test_repairs_shift_after_one_that_cannot_be_read_only_when_switched_on(
    context: Context, quirk: str, kept: list[str]
) -> None:
    broken = [f"SELECT nme{n}" for n in range(3)]

    def repaired(request: Any) -> str:
        number = next(n for n, sql in enumerate(broken) if sql in request.messages[-1].text)
        return tagged(f"SELECT {number}") if number else "I can't."

    written: dict[str, Any] = {
        DIVIDE: [tagged(sql) for sql in broken],
        PLAN: "none",
        REPAIR: repaired,
    }
    write, repair = find_method(f"chess-ir-cg-ut{quirk}").steps[2:4]
    known = replace(context, model=ScriptedModel.of(rules=written))
    few = replace(find_method("chess-ir-cg-ut"), steps=(write.using(samples=3), repair))
    draft = asyncio.run(run_method(few, QUESTION, known))
    assert [c.sql for c in draft.candidates] == [f"SELECT {what}" for what in kept]
