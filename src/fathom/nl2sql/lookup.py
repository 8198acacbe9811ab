"""The nearest things to a question's keywords: cells by spelling, columns by name, columns by meaning.

The value index proposes cells, where the published systems ask a MinHash index; the ratio of edits orders
them, and an embedding model, where there is one, keeps those near in meaning (Talaei et al. 2024).
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from rapidfuzz import fuzz

from fathom.errors import QueryError
from fathom.knowledge import KnowledgePack, TableNote
from fathom.methods import Context
from fathom.nl2sql.cache import schema_index
from fathom.nl2sql.nearness import embedded, nearness
from fathom.nl2sql.prompting import asked
from fathom.nl2sql.values import value_index
from fathom.records import Column, ColumnProfile, Limits, Question, Schema, Selection
from fathom.text.inflection import singular

Values = dict[str, dict[str, list[str]]]
"""Values by table and column; plain JSON, so that steps can hand it on as a finding."""
_HIDDEN = ("_id", " id", "url", "email", "web", "time", "phone", "date", "address")
_MOST_LETTERS, _MOST_LETTERS_OF_NAMES, _MOST_ON_AVERAGE = 2_000_000, 5_000_000, 25
_ALIKE = 0.9
_MEANT = 0.6
"""The cosine from which a cell counts as meant by a keyword."""
_SPELT = 0.7
"""The ratio from which it does where there is no embedding model: on questions of BIRD it keeps every cell of
gold that the published 0.3 keeps, and a third as many others."""
_ALL_CELLS = Limits(seconds=2.0, rows=2_000, bytes=1_000_000)


def ratio(first: str, second: str) -> float:
    """How alike two texts are, in any case: 1 for the same letters in the same order, 0 for none shared."""
    return fuzz.ratio(first.casefold(), second.casefold()) / 100


async def searched_columns(context: Context, *, few: int = 0) -> set[tuple[str, str]]:
    """The columns whose cells people name in questions, as (table, column).

    Keys, ids, addresses, dates and times they don't, nor long texts: a column counts with cells under 25
    letters on average and 2 million in all, with 5 million where it holds names, or with fewer than `few`
    different cells.
    """
    schema = context.database.schema
    profiles = await asyncio.to_thread(context.database.profile)
    found = set()
    for table in schema.tables:
        profiled = profiles.get(table.name)
        for column in table.columns:
            profile = profiled.columns.get(column.name) if profiled else None
            hidden = column.name.endswith("Id") or any(part in column.name.casefold() for part in _HIDDEN)
            if column.name in table.primary_key or hidden:
                continue
            if profile is None or _is_named(column.name, profile, few):
                found.add((table.name, column.name))
    return found


def _is_named(name: str, profile: ColumnProfile, few: int) -> bool:
    lengths = [len(str(v)) for v in (*(v for v, _ in profile.common), *profile.samples) if v is not None]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    distinct = profile.distinct if profile.distinct is not None else profile.rows_seen
    letters = mean * distinct
    of_names = "name" in name.casefold() and letters < _MOST_LETTERS_OF_NAMES
    return of_names or (letters < _MOST_LETTERS and mean < _MOST_ON_AVERAGE) or distinct < few


def queries_of(keyword: str) -> list[str]:
    """Give the texts to look for: the right side of an equality, else the keyword whole and split in two at a
    space."""
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
    few: int = 0,
) -> Values:
    """The cells spelt most like each keyword, in each column those within `near` of its best ratio.

    A cell needs a ratio of `least` with a keyword or a part of one; of the `most` likest of a column the best
    one is kept. With an embedding model a cell needs a cosine of 0.6 as well, and where `near` is below 1 one
    within it of the column's best; without one, a ratio of 0.7 stands in for that. `few` is that
    of `searched_columns`.
    """
    places = await searched_columns(context, few=few)
    proposed = await _proposed(context, keywords, places, least, most)
    cosines = await _cosines(context, [(query, cell) for query, _, cells in proposed for _, cell in cells])
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = defaultdict(dict)
    for query, place, cells in proposed:
        rated = [(rate, cosines.get((query, cell), 1.0), cell) for rate, cell in cells]
        meant = [r for r in rated if (r[1] >= _MEANT if cosines else r[0] >= _SPELT)]
        for rate, cosine, cell in meant[:1]:
            before = found[place].get(cell, (0.0, 0.0))
            found[place][cell] = (max(rate, before[0]), max(cosine, before[1]))
    kept: Values = {}
    for (table, column), rates in sorted(found.items()):
        best = max(rate for rate, _ in rates.values())
        nearest = max(cosine for _, cosine in rates.values()) if near < 1 else 0.0
        ordered = sorted(rates, key=lambda v: (-rates[v][0], v))
        kept.setdefault(table, {})[column] = [
            v for v in ordered if rates[v][0] >= near * best and rates[v][1] >= near * nearest
        ]
    return kept


async def _proposed(
    context: Context, keywords: Iterable[str], wanted: set[tuple[str, str]], least: float, most: int
) -> list[tuple[str, tuple[str, str], list[tuple[float, str]]]]:
    """For each text that is looked up, by column: its likest cells with their ratios, best first."""
    index = await value_index(context)
    found = []
    for query in dict.fromkeys(q for keyword in keywords for q in queries_of(keyword) if q):
        places: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
        # Each column by itself, and only those searched: else ids and dates would crowd out names.
        for match in await asyncio.to_thread(index.by_column, query, each=most, columns=wanted):
            rate = ratio(query, match.value)
            if rate >= least:
                places[match.table, match.column].append((rate, match.value))
        for place, cells in places.items():
            found.append((query, place, sorted(cells, key=lambda c: -c[0])[:most]))
    return found


async def _cosines(context: Context, pairs: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], float]:
    """How near the two texts of each pair are in meaning; nothing without an embedding model."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = await embedded(context, texts)
    if vectors is None:
        return {}
    place = {text: i for i, text in enumerate(texts)}
    return {(a, b): float(vectors[place[a]] @ vectors[place[b]]) for a, b in pairs}


