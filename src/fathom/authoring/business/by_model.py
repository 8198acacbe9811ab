"""BI-Bench's steps as a model takes them; of a long schema each part is shown, and the replies are merged."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from fathom.authoring.business.grammar import COMPLEXITIES, EACH
from fathom.authoring.journal import Item, rejected
from fathom.databases.database import Database
from fathom.errors import ReplyUnusable
from fathom.llm import Model
from fathom.llm.model import STEADY, VARIED
from fathom.llm.prompts import load
from fathom.nl2sql.schema_parts import SchemaPart, schema_parts
from fathom.nl2sql.schema_text import ShownSchema

TRIES = 3
PART = 60_000
"""Letters of a schema in one prompt, some 15,000 tokens."""
MOST_PARTS = EACH
"""Parts of a long schema that one category's questions are made of: each gives one of every complexity."""
_MEANINGS = {
    "descriptive": "Descriptive questions ask what happened: totals, comparisons, trends, breakdowns. They "
    "ask for no reason, driver or impact.",
    "diagnostic": "Diagnostic questions ask why something happened: drivers and relations.",
    "predictive": "Predictive questions ask what is likely to happen, judging by past data.",
    "prescriptive": "Prescriptive questions ask what should be done.",
}


class ModelQuestion(BaseModel):
    """A question as a model writes it."""

    question: str
    complexity: str


class Answerability(BaseModel):
    """A verdict on a schema: does it hold the data that a question needs?"""

    reasoning: str
    answerable: bool
    missing_tables: list[str] = Field(default_factory=list)
    missing_columns: dict[str, list[str]] = Field(default_factory=dict)


class Completeness(BaseModel):
    """A list of tables checked and corrected."""

    reasons: str
    tables: list[str]


