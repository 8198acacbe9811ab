from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.hints import EvidenceReader
from fathom.offline.hints.evidence import pieces
from fathom.offline.hints.fragments import read_fragment
from fathom.offline.hints.names import ReadableNames
from fathom.offline.hints.statements import place
from fathom.offline.linking.text import tokenize
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.query import Literal, conjunction
from fathom.offline.queries.to_sql import render
from fathom.records import Question

HERE = Path(__file__).parent


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("case", cases("pieces.yaml"), ids=lambda c: c["evidence"][:40])
def test_evidence_comes_apart(case: dict[str, Any]) -> None:
    assert [[p.phrase, p.meaning] for p in pieces(case["evidence"])] == case["pieces"]


@pytest.mark.parametrize("case", cases("fragments.yaml"), ids=lambda c: c["text"][:40])
def test_fragments_are_read_over_the_schema(case: dict[str, Any], engine: OfflineEngine) -> None:
    names = ReadableNames(engine.schema, KnowledgePack())
    fragment = read_fragment(case["text"], names, engine.planner, {})
    if case["sql"] is None:
        assert fragment is None
        return
    assert fragment is not None
    meant = parse(case["sql"], engine.planner)
    assert conjunction(*fragment.conditions) == meant.where
    assert (fragment.expressions or (Literal(1),)) == meant.select


@pytest.mark.parametrize("case", cases("answers.yaml"), ids=lambda c: c["question"][:40])
def test_evidence_decides(case: dict[str, Any], engine: OfflineEngine, database: Database) -> None:
    first = engine.propose(Question(case["question"], evidence=case["evidence"]))[0]
    rows = database.run(render(first.query, engine.planner)).rows
    assert rows == database.run(case["sql"]).rows
    assert first.unmet == 0


@pytest.mark.parametrize(
    ("phrase", "found"),
    [
        ("long books", ["long books"]),
        ("books that are long", ["long books"]),
        ("long", ["long"]),
        ("poems", []),
        ("of the readers", ["readers"]),
    ],
)
def test_phrases_are_found_in_the_question(phrase: str, found: list[str]) -> None:
    tokens = tokenize("Which of the readers borrowed long books?")
    assert [" ".join(t.text for t in tokens[s.first : s.end]) for s in place(phrase, tokens)] == found


def test_what_cannot_be_read_stays_words(engine: OfflineEngine) -> None:
    reader = EvidenceReader(engine.planner, KnowledgePack(), None)
    asked = Question(
        "How many crime books?",
        evidence="crime refers to genre = 'Crime'; books are lovely; so is spring",
    )
    hints = reader.read(asked.evidence, tokenize(asked.text), {})
    assert [h.text for h in hints.hints] == ["crime refers to genre = 'Crime'"]
    assert reader.words(asked) == "books are lovely"


def test_values_are_spelt_as_stored(engine: OfflineEngine) -> None:
    hints = engine.hints(Question("How many crime books?", evidence="crime refers to genre = 'CRIME'"))
    assert "'Crime'" in repr(hints.hints[0].conditions)


@pytest.mark.parametrize(
    "evidence", ["(" * 5000, "'" * 999, "a refers to " * 500, "x = 1 AND " * 300, "\x00; \ud83d"]
)
def test_odd_evidence_is_harmless(evidence: str, engine: OfflineEngine) -> None:
    assert engine.propose(Question("How many books are there?", evidence=evidence))
