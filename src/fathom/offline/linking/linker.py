"""From a question to its `Linking`: reads it against a schema, then weighs what it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.features import column_features, table_features
from fathom.offline.linking.naming import asked_table, each_table, naming_columns
from fathom.offline.linking.reading import Reading, read
from fathom.offline.linking.records import (
    ROLES,
    ColumnKey,
    ColumnMention,
    Direction,
    Floats,
    Linking,
    Role,
    Span,
    SuperlativeMention,
    TableMention,
    Token,
    ValueMention,
)
from fathom.offline.linking.schema_words import NO_NOTES, Notes, SchemaWords, compile_schema
from fathom.offline.linking.text import identifier_words, stem
from fathom.offline.linking.translation import Translation
from fathom.offline.linking.value_features import value_features, value_pairs
from fathom.offline.linking.values import ShortValues, short_values
from fathom.offline.linking.wordlists import ORDER_ASCENDING, ORDER_DESCENDING, RELATED, TURNS
from fathom.offline.trees import Forest, load_forest
from fathom.records import Question, Schema, TableProfile
from fathom.retrieval import ValueIndex

_SETTLED = 0.6
_ASKED = 0.35
_IMPLIED = 0.7
_MEANT = 0.8
_CALLED = 0.7
"""How likely what names the rows is shown where a question asks for these rows."""
_MENTIONED = 0.5  # alignment from which words count as a mention


@dataclass(frozen=True)
class LinkingWeights:
    """What linking has learned: translations, and forests that score tables, columns by role, and values."""

    translation: Translation
    tables: Forest
    columns: Mapping[Role, Forest]
    values: Forest

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The weights as arrays for an npz file."""
        found = self.translation.arrays("translation") | self.tables.arrays("tables")
        for role, forest in self.columns.items():
            found |= forest.arrays(f"columns.{role}")
        return found | self.values.arrays("values")


def load_linking_weights(arrays: Mapping[str, npt.NDArray[Any]]) -> LinkingWeights:
    """The weights from the arrays that `LinkingWeights.arrays` wrote."""
    return LinkingWeights(
        Translation.from_arrays(arrays, "translation"),
        load_forest(arrays, "tables"),
        {role: load_forest(arrays, f"columns.{role}") for role in ROLES},
        load_forest(arrays, "values"),
    )


@cache
def default_linking_weights() -> LinkingWeights:
    """The weights that come with the package, learned from Spider's training split."""
    file = resources.files("fathom.offline") / "weights" / "linking.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return load_linking_weights(arrays)


@cache
def related_words() -> Translation:
    """How related English words are, by their stems: from WordNet, and from our own list."""
    file = resources.files("fathom.offline") / "weights" / "related_words.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        thesaurus = Translation.from_arrays(arrays, "related")
    return thesaurus.with_pairs(
        {(stem(a), stem(n)): 1.0 for asked, named in RELATED.items() for a in asked for n in named}
    )


class Linker:
    """Links questions to one database. Compiled once; safe to share between threads."""

    def __init__(
        self,
        schema: Schema,
        weights: LinkingWeights,
        *,
        profiles: Mapping[str, TableProfile] | None = None,
        index: ValueIndex | None = None,
        notes: Notes = NO_NOTES,
    ) -> None:
        self.words: SchemaWords = compile_schema(schema, profiles, notes)
        self._weights = weights
        self._index = index
        self._short: ShortValues = short_values(profiles or {})

    def read(self, question: Question) -> Reading:
        """What the question matches, before it is weighed."""
        return read(
            question.text,
            question.evidence,
            self.words,
            translation=self._weights.translation,
            related=related_words(),
            index=self._index,
            short=self._short,
        )

    def link(self, question: Question) -> Linking:
        """Tie the question's words to the database."""
        reading = self.read(question)
        tables = self._weights.tables.probabilities(table_features(reading))
        rows = column_features(reading, tables)
        columns = np.stack([self._weights.columns[r].probabilities(rows) for r in ROLES], axis=1)
        columns = _with_implied(reading, tables, columns)
        pairs = value_pairs(reading, columns[:, 2])
        likely = self._weights.values.probabilities(value_features(reading, pairs, columns, tables))
        values = tuple(replace(p, probability=float(v)) for p, v in zip(pairs, likely, strict=True))
        return assemble(reading, tables, columns, values)


