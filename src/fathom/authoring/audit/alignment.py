"""BIRD's alignment of text, knowledge and SQL: whether question, evidence and gold query agree."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fathom.authoring.audit.evidence_checks import check_evidence, unused_evidence
from fathom.authoring.audit.evidence_claims import read_claims
from fathom.authoring.audit.findings import EVIDENCE_KINDS, KINDS, Evidence
from fathom.authoring.audit.gold_parts import take_apart
from fathom.authoring.audit.question_words import QuestionWords
from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import connect
from fathom.errors import DatabaseError
from fathom.knowledge import KnowledgePack
from fathom.records import Schema

ALIGNMENT_KINDS: Mapping[str, str] = {
    **{kind: KINDS[kind] for kind in EVIDENCE_KINDS},
    "evidence_off_question": "The evidence explains words that the question doesn't say.",
    "evidence_unknown_column": "The evidence names a column that the database doesn't have.",
    "query_unreadable": "The gold query can't be read.",
}
"""Each way in which the three disagree, and what it says."""
_BACKQUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class QuestionAlignment:
    """One question's evidence against its words and its gold query.

    `claims` is how many statements of the evidence name a column or a function of the database; `disagree`
    are the places where the three differ.
    """

    question: BenchmarkQuestion
    claims: int
    disagree: tuple[Evidence, ...]

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.question.id,
            "question": self.question.text,
            "evidence": self.question.evidence,
            "gold": self.question.gold[0],
            "claims": self.claims,
            "disagree": [{"kind": kind, "evidence": told} for kind, told, _ in self.disagree],
        }


def align(benchmark: Benchmark, *, limit: int | None = None) -> Iterator[QuestionAlignment | None]:
    """Hold evidence against question and gold, question by question; only names are looked at, no rows.

    None stands for a question without evidence or gold, and for one whose database isn't here where the
    benchmark has no schemas either.
    """
    schemas: dict[str, Schema | None] = dict(benchmark.schemas())
    for question in islice(benchmark, limit):
        name = question.database_name or question.database
        if name not in schemas:
            schemas[name] = _schema(question.database)
        schema = schemas[name]
        told = question.evidence.strip() and question.gold and schema is not None
        yield _align(question, schema) if told and schema is not None else None


def _align(question: BenchmarkQuestion, schema: Schema) -> QuestionAlignment:
    asked = QuestionWords(question, schema, KnowledgePack())
    parts = take_apart(question.gold[0], schema)
    found: list[Evidence] = [("query_unreadable", "the gold query can't be read", {})]
    if parts is not None:
        found = list(check_evidence(parts, asked))
    found += unused_evidence(asked)
    columns = {c.name.casefold() for t in schema.tables for c in t.columns}
    names = columns | {t.name.casefold() for t in schema.tables}
    for written in _BACKQUOTED.findall(question.evidence):
        if written.rpartition(".")[2].casefold() not in names and written.casefold() not in names:
            told = f"the database has no column {written!r}"
            found.append(("evidence_unknown_column", told, {"column": written}))
    return QuestionAlignment(question, len(read_claims(question.evidence, schema)), tuple(found))


def _schema(url: str) -> Schema | None:
    try:
        with connect(url) as database:
            return database.schema
    except DatabaseError:
        return None


def alignment_counts(found: Iterable[QuestionAlignment | None]) -> dict[str, Any]:
    """Counts for people: how many questions were looked at, agree, and disagree in which way."""
    seen = list(found)
    looked = [one for one in seen if one is not None]
    kinds = Counter(kind for one in looked for kind in {k for k, _, _ in one.disagree})
    return {
        "questions": len(seen),
        "with_evidence": len(looked),
        "names_the_database": sum(one.claims > 0 for one in looked),
        "agree": sum(not one.disagree for one in looked),
        "disagree": sum(bool(one.disagree) for one in looked),
        "kinds": {kind: kinds[kind] for kind in ALIGNMENT_KINDS if kinds[kind]},
    }
