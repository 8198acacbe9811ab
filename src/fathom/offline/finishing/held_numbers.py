"""Adds up what a table holds as a number: "how many degrees" of a table of degrees by year and campus."""

from typing import Any

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Query,
    Star,
    mentioned_tables,
    rebuilt,
)
from fathom.offline.queries.rows import RowNames

_COUNT = frozenset(("count", "cnt"))


def with_held_numbers(query: Query, linking: Linking, rows: RowNames) -> Query:
    """The query with sums for counts, where a column of numbers is called as the table that is counted.

    A row of `enrollments` with a column `enrollments`, or `count`, stands for as many as that says.
    """
    named = {m.table for m in linking.table_mentions if m.whole}
    tables = {t for t in mentioned_tables(query) if t.name in named}
    alike = [c for c in linking.columns if rows.measures(c) and _counts_rows(c)]
    held = [ColumnRef(t, c.column) for t in sorted(tables) for c in alike if c == ColumnKey(t.name, c.column)]
    if len(held) != 1:
        return query

    def summed(part: Any) -> Any:
        return Aggregate("sum", held[0]) if part == Aggregate("count", Star()) else part

    changed: Query = rebuilt(query, summed)
    return changed


def _counts_rows(column: ColumnKey) -> bool:
    """True if a column is called as its table is, or `count`."""
    return column.column.casefold() in {column.table.casefold(), *_COUNT}
