"""Columns of one name that hold little in common: names of customers and of shippers join nothing."""

from collections.abc import Iterator

from fathom.databases import Database
from fathom.databases.join_evidence import side_by_side
from fathom.databases.join_graph import guessed_by_text
from fathom.errors import QueryError
from fathom.offline.checks.trial_runs import brief

_MOST_READ = 400_000
"""Rows of tables that all comparisons may read; pairs of columns beyond that stay as they are."""
_SHARED = 0.5
"""The least share of the values of one column that the other has, where the two may join."""

_KEPT = "columns apart"
Pair = frozenset[tuple[str, str]]


def apart_columns(database: Database) -> frozenset[Pair]:
    """The pairs of equally named columns of text, no keys, that could be joined but hold little in common.

    They are compared once, and kept with the database.
    """
    kept = database.kept
    if _KEPT not in kept:
        pairs = list(_affordable(database))
        apart = side_by_side(lambda pair: _share_little(database, pair), pairs, database.at_once)
        kept[_KEPT] = frozenset(pair for pair, is_apart in zip(pairs, apart, strict=True) if is_apart)
    found: frozenset[Pair] = kept[_KEPT]
    return found


def _affordable(database: Database) -> Iterator[Pair]:
    """The pairs to compare, as long as that reads few rows."""
    read = 0
    for pair in guessed_by_text(database.schema):
        rows = [database.schema.table(t).row_count or 0 for t, _ in pair]
        if all(rows) and read + 2 * sum(rows) <= _MOST_READ:
            read += 2 * sum(rows)
            yield pair


def _share_little(database: Database, pair: Pair) -> bool:
    one, other = sorted(pair)
    shares = [_share(database, one, other), _share(database, other, one)]
    return all(s is not None and s < _SHARED for s in shares)


def _share(database: Database, one: tuple[str, str], other: tuple[str, str]) -> float | None:
    """The share of a column's values that another has; None where it can't be told."""
    first, second = database.identifier(*one), database.identifier(*other)
    table, home = database.identifier(one[0]), database.identifier(other[0])
    sql = (
        f"SELECT COUNT(DISTINCT {first}), COUNT(DISTINCT CASE WHEN {first} IN"
        f" (SELECT {second} FROM {home}) THEN {first} END) FROM {table}"
    )
    try:
        ((count, shared),) = database.run(sql, brief(database), trusted=True).rows
    except QueryError:
        return None
    return shared / count if count else None
