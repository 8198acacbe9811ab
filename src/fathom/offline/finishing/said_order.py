"""Shows columns in the order in which the question asks for them."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.hints import Hint
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.queries.query import ColumnRef, Query


def in_said_order(query: Query, linking: Linking, hints: Sequence[Hint] = ()) -> Query:
    """The query with its columns in the order of the words that name them.

    Unchanged where anything but columns is shown, or no words name one that name no other.
    """
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    places = [_place(c, shown, linking, hints) for c in shown]
    told = [p for p in places if p is not None]
    if len(told) != len(query.select) or len(set(told)) < len(told) or query.compound is not None:
        return query
    ordered = tuple(c for _, c in sorted(zip(told, shown, strict=True), key=lambda pair: pair[0]))
    return query if ordered == query.select else replace(query, select=ordered)


def _place(
    column: ColumnRef, shown: Sequence[ColumnRef], linking: Linking, hints: Sequence[Hint]
) -> tuple[int, int] | None:
    """Where a column is named first: the token, and its place among several columns that a hint names."""
    told = [(s.first, h.columns.index(column)) for h in hints if column in h.columns for s in h.spans[:1]]
    if told:
        return min(told)
    rows = linking.alignment[[linking.index[ColumnKey.of(c)] for c in shown]]
    own = linking.alignment[linking.index[ColumnKey.of(column)]]
    named = [i for i, fit in enumerate(own) if fit >= NAMED and fit >= rows[:, i].max()]
    return (named[0], 0) if named else None
