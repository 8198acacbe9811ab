import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from fathom.knowledge import KnowledgePack
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.published.opensearch_alignment import faults, join_choices, mended, misplaced, near_cells
from fathom.nl2sql.published.opensearch_extraction import value_hits, with_namesakes
from fathom.nl2sql.published.opensearch_sql import OPENSEARCH_SQL, in_sections
from fathom.records import Candidate, Draft, Question, Selection, SolvedExample

QUESTION = Question("Which drug inhibits LRRK2?", evidence="inhibits refers to action = 'inhibitor'")
RIGHT = (
    "SELECT d.name FROM drug AS d JOIN target AS t ON t.drug_id = d.id "
    "JOIN gene AS g ON g.id = t.gene_id WHERE g.symbol = 'LRRK2'"
)
WRONG = "SELECT name FROM drug"
BROKEN = "SELECT naem FROM drug"
EXTRACT, NOUNS, ORDER = "at most ten", "word for word", "wants to be told|to be told, and"
WRITE, ALIGN, CORRECT = "#sketch", "Mend that and nothing else", "fails or gives nothing"
EXAMPLE = SolvedExample("Which boat carries X1?", "SELECT b.name FROM boat AS b WHERE b.number = 'X1'")


def reply(sql: str) -> str:
    return f"#reason: so\n#columns: drug.name\n#SELECT: name\n#sketch: show name\n#SQL: {sql};"


def rules(**changed: Any) -> dict[str, Any]:
    told = {
        EXTRACT: json.dumps({"columns": ["drug.name", "gene.symbol", "x.y"], "values": ["LRRK2"]}),
        NOUNS: '["inhibitor", "drug"]',
        ORDER: ["what?", '{"select": ["names of drugs"]}'],
        WRITE: [reply(WRONG)] * 8 + [reply(BROKEN)] * 2 + [reply(RIGHT)],
        ALIGN: f"```sql\n{RIGHT}\n```",
        CORRECT: [f"```sql\n{BROKEN} \n```", f"```sql\n{RIGHT}\n```"],
    }
    return told | changed


def run(context: Context, model: ScriptedModel) -> Draft:
    pack = context.knowledge.merge(KnowledgePack(description="about genes and drugs"))
    known = replace(context, model=model, examples=(EXAMPLE,), knowledge=pack)
    return asyncio.run(run_method(find_method("opensearch-sql"), QUESTION, known))


def test_extract_generate_correct_and_vote(context: Context) -> None:
    model = ScriptedModel.of(rules=rules())
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert [s.usage.calls for s in draft.trace.steps] == [4, 21, 0, 2, 0]
    assert [s.module for s in draft.trace.steps] == ["selection", "generation"] + ["revision"] * 3
    assert len(draft.trace.steps[1].found["candidates"]) == 21
    assert draft.trace.steps[1].found["sql"] == WRONG
    assert draft.trace.steps[4].found["votes"] == [13, 8]
    assert draft.selection is not None
    assert draft.selection.tables["gene"] == ("id", "symbol")
    assert draft.findings["value hits"]["gene"] == {"symbol": ["LRRK2"]}
    asked = {
        k: [r for r in model.script.requests if k in r.messages[-1].text] for k in (EXTRACT, WRITE, CORRECT)
    }
    assert [r.sampling.temperature for r in asked[EXTRACT]] == [0]
    assert {(r.sampling.temperature, r.sampling.max_tokens) for r in asked[WRITE]} == {(0.7, 800)}
    assert [(r.sampling.temperature, r.sampling.top_p) for r in asked[CORRECT]] == [(0.4, 0.3), (0.6, 0.3)]
    words = asked[WRITE][0].messages[-1].text
    for part in (
        "gene.symbol: 'LRRK2'",
        "names of drugs",
        EXAMPLE.sql,
        "#columns: boat.name, boat.number",
        "#sketch: show name WHERE number = 'X1'",
        "about genes and drugs",
        QUESTION.evidence,
        "target.gene_id = gene.id",
    ):
        assert part in words
    assert "chromosome" not in words
    assert '"Which boat carries X1?": {"columns": ["boat.name", "boat.number"], "values": ["X1"]}' in (
        asked[EXTRACT][0].messages[-1].text
    )
    assert (
        "gene.chromosome: TEXT, may be null. Values: '19', '12', '4'" in asked[EXTRACT][0].messages[-1].text
    )
    assert "no such column: naem" in asked[CORRECT][0].messages[-1].text


