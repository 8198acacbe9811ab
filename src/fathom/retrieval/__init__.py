"""Find what a question refers to: values, tables and columns of a database."""

from fathom.retrieval.matches import (
    ColumnMatch,
    IndexedColumn,
    MatchKind,
    TableMatch,
    ValueMatch,
    ValueMention,
)
from fathom.retrieval.schema import SchemaIndex
from fathom.retrieval.values import IndexDamaged, ValueIndex

__all__ = [
    "ColumnMatch",
    "IndexDamaged",
    "IndexedColumn",
    "MatchKind",
    "SchemaIndex",
    "TableMatch",
    "ValueIndex",
    "ValueMatch",
    "ValueMention",
]
