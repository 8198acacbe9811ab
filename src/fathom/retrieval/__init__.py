"""Find what a question refers to: values, tables and columns of a database."""

from fathom.retrieval.matches import IndexedColumn, MatchKind, ValueMatch, ValueMention
from fathom.retrieval.values import IndexDamaged, ValueIndex

__all__ = ["IndexDamaged", "IndexedColumn", "MatchKind", "ValueIndex", "ValueMatch", "ValueMention"]
