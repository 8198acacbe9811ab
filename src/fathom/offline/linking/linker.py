"""From a question to its `Linking`: reads it against a schema, then weighs what it found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.features import column_features, table_features
from fathom.offline.linking.implied_mentions import (
    BEFORE_YEARS,
    called,
    extent_first,
    named_tables,
    sought,
    with_implied,
    years_meant,
)
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.namesakes import things_first
from fathom.offline.linking.numbers import ASKED_FOR
from fathom.offline.linking.reading import TokenMatches, read
from fathom.offline.linking.records import (
    ROLES,
    ColumnKey,
    ColumnMention,
    Direction,
    Floats,
    LinkedValue,
    Linking,
    Role,
    Span,
    SuperlativeMention,
    TableMention,
)
from fathom.offline.linking.row_names import naming_keys
from fathom.offline.linking.schema_words import NO_NOTES, Notes, SchemaWords, compile_schema
from fathom.offline.linking.subjects import subjects_first
from fathom.offline.linking.text import stem
from fathom.offline.linking.translation import Translation
from fathom.offline.linking.value_features import value_features, value_pairs
from fathom.offline.linking.values import ShortValues, short_values
from fathom.offline.linking.wordlists import ORDER_ASCENDING, ORDER_DESCENDING, RELATED, TURNS
from fathom.offline.trees import Forest, load_forest
from fathom.offline.weight_files import read_weights
from fathom.records import Question, Schema, TableProfile
from fathom.retrieval import ValueIndex

_MEANT = 0.8


@dataclass(frozen=True)
class LinkingWeights:
    """The learned weights of linking: translations, and forests that score tables, columns by role, and
    values."""

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
    return load_linking_weights(read_weights("linking"))


@cache
def related_words() -> Translation:
    """How related English words are, by their stems: from WordNet, and from our own list."""
    thesaurus = Translation.from_arrays(read_weights("related_words"), "related")
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

    def read(self, question: Question) -> TokenMatches:
        """Match the question's words, before they are weighed."""
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
        columns = extent_first(reading, with_implied(reading, tables, columns))
        pairs = value_pairs(reading, columns[:, 2])
        likely = self._weights.values.probabilities(value_features(reading, pairs, columns, tables))
        values = tuple(replace(p, probability=float(v)) for p, v in zip(pairs, likely, strict=True))
        values = things_first(reading, years_meant(reading, tables, values))
        columns, values = subjects_first(reading, columns, values)
        return assemble(reading, tables, columns, values)


def assemble(
    reading: TokenMatches, tables: Floats, columns: Floats, values: tuple[LinkedValue, ...]
) -> Linking:
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
        sought=_at_home([words.columns[i] for i in sought(reading)], values, reading),
        wordy=words.wordy,
    )


def _at_home(
    sought: Sequence[ColumnKey], values: Sequence[LinkedValue], reading: TokenMatches
) -> tuple[ColumnKey, ...]:
    """The columns of the tables that the question names, or else whose rows it names, where any has some.

    "How many people live in Texas" asks the table of states, not all that lies in them.
    """
    naming = naming_keys(reading.words.columns)
    rows = {v.column.table for v in values if v.match in {"exact", "folded"} and v.column in naming}
    for tables in (named_tables(reading), rows):
        if found := tuple(c for c in sought if c.table in tables):
            return found
    return tuple(sought)


def _mentions(alignment: Floats) -> list[tuple[int, Span, float]]:
    """Runs of tokens that mention a name, as (name, span, score)."""
    found = []
    for row in np.flatnonzero(alignment.max(axis=1, initial=0) >= 0.25):
        places = np.flatnonzero(alignment[row] >= 0.2)
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        for run in runs:
            score = min(1.0, float(alignment[row, run].sum()))
            if score >= NAMED:
                found.append((int(row), Span(int(run[0]), int(run[-1]) + 1), score))
    return found


def _explained(reading: TokenMatches, values: tuple[LinkedValue, ...]) -> Floats:
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


def _superlatives(reading: TokenMatches, order: Floats) -> tuple[SuperlativeMention, ...]:
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
            if scores[i] >= 0.1 and column not in reading.words.wordy
        ]
        implied.sort(key=lambda c: -c[2])
        near_by = (
            n
            for n in reading.numbers
            if (n.span.end in {place, place - 1} or n.span.first in {place + 1, place + 2})
            and not (n.year and reading.tokens[n.span.first - 1].lower in BEFORE_YEARS)  # "most in 2020"
        )
        asked = (n for n in reading.numbers if n.limit >= ASKED_FOR and n.span.end < place)
        count = next((int(n.value) for n in (*near_by, *asked) if not n.ordinal), 1)
        found.append(SuperlativeMention(Span(place, place + 1), direction, count, tuple(implied[:5])))
    return tuple(found)


def _turned(word: str, direction: Direction, *, dated: bool) -> Direction:
    """The oldest person has the earliest date of birth."""
    if word in ORDER_ASCENDING | ORDER_DESCENDING or not (dated and word in TURNS):
        return direction
    return "asc" if direction == "desc" else "desc"
