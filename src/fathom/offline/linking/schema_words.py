"""The names of one database as words, compiled once for many questions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fathom.offline.linking.columns import foreign_columns, referenced_columns, schema_columns
from fathom.offline.linking.meanings import Meanings, compile_meanings
from fathom.offline.linking.records import ColumnKey, Floats
from fathom.offline.linking.text import is_stop, stem, token_stems, tokenize
from fathom.records import ColumnProfile, Schema, Table, TableProfile
from fathom.records.schema import NUMERIC
from fathom.text.identifiers import identifier_words

_DATES = ("date", "time", "datetime")


Phrases = Mapping[str, Sequence[tuple[tuple[str, ...], int]]]
"""Phrases as stems, each with the table or column it names (its place), by their first stem."""


@dataclass(frozen=True)
class Notes:
    """A knowledge pack's notes on names: by table and by column, descriptions and synonyms.

    `names` are readable ones, which stand in for those of the schema where it writes codes.
    `meanings` are (column, phrase, stored value): other words for values. `separators` are those of columns
    that hold several items in one cell.
    """

    descriptions: Mapping[tuple[str, ...], str]
    synonyms: Mapping[tuple[str, ...], tuple[str, ...]]
    meanings: tuple[tuple[ColumnKey, str, str], ...] = ()
    separators: Mapping[ColumnKey, str] = field(default_factory=dict)
    names: Mapping[tuple[str, ...], str] = field(default_factory=dict)


NO_NOTES = Notes({}, {})


@dataclass(frozen=True)
class NameMatrix:
    """Named things (tables or columns) by their words, as an incidence matrix over the schema's words.

    `incidence` (things x words) weighs each name word by its rarity in the schema, rows summing to 1;
    `described` does the same for the words of descriptions that the name lacks; `last` marks each
    name's head, its last word that isn't a number.
    """

    words: tuple[tuple[int, ...], ...]
    incidence: Floats
    described: Floats
    last: tuple[int, ...]


@dataclass(frozen=True)
class SchemaWords:
    """A schema compiled for linking: `vocabulary` holds the stems of all name words, with `surface` forms."""

    schema: Schema
    tables: tuple[str, ...]
    columns: tuple[ColumnKey, ...]
    owner: tuple[int, ...]
    vocabulary: tuple[str, ...]
    surface: tuple[str, ...]
    table_names: NameMatrix
    column_names: NameMatrix
    traits: Floats
    table_synonyms: Phrases = field(default_factory=dict)
    column_synonyms: Phrases = field(default_factory=dict)
    meanings: Meanings = field(default_factory=dict)
    separators: Mapping[ColumnKey, str] = field(default_factory=dict)
    wordy: frozenset[ColumnKey] = frozenset()
    """Columns of text none of whose values has a figure in it: nothing there to add up."""
    uniform: frozenset[ColumnKey] = frozenset()
    """Columns that hold one value throughout, in tables of many rows: nothing to restrict or join by."""

    @cached_property
    def index(self) -> dict[ColumnKey, int]:
        """The place of each column in `columns`."""
        return {c: i for i, c in enumerate(self.columns)}

    @cached_property
    def of_table(self) -> Floats:
        """Which column belongs to which table (tables x columns), 0 or 1."""
        matrix = np.zeros((len(self.tables), len(self.columns)), np.float32)
        matrix[list(self.owner), range(len(self.columns))] = 1
        return matrix

    @cached_property
    def same_name(self) -> Floats:
        """Which columns bear the same name (columns x columns), 0 or 1, themselves included."""
        names = np.array([c.column.casefold() for c in self.columns], dtype=object)
        return np.asarray(names[:, None] == names[None, :], np.float32)


_MANY = 10
"""Rows from which one value throughout tells that a column tells nothing."""
TRAITS = (
    *("numeric", "text", "dated", "boolean", "key", "foreign", "id_like", "name_like", "position"),
    *("table_columns", "namesakes", "distinct_share", "low_cardinality", "constant", "table_rows"),
    *("referenced", "name_words"),
)


def compile_schema(
    schema: Schema, profiles: Mapping[str, TableProfile] | None = None, notes: Notes = NO_NOTES
) -> SchemaWords:
    """Prepare a schema for linking questions to it."""
    tables = tuple(t.name for t in schema.tables)
    columns = tuple(key for key, _ in schema_columns(schema))
    owner = tuple(i for i, t in enumerate(schema.tables) for _ in t.columns)
    vocabulary: dict[str, int] = {}
    surface: list[str] = []

    def number(words: Iterable[str]) -> tuple[int, ...]:
        places = []
        for word in words:
            key = stem(word)
            if key not in vocabulary:
                vocabulary[key] = len(vocabulary)
                surface.append(word)
            places.append(vocabulary[key])
        return tuple(places)

    table_words = [number(identifier_words(_named(notes, (t,)))) for t in tables]
    column_words = [number(identifier_words(_named(notes, tuple(c)))) for c in columns]
    table_notes = [number(_described(notes, (t,))) for t in tables]
    column_notes = [number(_described(notes, tuple(c))) for c in columns]
    size = len(vocabulary)
    return SchemaWords(
        schema=schema,
        tables=tables,
        columns=columns,
        owner=owner,
        vocabulary=tuple(vocabulary),
        surface=tuple(surface),
        table_names=_names(table_words, table_notes, size, surface),
        column_names=_names(column_words, column_notes, size, surface),
        traits=_traits(schema, profiles or {}, columns),
        table_synonyms=_phrases(notes, [(t,) for t in tables]),
        column_synonyms=_phrases(notes, [tuple(c) for c in columns]),
        meanings=compile_meanings(notes.meanings),
        separators=notes.separators,
        wordy=_wordy(schema, profiles or {}),
        uniform=uniform_columns(profiles or {}),
    )


def uniform_columns(profiles: Mapping[str, TableProfile]) -> frozenset[ColumnKey]:
    """The columns that hold one value throughout, in tables of many rows."""
    return frozenset(
        ColumnKey(p.table, p.column)
        for t in profiles.values()
        for p in t.columns.values()
        if p.exact and p.distinct == 1 and p.rows_seen >= _MANY
    )


def _folded(key: Sequence[str]) -> tuple[str, ...]:
    return tuple(k.casefold() for k in key)


def _phrases(notes: Notes, keys: Sequence[tuple[str, ...]]) -> Phrases:
    found: dict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
    for row, key in enumerate(keys):
        for stems in dict.fromkeys(token_stems(tokenize(s)) for s in notes.synonyms.get(_folded(key), ())):
            if stems:
                found[stems[0]].append((stems, row))
    return found


def _named(notes: Notes, key: tuple[str, ...]) -> str:
    return notes.names.get(_folded(key)) or key[-1]


def _described(notes: Notes, key: tuple[str, ...]) -> tuple[str, ...]:
    text = notes.descriptions.get(_folded(key), "")
    return tuple(t.lower for t in tokenize(text) if not t.stop and t.kind == "word")[:30]


def _names(
    words: Sequence[tuple[int, ...]], described: Sequence[tuple[int, ...]], size: int, surface: Sequence[str]
) -> NameMatrix:
    uses = np.zeros(size, np.float32)
    for group in words:
        uses[list(set(group))] += 1
    rarity = 1 / np.sqrt(1 + uses)
    for place, word in enumerate(surface):
        if is_stop(word) or word.isdigit() or len(word) == 1:
            rarity[place] *= 0.3
    incidence = np.zeros((len(words), size), np.float32)
    notes = np.zeros((len(words), size), np.float32)
    for row, (group, more) in enumerate(zip(words, described, strict=True)):
        incidence[row, list(group)] = rarity[list(group)]
        extra = [w for w in set(more) if w not in group]
        notes[row, extra] = rarity[extra]
    incidence /= np.maximum(incidence.sum(axis=1, keepdims=True), 1e-6)
    notes /= np.maximum(notes.sum(axis=1, keepdims=True), 1e-6)
    last = tuple(next((w for w in reversed(g) if not surface[w].isdigit()), g[-1] if g else 0) for g in words)
    return NameMatrix(tuple(words), incidence, notes, last)


def _traits(schema: Schema, profiles: Mapping[str, TableProfile], columns: Sequence[ColumnKey]) -> Floats:
    foreign, referenced = foreign_columns(schema), referenced_columns(schema)
    names = [c.column.casefold() for c in columns]
    rows = []
    for table in schema.tables:
        profile = profiles.get(table.name)
        for place, column in enumerate(table.columns):
            seen = profile.columns.get(column.name) if profile else None
            words = identifier_words(column.name)
            key = (table.name, column.name)
            rows.append(
                [
                    column.kind in NUMERIC,
                    column.kind == "text",
                    column.kind in _DATES or bool(seen and seen.format == "date"),
                    column.kind == "boolean" or bool(seen and seen.format == "boolean"),
                    column.name in table.primary_key,
                    key in foreign,
                    bool(words) and words[-1] in {"id", "code", "no", "number", "key", "pk"},
                    bool(words) and words[-1].endswith(("name", "title")),
                    place / max(len(table.columns), 1),
                    len(table.columns),
                    names.count(column.name.casefold()),
                    *_spread(seen),
                    _rows(table),
                    key in referenced,
                    len(words),
                ]
            )
    return np.array(rows, np.float32).reshape(len(columns), len(TRAITS))


def _wordy(schema: Schema, profiles: Mapping[str, TableProfile]) -> frozenset[ColumnKey]:
    found = set()
    for table in schema.tables:
        seen = profiles[table.name].columns if table.name in profiles else {}
        for column in table.columns:
            if column.kind == "text" and column.name in seen:
                profile = seen[column.name]
                values = [*profile.samples, *(v for v, _ in profile.common)]
                if values and not any(c.isdigit() for v in values for c in str(v)):
                    found.add(ColumnKey(table.name, column.name))
    return frozenset(found)


def _spread(seen: ColumnProfile | None) -> tuple[float, float, float]:
    """Share of distinct values, whether they are few, whether there is only one; -1 where unknown."""
    if seen is None or seen.distinct is None or not seen.rows_seen:
        return -1, -1, -1
    return seen.distinct / seen.rows_seen, float(seen.distinct <= 10), float(seen.distinct <= 1)


def _rows(table: Table) -> float:
    return float(np.log10(1 + table.row_count)) if table.row_count is not None else -1
