import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from fathom.llm import Model, ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.published.pet_sql import PET_SQL, draft_for_tables, vote_of_the_strong, write_on_few_tables
from fathom.records import Draft, Question, SolvedExample

QUESTION = Question("Which gene is the longest?")
RIGHT = "symbol FROM gene ORDER BY length DESC LIMIT 1"
NEAR = SolvedExample("Which tower is the highest?", "SELECT name FROM tower ORDER BY height DESC LIMIT 1")


def run(context: Context, model: ScriptedModel) -> Draft:
    return asyncio.run(run_method(find_method("pet-sql"), QUESTION, replace(context, model=model)))


def test_the_second_prompt_holds_the_first_query_s_tables_alone(context: Context) -> None:
    model = ScriptedModel.of("id FROM gene", RIGHT)
    draft = run(replace(context, examples=(NEAR,)), model)
    assert draft.sql == f"SELECT {RIGHT}"
    assert draft.selection is not None
    assert draft.selection.tables == {"gene": ()}
    assert [s.usage.calls for s in draft.trace.steps] == [1, 1, 0]
    first, second = model.prompts
    for asked in model.prompts:
        assert "id | symbol | chromosome | length\n1 | 'APOE' | '19' | 3612\n2 |" in asked
        assert NEAR.sql in asked
        assert QUESTION.text in asked
    assert "target.drug_id = drug.id" in first
    assert "drug" not in second
    for request in model.script.requests:
        assert (request.sampling.temperature, request.sampling.max_tokens) == (0, 200)


def test_a_query_that_can_not_be_parsed_selects_by_its_words(context: Context) -> None:
    model = ScriptedModel.of("SELECT name FROM drug WHERE ((", RIGHT)
    draft = run(context, model)
    assert draft.selection is not None
    assert set(draft.selection.tables) == {"drug"}
    assert draft.sql == f"SELECT {RIGHT}"


def test_further_models_vote(context: Context) -> None:
    others = tuple(ScriptedModel.of(sql) for sql in (RIGHT, "symbol FROM gene WHERE id = 2"))
    writing = write_on_few_tables.using(others=others)
    method = replace(PET_SQL, steps=(draft_for_tables, writing, vote_of_the_strong))
    model = ScriptedModel.of("id FROM gene", "symbol FROM gene WHERE id = 1")
    draft = asyncio.run(run_method(method, QUESTION, replace(context, model=model)))
    assert draft.sql == f"SELECT {RIGHT}"
    assert [c.score for c in draft.candidates] == [1, 2, 2]
    assert draft.trace.usage.calls == 4


def test_bad_replies_keep_the_first_query_or_refuse(context: Context) -> None:
    assert run(context, ScriptedModel.of(RIGHT, "I can't say.")).sql == f"SELECT {RIGHT}"
    model = ScriptedModel.of("I can't say.", "I can't say.")
    draft = run(context, model)
    assert draft.sql is None
    assert draft.refusal is not None
    assert "trade name" in model.prompts[1]


HARD = "name FROM drug JOIN target ON drug_id = drug.id JOIN gene ON gene.id = gene_id"


@pytest.mark.parametrize(
    ("preliminary", "strong", "chosen", "scores"),
    [
        ("id FROM gene", {}, 2, [1, 2, 2]),
        ("id FROM gene", {"simple": ["own"]}, 1, [None, None, None]),
        ("id FROM gene", {"challenging": ["own"]}, 2, [1, 2, 2]),
        (HARD, {"simple": ["own"], "challenging": ["b", "c"]}, 2, [None, 2, 2]),
        (HARD, {"challenging": ["nobody"]}, 2, [1, 2, 2]),
    ],
)
def test_of_questions_of_a_level_only_models_strong_on_it_vote(
    context: Context,
    preliminary: str,
    strong: Mapping[str, list[str]],
    chosen: int,
    scores: list[float | None],
) -> None:
    def by(name: str, *replies: str) -> Model:
        return replace(ScriptedModel.of(*replies), name=name)

    own = by("own", preliminary, "symbol FROM gene WHERE id = 1")
    others = (by("b", "symbol FROM gene WHERE id = 2"), by("c", "symbol FROM gene WHERE id IN (2)"))
    steps = (
        draft_for_tables,
        write_on_few_tables.using(others=others),
        vote_of_the_strong.using(strong=strong),
    )
    method = replace(PET_SQL, steps=steps)
    draft = asyncio.run(run_method(method, QUESTION, replace(context, model=own)))
    assert draft.sql == f"SELECT symbol FROM gene WHERE id = {chosen}"
    assert [c.score for c in draft.candidates] == scores
