"""What the keywords of a question are near to: cells by their spelling, columns by name, columns by meaning.

The value index proposes cells and the ratio of edits orders them, where the published systems ask a MinHash
index and an embedding model (specs/methods.md, sections 4.1 and 9.6).
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from fathom.knowledge import KnowledgePack, TableNote
from fathom.methods import Context
from fathom.nl2sql.values import value_index
from fathom.records import Question, Schema, Selection
from fathom.retrieval import SchemaIndex
from fathom.retrieval.words import singular

Values = dict[str, dict[str, list[str]]]
"""Values by table and column; plain JSON, so that steps can hand it on as a finding."""
_HIDDEN = ("_id", " id", "url", "email", "web", "time", "phone", "date", "address")
_ALIKE = 0.9


def ratio(first: str, second: str) -> float:
    """How alike two texts are, in any case: 1 for the same letters in the same order, 0 for none shared."""
    return fuzz.ratio(first.casefold(), second.casefold()) / 100


def spoken_of(column: str) -> bool:
    """Whether people name a column's values in questions: ids, addresses, dates and times they don't."""
    return not (column.endswith("Id") or any(part in column.casefold() for part in _HIDDEN))


def queries_of(keyword: str) -> list[str]:
    """What to look for: the right side of an equality, else the keyword whole and split in two at a space."""
    if "=" in keyword:
        return list(dict.fromkeys([keyword.strip(), keyword.rpartition("=")[2].strip(" '\"")]))
    words = keyword.split()
    halves = [" ".join(part) for i in range(1, len(words)) for part in (words[:i], words[i:])]
    return list(dict.fromkeys([keyword.strip(), *halves]))


async def similar_values(
    context: Context,
    keywords: Iterable[str],
    *,
    least: float = 0.3,
    near: float = 1.0,
    most: int = 5,
) -> Values:
    """The cells spelt most like each keyword, in each column those within `near` of its best ratio.

    A cell needs a ratio of `least` with a keyword or a part of one; each looked-up text gives at most `most`.
    """
    index = await value_index(context)
    keys = {t.name: t.primary_key for t in context.database.schema.tables}
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for query in dict.fromkeys(q for keyword in keywords for q in queries_of(keyword) if q):
        matches = await asyncio.to_thread(index.lookup, query, limit=4 * most)
        rated = [(ratio(query, m.value), m) for m in matches]
        rated = [(r, m) for r, m in rated if r >= least and spoken_of(m.column)]
        for rate, match in sorted(rated, key=lambda r: -r[0])[:most]:
            if match.column not in keys.get(match.table, ()):
                place = found[match.table, match.column]
                place[match.value] = max(rate, place.get(match.value, 0.0))
    kept: Values = {}
    for (table, column), rates in sorted(found.items()):
        best = max(rates.values())
        ordered = sorted(rates, key=lambda v: (-rates[v], v))
        kept.setdefault(table, {})[column] = [v for v in ordered if rates[v] >= near * best]
    return kept


def similar_columns(schema: Schema, keywords: Iterable[str], *, most: int | None = None) -> Selection:
    """The columns named like a keyword, its part in parentheses, one of its words, or left of its equality.

    `most` keeps the best few of each keyword.
    """
    columns = [(t.name, c.name, _normal(c.name)) for t in schema.tables for c in t.columns]
    found: dict[str, list[str]] = {}
    for keyword in keywords:
        inner = keyword.partition("(")[2].partition(")")[0]
        said = {_normal(w) for w in (keyword, keyword.partition("=")[0], inner, *keyword.split())} - {""}
        rated = [(max((ratio(w, name) for w in said), default=0.0), t, c) for t, c, name in columns]
        best = sorted((r for r in rated if r[0] >= _ALIKE), key=lambda r: -r[0])
        for _, table, column in best[:most]:
            found.setdefault(table, []).append(column)
    return Selection({t: tuple(dict.fromkeys(c)) for t, c in found.items()})


def _normal(name: str) -> str:
    words = name.casefold().replace("_", " ").split()
    return "".join(singular(w.strip(".,;:?!'\"`()")) for w in words)


def described_columns(
    context: Context, question: Question, keywords: Sequence[str], *, most: int = 5
) -> Selection:
    """The columns whose names and descriptions are nearest to each keyword, with question or evidence."""
    found: dict[str, list[str]] = {}
    with SchemaIndex.build(context.database.schema, context.knowledge) as index:
        for said in filter(None, (question.text, question.evidence)):
            for keyword in keywords or [""]:
                near = [
                    (c.score, t.table, c.column)
                    for t in index.tables(f"{said} {keyword}")
                    for c in t.columns
                    if c.score > 0
                ]
                for _, table, column in sorted(near, key=lambda n: -n[0])[:most]:
                    found.setdefault(table, []).append(column)
    return Selection({t: tuple(dict.fromkeys(c)) for t, c in found.items()})


def only_about(knowledge: KnowledgePack, columns: Mapping[str, Sequence[str]]) -> KnowledgePack:
    """A pack that describes these columns only."""
    notes: dict[str, TableNote] = {}
    for table, names in columns.items():
        if (note := knowledge.table(table)) is not None:
            kept = {n: c for n in names if (c := note.column(n)) is not None}
            notes[table] = TableNote(columns=kept)
    return KnowledgePack(tables=notes)
