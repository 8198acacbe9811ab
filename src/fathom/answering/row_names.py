"""The name of the row behind a key: a title, say, or the texts that tell it from other rows."""

from collections.abc import Mapping

from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import RowNames
from fathom.records import Schema, Table, TableProfile

MOST_TEXTS = 2
"""Columns that stand for a name where no column is called one: make and model of a car."""
LONGEST = 40
"""Letters of a text that may stand for a name: longer ones describe."""


def names_of_rows(table: str, schema: Schema, profiles: Mapping[str, TableProfile]) -> tuple[str, ...]:
    """The columns of a table that name its rows; empty where none do.

    Without a name, title or description these are the first texts, if hardly any two rows share one.
    """
    called = RowNames(schema, profiles).called(TableRef(table))
    return tuple(c.name for c in called) or _telling(schema.table(table), schema, profiles)


def _telling(table: Table, schema: Schema, profiles: Mapping[str, TableProfile]) -> tuple[str, ...]:
    profile = profiles.get(table.name)
    keys = {c for k in schema.foreign_keys if k.table == table.name for c in k.columns} | {*table.primary_key}
    texts = [c.name for c in table.columns if c.kind == "text" and c.name not in keys][:MOST_TEXTS]
    seen = [profile.columns[t] for t in texts if t in profile.columns] if profile else []
    if not seen or any(len(str(v)) > LONGEST for s in seen for v in s.samples):
        return ()
    rows, most = seen[0].rows_seen, max(s.distinct or 0 for s in seen)
    plain = all(s.format in {"plain", "code"} for s in seen)
    return tuple(texts) if plain and 2 * most >= rows else ()