@pytest.mark.parametrize("bad", ["", "no idea", "[1]", '{"columns": 3}', "{" * 40])
def test_replies_that_cannot_be_read_fall_back(context: Context, bad: str) -> None:
    draft = run(context, ScriptedModel.of(rules=rules(**{EXTRACT: bad, NOUNS: bad, ORDER: bad})))
    assert draft.sql == RIGHT
    assert draft.trace.steps[0].usage.calls == 5
    kept = run(context, ScriptedModel.of(rules=rules(**{CORRECT: bad, ALIGN: bad})))
    assert kept.sql in {RIGHT, WRONG}
    none = run(context, ScriptedModel.of(rules=dict.fromkeys(rules(), bad)))
    assert none.sql is None
    assert none.refusal is not None


def test_a_query_that_stays_broken_is_written_anew_once(context: Context) -> None:
    broken = f"```sql\n{BROKEN}\n```"
    draft = run(context, ScriptedModel.of(rules=rules(**{WRITE: reply(BROKEN), CORRECT: broken})))
    assert draft.sql == BROKEN
    assert [s.usage.calls for s in draft.trace.steps] == [4, 21, 0, 4, 0]


def test_values_equal_ones_first(context: Context) -> None:
    found = asyncio.run(value_hits(context, ["lrrk2", "Donepezill", "4"], farthest=0.65))
    assert found == {"gene": {"symbol": ["LRRK2"]}, "drug": {"name": ["Donepezil"]}}


def test_columns_that_join_and_namesakes(context: Context) -> None:
    found = with_namesakes(context.database.schema, Selection({"drug": ("id", "name")}))
    assert found.tables == {"gene": ("id",), "drug": ("id", "name"), "target": ("drug_id", "gene_id")}


HITS = {"gene": {"symbol": ["LRRK2", "a symbol with twenty-odd letters"]}}


@pytest.mark.parametrize(
    ("sql", "right"),
    [
        (
            "SELECT COUNT(CASE WHEN a THEN 1 ELSE 0 END) FROM gene",
            "SELECT SUM(CASE WHEN a THEN 1 ELSE 0 END) FROM gene",
        ),
        ("SELECT name || ' ' || phase FROM drug", "SELECT name, phase FROM drug"),
        ("SELECT d.* FROM drug AS d", "SELECT d.id FROM drug AS d"),
        (
            "SELECT 1 FROM gene WHERE symbol = 'a symbol with twenty-odd leters'",
            "SELECT 1 FROM gene WHERE symbol = 'a symbol with twenty-odd letters'",
        ),
        (
            "SELECT name || ' ' || `trade name` FROM drug WHERE \"phase\" > 2",
            'SELECT name, `trade name` FROM drug WHERE "phase" > 2',
        ),
        ("SELECT [trade name] || ' ' || name FROM drug", "SELECT [trade name], name FROM drug"),
        ("select  *  from gene", "select  *  from gene"),
        ("SELECT (", "SELECT ("),
    ],
)
def test_what_needs_no_judgement_is_mended(context: Context, sql: str, right: str) -> None:
    assert mended(sql, context.database.schema, asyncio.run(near_cells(context, sql, HITS))) == right


def test_a_year_gets_its_quotes(context: Context) -> None:
    right = mended("SELECT 1 FROM gene WHERE STRFTIME('%Y', symbol) = 2009", context.database.schema, {})
    assert right.endswith("= '2009'")


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT name FROM drug WHERE phase = (SELECT MAX(phase) FROM drug)", 1),
        ("SELECT name FROM drug ORDER BY phase LIMIT 1", 1),
        ("SELECT name FROM drug ORDER BY phase DESC LIMIT 1", 0),
        ("SELECT name FROM drug GROUP BY name ORDER BY COUNT(*) LIMIT 1", 0),
        ("SELECT name FROM drug GROUP BY name ORDER BY MAX(phase) DESC", 1),
        ("SELECT 1 FROM drug d JOIN target t ON t.drug_id = d.id OR t.gene_id = d.id", 1),
        ("SELECT 1 FROM drug WHERE name = 'LRRK2'", 1),
        ("SELECT 1 FROM gene WHERE symbol = 'LRRK2'", 0),
        ("SELECT (", 0),
    ],
)
def test_faults_that_a_model_mends(context: Context, sql: str, count: int) -> None:
    assert len(faults(sql, context.database.schema, HITS)) == count


