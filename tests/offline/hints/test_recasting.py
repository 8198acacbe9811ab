"""Solved queries in the form that a new question asks for."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.databases import Database
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.examples.adapt import asks_count, recast
from fathom.offline.hints.glossary import Glossary
from fathom.offline.linking.text import tokenize
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.query import comparisons
from fathom.offline.queries.rows import RowNames
from fathom.records import Question, SolvedExample

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "recasting.yaml").read_text(encoding="utf-8"))
ASKS = {"rows": False, "count": True, None: None}


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['asks']}: {c['solved']}")
def test_a_solved_query_takes_the_form_asked_for(case: dict[str, Any], engine: OfflineEngine) -> None:
    planner = engine.planner
    unsaid = frozenset(
        comparisons(parse(f"SELECT 1 FROM book WHERE {case['unsaid']}", planner).where)
        if "unsaid" in case
        else ()
    )
    rows = RowNames(engine.schema)
    found = recast(parse(case["solved"], planner), count=ASKS[case["asks"]], rows=rows, unsaid=unsaid)
    assert found == (case["recast"] and parse(case["recast"], planner))


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("How many books are there?", True),
        ("Count the books.", True),
        ("Which books are long?", False),
        ("List the authors.", False),
        ("Which author has the largest number of books?", False),
        ("What is the average length?", None),
        ("When was Gulls published?", None),
    ],
)
def test_what_a_question_asks_for(question: str, counts: bool | None) -> None:
    assert asks_count(tokenize(question)) is counts


def test_terms_that_only_the_solved_question_uses_are_told(engine: OfflineEngine) -> None:
    glossary = Glossary(load_packs(HERE / "library.yaml"), engine.planner)
    solved = "Which doorstoppers are there?"
    assert glossary.unsaid(solved, tokenize("Which crime stories are there?"))
    assert not glossary.unsaid(solved, tokenize("Which very long books are there?"))
    assert not glossary.unsaid("Which books are there?", tokenize("Which books are there?"))


@pytest.fixture
def solved_long_books() -> KnowledgePack:
    examples = (
        SolvedExample("Which doorstoppers has Ada Quill written?", _by("title", "AND num_pages > 500")),
        SolvedExample("How many books has Bo Ink written?", _by("COUNT(*)").replace("Ada Quill", "Bo Ink")),
    )
    return load_packs(HERE / "library.yaml").merge(KnowledgePack(dialect="sqlite", examples=examples))


def _by(shown: str, more: str = "") -> str:
    book = "book JOIN author ON book.author_id = author.author_id"
    return f"SELECT {shown} FROM {book} WHERE author_name = 'Ada Quill' {more}".strip()


def test_no_proposal_from_a_solved_question_holds_what_is_not_said(
    solved_long_books: KnowledgePack, database: Database, tmp_path: Path
) -> None:
    context = Context(database, solved_long_books, cache=tmp_path)
    engine = engine_for(context.database, context.knowledge, (), context.cache)
    from_solved = [
        p.query
        for p in engine.propose(Question("Which books has Cy Paper written?"))
        if p.source == "example"
    ]
    wanted = parse(_by("title").replace("Ada Quill", "Cy Paper"), engine.planner)
    assert wanted in from_solved
    assert not any("num_pages" in str(q.where) for q in from_solved)