def _with_implied(reading: Reading, tables: Floats, columns: Floats) -> Floats:
    """The scores with those raised that the question implies where nothing learned says it.

    "biggest" orders by size or population, "how big" and "how many people" may ask for such a column, and
    "which rivers" for their names: English has more ways to ask than the lessons do.
    """
    raised = columns.copy()
    owners = tables[list(reading.words.owner)]
    measures = np.where(
        (reading.words.traits[:, 0] > 0) & (reading.words.traits[:, 4:6].sum(axis=1) == 0), owners, 0
    )
    order, select = ROLES.index("order"), ROLES.index("select")
    if reading.superlatives and columns[:, order].max(initial=0) < _SETTLED:
        related = reading.columns.related[:, list(reading.superlatives)].max(axis=1, initial=0)
        raised[:, order] = np.maximum(raised[:, order], _IMPLIED * related * measures)
    if named := called(reading):
        raised[named, select] = np.maximum(raised[named, select], _CALLED)
    elif columns[:, select].max(initial=0) < _ASKED:
        if places := measured_places(reading.tokens):
            related = reading.columns.related[:, list(places)].max(axis=1, initial=0)
            raised[:, select] = np.maximum(raised[:, select], _IMPLIED * related * measures)
        elif not reading.quantities:
            names = np.array([_names_rows(c) for c in reading.words.columns]) * owners
            first = _first_asked(reading)
            if first is not None:
                names = names * (np.array(reading.words.owner) == first)
                raised[:, select] = np.maximum(raised[:, select], _IMPLIED * names)
    return raised


def called(reading: Reading) -> list[int]:
    """The columns that name the rows which the question asks for, or about each of which it asks."""
    words = reading.words
    mentions = reading.tokens, reading.tables.alignment, reading.columns.alignment
    table = asked_table(*mentions)
    table = each_table(*mentions) if table is None else table
    if table is None:
        return []
    own = {c.column: i for i, c in enumerate(words.columns) if words.owner[i] == table}
    return [own[name] for name in naming_columns(words.tables[table], tuple(own))]


def measured_places(tokens: Sequence[Token]) -> tuple[int, ...]:
    """The words that "how" asks a measure of: "how big", "how many people"."""
    words = [t.lower for t in tokens]
    places = []
    for place, word in enumerate(words[:-1]):
        after = place + 1
        if word == "how" and words[after] in {"many", "much"}:
            after += 1
        if word == "how" and after < len(words) and not tokens[after].stop:
            places.append(after)
    return tuple(places)


def _names_rows(column: ColumnKey) -> bool:
    """Whether a column names the rows of its table: "name", "title", or the table's name before it."""
    words = identifier_words(column.column)
    rest = (
        set(words) - set(identifier_words(column.table)) - {stem(w) for w in identifier_words(column.table)}
    )
    return bool(words) and words[-1] in {"name", "title"} and rest <= {"name", "title", "full"}


def _first_asked(reading: Reading) -> int | None:
    """The table that the first content words name: what the question asks for."""
    alignment = reading.tables.alignment
    for place, token in enumerate(reading.tokens):
        if not token.stop and place not in reading.superlatives:
            best = int(alignment[:, place].argmax()) if len(alignment) else 0
            return best if len(alignment) and alignment[best, place] >= _MENTIONED else None
    return None