def test_choices_of_a_join_and_misplaced_values(context: Context) -> None:
    schema = context.database.schema
    made = join_choices(
        "SELECT 1 FROM drug AS d JOIN target AS t ON t.drug_id = d.id OR t.gene_id = d.id", schema
    )
    assert [m.rpartition(" ON ")[2] for m in made] == ["t.drug_id = d.id", "t.gene_id = d.id"]
    assert join_choices(RIGHT, schema) == []
    told = list(misplaced("SELECT 1 FROM drug WHERE name = 'LRRK2'", schema, HITS))
    assert told == ["gene.symbol = 'LRRK2', rather than drug.name"]
    model = ScriptedModel.of(rules=rules(**{WRITE: reply("SELECT name FROM drug WHERE name = 'LRRK2'")}))
    draft = run(context, model)
    assert draft.sql == RIGHT
    assert draft.trace.steps[2].usage.calls == 1
    assert any("rather than drug.name" in p for p in model.prompts if ALIGN in p)


def test_a_join_made_on_a_list_has_its_items_as_choices(context: Context) -> None:
    sql = "SELECT 1 FROM `drug` AS d JOIN target AS t ON d.id IN (t.drug_id, t.gene_id)"
    made = join_choices(sql, context.database.schema)
    assert [m.rpartition(" ON ")[2] for m in made] == ["d.id = t.drug_id", "d.id = t.gene_id"]
    assert all("`drug`" in m for m in made)


def test_values_of_several_words_need_each_of_their_words(context: Context) -> None:
    assert asyncio.run(value_hits(context, ["LRRK2 gene"], farthest=0.65)) == {}
    assert asyncio.run(value_hits(context, ["LRRK2 SNCA"], farthest=0.65)) == {
        "gene": {"symbol": ["LRRK2", "SNCA"]}
    }


def test_replies_without_a_query_are_drawn_once_more(context: Context) -> None:
    replies = ["no idea"] * 2 + [reply(WRONG)] * 19 + [reply(RIGHT)]
    model = ScriptedModel.of(rules=rules(**{WRITE: replies}))
    draft = run(context, model)
    assert [s.usage.calls for s in draft.trace.steps] == [4, 21, 0, 2, 0]
    assert [c.sql for c in draft.candidates] == [WRONG] * 19 + [RIGHT] * 2
    assert [r.sampling.temperature for r in model.script.requests[-2:]] == [0.3, 0.3]


def test_of_equally_supported_results_the_fastest_stands_only_when_switched_on(context: Context) -> None:
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
    slow = f"{count} SELECT MAX(i) FROM n"
    draft = Draft(QUESTION, candidates=(Candidate(slow), Candidate("SELECT 1")), sql=slow)
    kept = {fastest: asyncio.run(run_vote(context, draft, fastest)).sql for fastest in (False, True)}
    assert kept == {False: slow, True: "SELECT 1"}


async def run_vote(context: Context, draft: Draft, fastest: bool) -> Draft:
    vote = OPENSEARCH_SQL.steps[-1].using(fastest_wins=fastest)
    return await vote.function(draft, context, **vote.settings)


def test_empty_results_have_no_vote_and_repeated_rows_count_once(context: Context) -> None:
    empty = [f"SELECT symbol FROM gene WHERE id = {n}" for n in (8, 9)]
    once, twice = "SELECT DISTINCT action FROM target", "SELECT action FROM target"
    queries = [*empty, "SELECT 1", once, twice]
    draft = Draft(QUESTION, candidates=tuple(map(Candidate, queries)), sql=queries[0])
    voted = asyncio.run(run_vote(context, draft, fastest=False))
    assert voted.sql == once
    assert [c.score for c in voted.candidates] == [0, 0, 1, 2, 2]


def test_only_the_first_of_like_faults_is_mended_when_switched_on(context: Context) -> None:
    ones = "COUNT(CASE WHEN id > 1 THEN 1 ELSE 0 END)"
    sql = f"SELECT {ones}, {ones} FROM gene"
    for name, count in (("opensearch-sql", 2), ("opensearch-sql+mends_the_first", 1)):
        align = next(s for s in find_method(name).steps if s.name == "align_candidates")
        draft = Draft(QUESTION, candidates=(Candidate(sql),), sql=sql)
        known = replace(context, model=ScriptedModel.of())
        aligned = asyncio.run(align.function(draft, known, **align.settings))
        assert aligned.sql.count("SUM") == count


def test_demonstrations_have_their_reason() -> None:
    shown = in_sections(
        SolvedExample("Which genes?", "SELECT symbol FROM gene WHERE chromosome = 19"), "sqlite"
    )
    assert shown.splitlines()[1] == (
        "#reason: The question is about gene. Only rows count where chromosome = 19. What is shown is symbol."
    )
    assert shown.index("#reason") < shown.index("#columns") < shown.index("#SQL")


def test_a_demonstration_that_cannot_be_read_has_no_reason() -> None:
    assert "#reason" not in in_sections(SolvedExample("Which?", "SELECT ((("), "sqlite")
