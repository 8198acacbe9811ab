"""The columns of a schema, and which of them tie rows together."""

from collections.abc import Iterator

from fathom.offline.linking.records import ColumnKey
from fathom.records import Column, Schema


def schema_columns(schema: Schema) -> Iterator[tuple[ColumnKey, Column]]:
    """Every column with its key, in schema order."""
    return ((ColumnKey(t.name, c.name), c) for t in schema.tables for c in t.columns)


def foreign_columns(schema: Schema) -> frozenset[ColumnKey]:
    """The columns of foreign keys, on the side that refers."""
    return frozenset(ColumnKey(k.table, c) for k in schema.foreign_keys for c in k.columns)


def referenced_columns(schema: Schema) -> frozenset[ColumnKey]:
    """The columns that foreign keys refer to."""
    return frozenset(ColumnKey(k.target_table, c) for k in schema.foreign_keys for c in k.target_columns)


def key_columns(schema: Schema) -> frozenset[ColumnKey]:
    """The columns of primary and of foreign keys."""
    primary = frozenset(ColumnKey(t.name, c) for t in schema.tables for c in t.primary_key)
    return primary | foreign_columns(schema)