def assemble(reading: Reading, tables: Floats, columns: Floats, values: tuple[ValueMention, ...]) -> Linking:
    """The linking that a reading and its scores come to. `columns` are scores (columns x roles)."""
    words = reading.words
    alignment = reading.columns.alignment
    return Linking(
        tokens=reading.tokens,
        tables=words.tables,
        columns=words.columns,
        alignment=alignment,
        table_alignment=reading.tables.alignment,
        table_scores=tables,
        column_scores={role: columns[:, i] for i, role in enumerate(ROLES)},
        explained=_explained(reading, values),
        table_mentions=tuple(
            TableMention(words.tables[i], span, score)
            for i, span, score in _mentions(reading.tables.alignment)
        ),
        column_mentions=tuple(
            ColumnMention(words.columns[i], span, score) for i, span, score in _mentions(alignment)
        ),
        values=tuple(sorted(values, key=lambda v: -v.probability)),
        numbers=reading.numbers,
        dates=reading.dates,
        quantities=reading.quantities,
        superlatives=_superlatives(reading, columns[:, ROLES.index("order")]),
        negations=reading.negations,
        quotes=reading.quotes,
        index=words.index,
        called=tuple(words.columns[i] for i in called(reading)),
        wordy=words.wordy,
    )


def _mentions(alignment: Floats) -> list[tuple[int, Span, float]]:
    """Runs of tokens that mention a name, as (name, span, score)."""
    found = []
    for row in np.flatnonzero(alignment.max(axis=1, initial=0) >= 0.25):
        places = np.flatnonzero(alignment[row] >= 0.2)
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        for run in runs:
            score = min(1.0, float(alignment[row, run].sum()))
            if score >= _MENTIONED:
                found.append((int(row), Span(int(run[0]), int(run[-1]) + 1), score))
    return found


def _explained(reading: Reading, values: tuple[ValueMention, ...]) -> Floats:
    """How far names, values, numbers and cues account for each token."""
    tokens = reading.tokens
    share = np.array([float(t.stop) for t in tokens], np.float32)
    share = np.maximum(share, reading.known)
    for value in values:
        if value.match != "quoted":
            span = slice(value.span.first, value.span.end)
            share[span] = np.maximum(share[span], max(value.probability, 0.9 * (value.score >= 0.9)))
    for number in reading.numbers:
        share[number.span.first : number.span.end] = 1
    for date in reading.dates:
        share[date.span.first : date.span.end] = 1
    for quantity in reading.quantities:
        share[quantity.span.first : quantity.span.end] = 1
    share[list(reading.superlatives)] = np.maximum(share[list(reading.superlatives)], 0.5)
    return np.asarray(share, np.float32)


def _superlatives(reading: Reading, order: Floats) -> tuple[SuperlativeMention, ...]:
    """The superlatives with the number they ask for and the columns they may order by."""
    found = []
    numeric = reading.words.traits[:, 0]
    measured = 1 - reading.words.traits[:, 4:6].max(axis=1)  # "the longest track" isn't that of the last key
    for place in reading.superlatives:
        token = reading.tokens[place]
        direction: Direction = superlative_direction(token) or "desc"
        near = measured * reading.columns.alignment[:, place : place + 4].max(axis=1, initial=0)
        around = [i for i in (place - 1, place - 2) if i >= 0 and not reading.tokens[i].stop]
        meant = measured * numeric * reading.columns.related[:, around].max(axis=1, initial=0)
        near = np.maximum(near, _MEANT * meant)  # "spent the most"
        scores = 0.7 * order + 0.3 * near
        implied = [
            (
                column,
                _turned(token.lower, direction, dated=bool(reading.words.traits[i, 2])),
                float(scores[i]),
            )
            for i, column in enumerate(reading.words.columns)
            if scores[i] >= 0.1
        ]
        implied.sort(key=lambda c: -c[2])
        count = next(
            (
                int(n.value)
                for n in reading.numbers
                if not n.ordinal
                and (n.span.end in {place, place - 1} or n.span.first in {place + 1, place + 2})
            ),
            1,
        )
        found.append(SuperlativeMention(Span(place, place + 1), direction, count, tuple(implied[:5])))
    return tuple(found)


def _turned(word: str, direction: Direction, *, dated: bool) -> Direction:
    """The oldest person has the earliest date of birth."""
    if word in ORDER_ASCENDING | ORDER_DESCENDING or not (dated and word in TURNS):
        return direction
    return "asc" if direction == "desc" else "desc"