async def questions(source: Item, database: Database, model: Model, place: int) -> list[dict[str, Any]]:
    """The nine questions that a model writes; what is wrong with the last of three tries is told.

    Of a long schema three parts are asked, which ones by the category's `place`, so that the categories
    share the parts; each item's reason says so.
    """
    parts = parts_shown(database, source["category"])
    chosen = sorted({(place * MOST_PARTS + n) % len(parts) for n in range(MOST_PARTS)})
    each = -(-EACH // len(chosen))
    made: list[ModelQuestion] = []
    problems: list[str] = []
    for n in chosen:
        found, problem = await _nine(source["category"], parts[n], model)
        made += _of_each(found, each) if len(chosen) > 1 else found
        problems.append(problem)
    if len(parts) > 1:
        told = ", ".join(str(n + 1) for n in chosen)
        problems.append(f"made of parts {told} of {len(parts)} of the schema")
    why = "; ".join(dict.fromkeys(filter(None, problems)))
    if not made:
        return [rejected({**source, "question": ""}, f"no usable questions: {why}")]
    return [
        {
            "id": f"{source['id']}-{number:03}",
            "question": re.sub(r"</?question>", "", q.question).strip(),
            "category": source["category"],
            "complexity": q.complexity.casefold(),
            "database": source["database"],
            "reason": why,
        }
        for number, q in enumerate(_of_each(made, EACH) if len(chosen) > 1 else made, 1)
    ]


async def _nine(category: str, part: SchemaPart, model: Model) -> tuple[list[ModelQuestion], str]:
    """Have a model write nine questions over one part of a schema; gives them and the problems with its
    reply."""
    prompt = load(__package__, "generate").render(
        schema=part.text,
        category=category,
        meaning=_MEANINGS[category],
        count=EACH * len(COMPLEXITIES),
    )
    made: list[ModelQuestion] = []
    problem = ""
    for attempt in range(TRIES):
        try:
            made = await model.typed(prompt, list[ModelQuestion], sampling=VARIED, sample=attempt)
        except ReplyUnusable as error:
            problem = str(error)
            continue
        counts = [sum(q.complexity.casefold() == c for q in made) for c in COMPLEXITIES]
        if counts == [EACH] * 3:
            return made, ""
        problem = f"{counts} of basic, intermediate, advanced instead of 3 each"
    return made, problem


def _of_each(made: Sequence[ModelQuestion], most: int) -> list[ModelQuestion]:
    """At most so many of each complexity, the first; what has no known complexity stays, to be rejected."""
    seen: Counter[str] = Counter()
    kept = []
    for question in made:
        complexity = question.complexity.casefold()
        seen[complexity] += 1
        if complexity not in COMPLEXITIES or seen[complexity] <= most:
            kept.append(question)
    return kept


async def answerable(item: Item, database: Database, model: Model) -> dict[str, Any]:
    """The question with what a model says on whether the schema holds what it needs, or rejected.

    Over several parts only what every part lacks is missing.
    """
    found: list[Answerability] = []
    for part in parts_shown(database, item["question"]):
        prompt = load(__package__, "answerability").render(question=item["question"], schema=part.text)
        found.append(await model.typed(prompt, Answerability, sampling=STEADY))
        if found[-1].answerable:
            break
    lacking = _missing_everywhere(found)
    merged = Answerability(
        reasoning=" ".join(f.reasoning.strip() for f in found),
        answerable=found[-1].answerable or (len(found) > 1 and not lacking),
        missing_tables=sorted(name for name, column in lacking if not column),
        missing_columns={t: sorted(c for n, c in lacking if n == t and c) for t, c in lacking if c},
    )
    told = {**item, "answerable": {**merged.model_dump(), "schema_parts": len(found)}}
    return told if merged.answerable else rejected(told, f"not answerable: {merged.reasoning}")


def _missing_everywhere(found: Sequence[Answerability]) -> set[tuple[str, str]]:
    """Tables, and columns with their tables, that every part lacks; a part that says nothing lacks all."""
    lacks = [
        {(t.casefold(), "") for t in f.missing_tables}
        | {(t.casefold(), c.casefold()) for t, columns in f.missing_columns.items() for c in columns}
        for f in found
        if not f.answerable
    ]
    told = [names for names in lacks if names]
    return set.intersection(*told) if told else {("", "")} if lacks else set()


async def smallest_tables(item: Item, database: Database, model: Model) -> dict[str, Any]:
    """The question with the tables that a model finds needed, of each part of the schema."""
    found: list[str] = []
    for part in parts_shown(database, item["question"]):
        prompt = load(__package__, "tables").render(question=item["question"], schema=part.text)
        found += await model.typed(prompt, list[str], sampling=STEADY)
    return _known({**item}, found, database)


async def completed(item: Item, database: Database, model: Model) -> dict[str, Any]:
    """The question with its tables checked by a model; a part of the schema decides on its own tables."""
    reasons: list[str] = []
    tables: list[str] = []
    parts = parts_shown(database, item["question"])
    for part in parts:
        prompt = load(__package__, "completeness").render(
            question=item["question"], tables=json.dumps(item["tables"]), schema=part.text
        )
        found = await model.typed(prompt, Completeness, sampling=STEADY)
        own = {t.casefold() for t in part.tables}
        tables += [t for t in found.tables if len(parts) == 1 or t.casefold() in own]
        reasons.append(found.reasons.strip())
    return _known({**item, "reason": " ".join(reasons)}, tables, database)


def _known(item: dict[str, Any], tables: Sequence[str], database: Database) -> dict[str, Any]:
    there = {t.name.casefold(): t.name for t in database.schema.tables}
    kept = list(dict.fromkeys(there[t.casefold()] for t in tables if t.casefold() in there))
    if unknown := [t for t in tables if t.casefold() not in there]:
        item["reason"] = f"{item.get('reason', '')}; no such table: {', '.join(unknown)}".strip("; ")
    told = {**item, "tables": kept}
    return told if kept else rejected(told, "needs no table that there is")


def parts_shown(database: Database, question: str) -> list[SchemaPart]:
    """The schema with some values as a model sees it, in parts where it is long, the nearest first."""
    schema, profiles = database.schema, database.profile()
    samples = {
        (t.name, c.name): profiles[t.name].columns[c.name].samples[:3]
        for t in schema.tables
        for c in t.columns
    }
    return schema_parts(ShownSchema(schema, samples=samples), question, style="commented", letters=PART)