async def nearest_cells(
    context: Context, table: str, column: str, wanted: Sequence[str], *, most: int = 5
) -> list[str]:
    """The `most` cells of one column that are nearest to any of some texts, in meaning or in spelling.

    All cells are compared where the column holds up to 2,000 different ones and is read in two seconds, else
    those that the value index proposes.
    """
    if not wanted:
        return []
    cells = await _cells(context, table, column)
    if cells is None:
        index = await value_index(context)
        found = [await asyncio.to_thread(index.lookup, text, limit=10 * most) for text in wanted]
        cells = [m.value for ms in found for m in ms if (m.table, m.column) == (table, column)]
    pairs = [(text, cell) for text in wanted for cell in dict.fromkeys(cells)]
    cosines = await _cosines(context, pairs)
    rated: dict[str, float] = {}
    for text, cell in pairs:
        rated[cell] = max(rated.get(cell, 0.0), cosines.get((text, cell), ratio(text, cell)))
    return sorted(rated, key=lambda cell: -rated[cell])[:most]


async def _cells(context: Context, table: str, column: str) -> list[str] | None:
    """All different cells of a column as texts; None where there are too many to compare each."""
    name, source = context.database.identifier(table, column), context.database.identifier(table)
    try:
        result = await context.run(f"SELECT DISTINCT {name} FROM {source}", _ALL_CELLS)
    except QueryError:
        return None
    return None if result.truncated else [str(row[0]) for row in result.rows if row[0] is not None]


