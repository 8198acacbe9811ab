"""Solved queries recast for a new question: counts where it asks how many, and no conditions of their own."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from fathom.offline.linking import ColumnKey, QuestionToken
from fathom.offline.linking.cues import find_quantities
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Condition,
    Query,
    Star,
    conjunction,
    conjuncts,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames

_LISTS = frozenset(("which", "who", "list", "show", "find", "name", "give"))
_OPENING = 3
"""Words within which a question says what it wants."""


def asks_count(tokens: Sequence[QuestionToken]) -> bool | None:
    """True if a question wants a number of rows, False if the rows; None where that isn't plain."""
    opening = [t for t in tokens if not t.evidence][: 2 * _OPENING]
    if any(q.aggregate == "count" and q.span.first < _OPENING for q in find_quantities(opening)):
        return True
    return False if opening and opening[0].lower in _LISTS else None


def recast(
    query: Query, *, count: bool | None, rows: RowNames, unsaid: Collection[Condition]
) -> Query | None:
    """A solved query in the form that a question asks for (see `asks_count`), without conditions `unsaid`.

    None where it has the other form and can't be turned. What groups, calculates, singles out an extreme or
    shows amounts alone keeps its form: "how many people" may ask for a stored population.
    """
    query = _without(query, unsaid)
    if count is None or query.compound is not None or query.source is not None or query.group:
        return query
    match query.select:
        case (Aggregate(function="count", argument=counted, distinct=distinct),):
            return query if count else _listed(query, counted if distinct else None, rows)
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    plain = len(shown) == len(query.select) and not all(rows.measures(ColumnKey.of(c)) for c in shown)
    return _counted(query) if count and plain and not _extreme(query) else query


def _without(query: Query, unsaid: Collection[Condition]) -> Query:
    parts = conjuncts(query.where)
    kept = tuple(p for p in parts if p not in unsaid)
    if len(kept) == len(parts):
        return query
    changed = replace(query, where=conjunction(*kept))
    if mentioned_tables(changed):
        return changed
    return replace(changed, tables=mentioned_tables(query))  # COUNT(*) names its table nowhere else


def _extreme(query: Query) -> bool:
    return bool(query.order) and query.limit is not None


def _counted(query: Query) -> Query | None:
    """The number of rows of a query, or of different values where it shows one column without repeats."""
    if query.distinct and len(query.select) > 1:
        return None
    argument = query.select[0] if query.distinct else Star()
    tables = mentioned_tables(query)
    counted = replace(
        query, select=(Aggregate("count", argument, query.distinct),), distinct=False, order=(), limit=None
    )
    missing = tuple(t for t in tables if t not in mentioned_tables(counted))
    return replace(counted, tables=(*counted.tables, *missing))


def _listed(query: Query, column: object, rows: RowNames) -> Query | None:
    """The rows that a query counts: different values of a column, or the names of its one table's rows."""
    if isinstance(column, ColumnRef):
        return replace(query, select=(column,), distinct=True)
    tables = mentioned_tables(query)
    names = rows.of_table(tables[0]) if len(tables) == 1 else ()
    return replace(query, select=names, tables=()) if names else None
