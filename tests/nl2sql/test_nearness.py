"""What methods do with an embedding model, and what their traces say with and without one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from fathom import ask
from fathom.knowledge import KnowledgePack, TableNote
from fathom.llm import Embedder, Reply, Request, ScriptedModel
from fathom.llm.embeddings import pack
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.examples import ranked_examples
from fathom.nl2sql.lookup import described_columns, nearest_cells, one_column_each, similar_values
from fathom.nl2sql.published.opensearch_alignment import near_cells
from fathom.nl2sql.published.opensearch_extraction import columns_like_words, value_hits
from fathom.nl2sql.published.schema_index import nearest_tables
from fathom.records import Question, SolvedExample, Usage

CONCEPTS = (
    {"gene", "genes", "locus", "symbol", "apoe"},
    {"drug", "drugs", "medicine", "medicines", "compound", "remedy", "name", "donepezil"},
    {"length", "long", "extent", "base", "pairs", "size"},
    {"phase", "stage"},
    {"donepezill"},
)
"""Words that mean the same, each group an axis."""


def by_concept(texts: Sequence[str]) -> list[list[float]]:
    """Words of no group share nothing but their letters: each text of such words has an axis of its own."""
    vectors = []
    for text in texts:
        said = set(text.casefold().replace(".", " ").replace("?", " ").split())
        shared = [float(len(c & said)) for c in CONCEPTS]
        own = [0.0] * 97
        own[0 if any(shared) else sum(map(ord, text)) % 97] = 0.1
        vectors.append([*shared, *own])
    return vectors


def embedder(asked: list[Request] | None = None) -> Embedder:
    async def exchange(request: Request) -> Reply:
        if asked is not None:
            asked.append(request)
        vectors = by_concept([m.text for m in request.messages])
        return Reply(pack(vectors), usage=Usage(calls=1, prompt_tokens=9, cost_usd=Decimal("0.5")))

    return Embedder("test:concepts", exchange)


def test_examples_alike_in_meaning_come_before_those_alike_in_words(context: Context) -> None:
    examples = (
        SolvedExample("Which medicines are there?", "SELECT 1"),
        SolvedExample("Which genes are at stage 4?", "SELECT 2"),
    )
    known = replace(context, examples=examples)
    question = Question("Which drugs are at compound?")
    nearest = {
        by_meaning: asyncio.run(
            ranked_examples(
                replace(known, embedder=embedder() if by_meaning else None), question, 1, by_mask=False
            )
        )[0].sql
        for by_meaning in (False, True)
    }
    assert nearest == {False: "SELECT 2", True: "SELECT 1"}


def test_the_pool_is_embedded_once_for_a_database(context: Context) -> None:
    asked: list[Request] = []
    examples = (SolvedExample("Which medicines are there?", "SELECT 1"),)
    known = replace(context, examples=examples, embedder=embedder(asked))
    for _ in range(3):
        asyncio.run(ranked_examples(known, Question("Which drugs?"), 1, by_mask=False))
    sent = [m.text for r in asked for m in r.messages]
    assert sent.count("Which medicines are there?") == 1
    assert sent.count("Which drugs?") == 3


def test_cells_alike_in_spelling_alone_are_left_out(context: Context) -> None:
    assert asyncio.run(similar_values(context, ["Donepezill"])) == {"drug": {"name": ["Donepezil"]}}
    meant = replace(context, embedder=embedder())
    assert asyncio.run(similar_values(meant, ["Donepezill"])) == {}
    assert asyncio.run(similar_values(meant, ["Donepezil"])) == {"drug": {"name": ["Donepezil"]}}


def test_cells_of_a_column_are_ranked_by_meaning_or_spelling(context: Context) -> None:
    near = {
        by_meaning: asyncio.run(
            nearest_cells(
                replace(context, embedder=embedder() if by_meaning else None),
                "gene",
                "symbol",
                ["snca locus"],
                most=1,
            )
        )
        for by_meaning in (False, True)
    }
    assert near == {False: ["SNCA"], True: ["APOE"]}


def test_of_columns_named_alike_the_nearest_to_the_question_is_kept(context: Context) -> None:
    found = {"name": [("target", "action"), ("drug", "name")]}
    question = Question("Which medicine?")
    assert asyncio.run(one_column_each(context, question, found)).tables == {"target": ("action",)}
    meant = replace(context, embedder=embedder())
    assert asyncio.run(one_column_each(meant, question, found)).tables == {"drug": ("name",)}


def test_columns_are_found_by_the_meaning_of_their_descriptions(context: Context) -> None:
    question = Question("What extent?")
    assert "gene" not in asyncio.run(described_columns(context, question, ["extent"])).tables
    meant = replace(context, embedder=embedder())
    assert asyncio.run(described_columns(meant, question, ["extent"])).tables == {"gene": ("length",)}


def test_opensearch_finds_columns_and_cells_by_meaning(context: Context) -> None:
    meant = replace(context, embedder=embedder())
    assert asyncio.run(columns_like_words(meant, "its extent")).tables == {"gene": ("length",)}
    assert asyncio.run(columns_like_words(context, "its extent")).tables == {}
    # "Who" asks for names: a column is looked for under that word as well.
    assert "drug" in asyncio.run(columns_like_words(meant, "who?")).tables
    assert asyncio.run(value_hits(context, ["Donepezill"], farthest=0.65)) == {
        "drug": {"name": ["Donepezil"]}
    }
    assert asyncio.run(value_hits(meant, ["Donepezill"], farthest=0.65)) == {}
    sql = "SELECT 1 FROM drug WHERE name = 'medicine'"
    hits = {"drug": {"name": ["Donepezil"]}}
    assert asyncio.run(near_cells(context, sql, hits)) == {}
    assert asyncio.run(near_cells(meant, sql, hits)) == {"medicine": "Donepezil"}


def test_tables_are_found_by_the_meaning_of_their_descriptions(context: Context) -> None:
    notes = {"gene": TableNote(description="every locus"), "drug": TableNote(description="every compound")}
    known = replace(context, knowledge=KnowledgePack(tables=notes), embedder=embedder())
    method = Method("near", (nearest_tables.using(tables=1),))
    found = asyncio.run(run_method(method, Question("Which remedy?"), known))
    assert found.selection is not None
    assert set(found.selection.tables) == {"drug"}
    assert found.trace.steps[0].found["compared by"] == "embeddings of test:concepts"


def test_the_trace_says_what_compared_and_counts_dollars_but_no_calls(context: Context) -> None:
    reply = "SELECT symbol FROM gene"
    for name in ("dail-sql", "schema-index", "opensearch-sql", "chess-ir-ss-cg", "rsl-sql", "pet-sql", "gsr"):
        known = replace(context, examples=(SolvedExample("Which medicines?", "SELECT name FROM drug"),))
        told = {}
        for near in (None, embedder()):
            model = ScriptedModel.of(rules={"": reply})
            given = replace(known, model=model, embedder=near)
            draft = asyncio.run(run_method(find_method(name), Question("Which genes?"), given))
            told[near is None] = [s for s in draft.trace.steps if "compared by" in s.found]
            assert draft.trace.usage.calls == len(model.script.requests), name
        if name != "gsr":  # GSR compares only where a condition's values don't fit on a page
            assert {s.found["compared by"] for s in told[True]} == {
                "words and spelling, for there are no embeddings"
            }
            assert all(s.found["compared by"] == "embeddings of test:concepts" for s in told[False])
            assert any(s.usage.cost_usd for s in told[False]), name
            assert all(not s.usage.cost_usd for s in told[True])


def test_ask_takes_an_embedding_model(context: Context, tmp_path: Path) -> None:
    asked: list[Request] = []
    answer = ask(
        "Which remedy?",
        context.database,
        method="schema-index",
        model=ScriptedModel.of(rules={"": "SELECT name FROM drug"}),
        embeddings=embedder(asked),
    )
    assert answer.sql == "SELECT name FROM drug"
    assert asked