def similar_columns(schema: Schema, keywords: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """By keyword the (table, column) named like it, its part in parentheses, one of its words, or left of its
    equality; best first."""
    columns = [(t.name, c.name, _normal(c.name)) for t in schema.tables for c in t.columns]
    found: dict[str, list[tuple[str, str]]] = {}
    for keyword in keywords:
        inner = keyword.partition("(")[2].partition(")")[0]
        said = {_normal(w) for w in (keyword, keyword.partition("=")[0], inner, *keyword.split())} - {""}
        rated = [(max((ratio(w, name) for w in said), default=0.0), t, c) for t, c, name in columns]
        best = sorted((r for r in rated if r[0] >= _ALIKE), key=lambda r: -r[0])
        if best:
            found[keyword] = [(t, c) for _, t, c in best]
    return found


async def one_column_each(
    context: Context, question: Question, found: Mapping[str, Sequence[tuple[str, str]]]
) -> Selection:
    """Of each keyword's columns the one nearest to question and evidence; the first without embeddings."""
    listed = list(dict.fromkeys(place for places in found.values() for place in places))
    near = await nearness(context, asked(question), [f"{t}.{c}" for t, c in listed])
    rated = {} if near is None else dict(zip(listed, near, strict=True))
    return as_selection(max(places, key=lambda p: rated.get(p, 0.0)) for places in found.values())


def as_selection(places: Iterable[tuple[str, str]]) -> Selection:
    """(table, column) pairs as a selection."""
    named: dict[str, list[str]] = {}
    for table, column in places:
        named.setdefault(table, []).append(column)
    return Selection({t: tuple(dict.fromkeys(c)) for t, c in named.items()})


def _normal(name: str) -> str:
    words = name.casefold().replace("_", " ").split()
    return "".join(singular(w.strip(".,;:?!'\"`()")) for w in words)


async def described_columns(
    context: Context, question: Question, keywords: Sequence[str], *, most: int = 5
) -> Selection:
    """The columns whose names and descriptions are nearest to each keyword, with question or evidence."""
    asked_for = [
        f"{said} {keyword}".strip()
        for said in filter(None, (question.text, question.evidence))
        for keyword in keywords or [""]
    ]
    schema = context.database.schema
    documents = [
        ((t.name, c.name), text)
        for t in schema.tables
        for c in t.columns
        for text in _documents(context.knowledge, t.name, c)
    ]
    known = await embedded(context, [text for _, text in documents], kept_as="descriptions of columns")
    sought = await embedded(context, asked_for)
    if known is None or sought is None:
        return await asyncio.to_thread(_described_in_words, context, asked_for, most)
    if not documents:
        return Selection({})
    nearest = (np.argsort(-(known @ one), kind="stable")[:most] for one in sought)
    return as_selection(documents[i][0] for places in nearest for i in places)


def _documents(knowledge: KnowledgePack, table: str, column: Column) -> list[str]:
    """Give the texts about a column, one each for its readable name, its description and its values."""
    note = knowledge.column(table, column.name)
    if note is None:
        return [column.comment] if column.comment else []
    values = "; ".join(f"{v}: {m.meaning}" for v, m in note.values.items())
    written = (note.name, note.description or column.comment or "", values or note.note)
    return [text for text in written if text.strip()]


def _described_in_words(context: Context, asked_for: Sequence[str], most: int) -> Selection:
    found: list[tuple[str, str]] = []
    index = schema_index(context)
    for text in asked_for:
        columns = [(c.score, t.table, c.column) for t in index.tables(text) for c in t.columns if c.score > 0]
        found += [(table, column) for _, table, column in sorted(columns, key=lambda c: -c[0])[:most]]
    return as_selection(found)


def only_about(knowledge: KnowledgePack, columns: Mapping[str, Sequence[str]]) -> KnowledgePack:
    """A pack that describes these columns only."""
    notes: dict[str, TableNote] = {}
    for table, names in columns.items():
        if (note := knowledge.table(table)) is not None:
            kept = {n: c for n in names if (c := note.column(n)) is not None}
            notes[table] = TableNote(columns=kept)
    return KnowledgePack(tables=notes)
