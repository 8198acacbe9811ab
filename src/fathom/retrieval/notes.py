"""Comments and a knowledge pack on tables and columns, as names and texts to search."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from fathom.records import Schema, Table

if TYPE_CHECKING:  # packs are slow to import, and values are found without them
    from fathom.knowledge import ColumnNote, KnowledgePack, TableNote

Texts = Mapping[tuple[str, str | None], Sequence[str]]
"""Texts by (table, column), those about the table itself by (table, None)."""

_VALUES = 50  # meanings of values; a column with more of them is asked for by other words


def comments_of(schema: Schema) -> dict[tuple[str, str | None], list[str]]:
    """The comments kept in the database."""
    found: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for table in schema.tables:
        if table.comment:
            found[table.name, None].append(table.comment)
        for column in table.columns:
            if column.comment:
                found[table.name, column.name].append(column.comment)
    return found


def names_of(pack: "KnowledgePack", schema: Schema) -> dict[tuple[str, str | None], list[str]]:
    """Readable names, synonyms, and the glossary's terms for tables and columns."""
    found: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for table, about in _noted(pack, schema):
        found[table.name, None] += [about.name, *about.synonyms]
        for column, note in _noted_columns(table, about):
            found[table.name, column] += [note.name, *note.synonyms]
    for term in pack.glossary:
        if term.column:
            for place in _columns(term.column, term.tables, schema):
                found[place] += term.words
        else:
            for name in term.tables:
                if name in schema:
                    found[schema.table(name).name, None] += term.words
    return found


def texts_of(pack: "KnowledgePack", schema: Schema) -> dict[tuple[str, str | None], list[str]]:
    """Comments, descriptions, notes, and what values mean."""
    found = comments_of(schema)
    for table, about in _noted(pack, schema):
        found[table.name, None].append(about.description)
        for column, note in _noted_columns(table, about):
            meanings = islice(note.values.values(), _VALUES)
            found[table.name, column] += [
                note.description,
                note.note,
                *(w for m in meanings for w in m.words),
            ]
    return found


def _noted(pack: "KnowledgePack", schema: Schema) -> Iterator[tuple[Table, "TableNote"]]:
    for table in schema.tables:
        if note := pack.table(table.name):
            yield table, note


def _noted_columns(table: Table, about: "TableNote") -> Iterator[tuple[str, "ColumnNote"]]:
    for column in table.columns:
        if note := about.column(column.name):
            yield column.name, note


def _columns(named: str, tables: Sequence[str], schema: Schema) -> list[tuple[str, str]]:
    """The places of a glossary's column: "table.column", or "column" of some tables."""
    table, dot, column = named.rpartition(".")
    pairs = [(table, column)] if dot else [(t, named) for t in tables]
    known = {
        (t.name.casefold(), c.name.casefold()): (t.name, c.name) for t in schema.tables for c in t.columns
    }
    return [known[p] for t, c in pairs if (p := (t.casefold(), c.casefold())) in known]
