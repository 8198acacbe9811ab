import asyncio
from dataclasses import replace

import pytest

from fathom.knowledge import Convention, KnowledgePack
from fathom.llm import ScriptedModel
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.biomedsql import BASELINE, write_by_house_rules
from fathom.nl2sql.wording import NOTHING_RUN, answer_from_rows
from fathom.records import Draft, Question, SolvedExample

QUESTION = Question("Which genes are long?", evidence="long refers to length > 100000")
QUERY = "SELECT symbol FROM gene WHERE length > 100000"
SOLVED = tuple(
    SolvedExample(f"Which genes lie on chromosome {n}?", f"SELECT symbol FROM gene WHERE chromosome = '{n}'")
    for n in range(1, 7)
)
KNOWN = KnowledgePack(
    conventions=(Convention(name="hit", rule="A hit has p < 5e-8."),),
    examples=(SolvedExample(QUESTION.text, "SELECT 'given away'"), *SOLVED),
)


def run(method: Method, context: Context, *replies: str) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    known = replace(context, model=model, knowledge=KNOWN)
    return asyncio.run(run_method(method, QUESTION, known)), model


@pytest.mark.parametrize(
    ("name", "rows", "shots", "thresholds"),
    [
        ("baseline", 0, 0, False),
        ("3-rows", 3, 0, False),
        ("5-rows", 5, 0, False),
        ("1-shot", 0, 1, False),
        ("3-shot", 0, 3, False),
        ("5-shot", 0, 5, False),
        ("stat-instruct", 0, 0, True),
        ("combo", 3, 3, True),
    ],
)
def test_each_variant_shows_what_it_says(
    context: Context, name: str, rows: int, shots: int, thresholds: bool
) -> None:
    draft, model = run(find_method(name), context, f"```sql\n{QUERY}\n```", "LRRK2 is long.")
    write, answer = model.prompts
    for part in ("CREATE TABLE gene", "long refers to", "Which genes are long?", "backticks", "LIMIT 100"):
        assert part in write
    assert ("gene:\nid | symbol | chromosome | length\n" in write) is bool(rows)
    assert ("'LRRK2'" in write) is bool(rows)
    assert write.count("Which genes lie on chromosome") == shots
    assert "given away" not in write
    assert ("A hit has p < 5e-8." in write) is thresholds
    assert QUERY in answer
    assert "LRRK2" in answer
    assert [r.sampling.temperature for r in model.script.requests] == [0, 0]
    assert [r.sampling.max_tokens for r in model.script.requests] == [1024, 1024]
    assert draft.sql == QUERY
    assert draft.result is not None
    assert draft.findings["answer"] == "LRRK2 is long."
    assert [(s.module, s.usage.calls) for s in draft.trace.steps] == [("generation", 1), ("answering", 1)]


def test_random_rows_are_the_same_for_the_same_question(context: Context) -> None:
    first, second = (
        run(Method("m", (write_by_house_rules.using(rows=1),)), context, QUERY)[1].prompts[0]
        for _ in range(2)
    )
    assert first == second


def test_an_error_is_told_where_rows_would_stand(context: Context) -> None:
    draft, model = run(BASELINE, context, "```sql\nSELECT nme FROM gene\n```", "I don't know.")
    assert "no such column: nme" in model.prompts[1]
    assert draft.result is None
    assert draft.findings["answer"] == "I don't know."


def test_without_sql_nothing_is_asked_further(context: Context) -> None:
    draft, model = run(BASELINE, context, "I can't say.")
    assert draft.refusal is not None
    assert len(model.prompts) == 1
    alone, _ = run(Method("m", (answer_from_rows,)), context)
    assert alone.findings["answer"] == NOTHING_RUN


@pytest.mark.parametrize(("only_fenced", "found"), [(False, QUERY), (True, None)])
def test_a_bare_query_counts_unless_fences_are_wanted(
    context: Context, only_fenced: bool, found: str | None
) -> None:
    method = Method("m", (write_by_house_rules.using(only_fenced=only_fenced),))
    assert run(method, context, QUERY)[0].sql == found


def test_the_adaptation_of_dail_shows_the_nearest_solved_questions(context: Context) -> None:
    near = SolvedExample("Which drugs are long?", "SELECT 'near'")
    far = tuple(SolvedExample(f"How many towers have {n} floors?", f"SELECT {n}") for n in range(9))
    model = ScriptedModel.of(f"```sql\n{QUERY}\n```", "LRRK2 is long.")
    known = replace(context, model=model, examples=(*far, near))
    draft = asyncio.run(run_method(find_method("biomed-dail"), QUESTION, known))
    assert draft.sql == QUERY
    assert draft.findings["answer"] == "LRRK2 is long."
    shown = model.prompts[0]
    assert near.sql in shown
    assert shown.index(near.sql) < shown.index("towers")
    assert shown.count("towers") == 4


def test_sql_outside_of_a_fence_is_left_only_when_switched_on(context: Context) -> None:
    assert run(find_method("baseline"), context, QUERY, "Yes.")[0].sql == QUERY
    assert run(find_method("baseline+only_fenced"), context, QUERY)[0].refusal is not None
