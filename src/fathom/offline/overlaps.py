"""Columns of one name that hold little in common: names of customers and of shippers join nothing."""

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.offline.checking import BRIEF
from fathom.offline.joins import guessed_by_text

_MOST = 60
"""Pairs of columns whose values are compared; the others stay as they are."""
_LONGEST = 200_000
"""Rows of a table that are read for it."""
_SHARED = 0.5
"""The least share of the values of one column that the other has, where the two may join."""

Pair = frozenset[tuple[str, str]]


def apart_columns(database: Database) -> frozenset[Pair]:
    """The pairs of equally named columns of text, no keys, that could be joined but hold little in common."""
    found = list(guessed_by_text(database.schema))
    return frozenset(p for p in found[:_MOST] if _share_little(database, p))


def _share_little(database: Database, pair: Pair) -> bool:
    one, other = sorted(pair)
    rows = [database.schema.table(t).row_count for t, _ in (one, other)]
    if any(not r or r > _LONGEST for r in rows):
        return False
    shares = [_share(database, one, other), _share(database, other, one)]
    return all(s is not None and s < _SHARED for s in shares)


def _share(database: Database, one: tuple[str, str], other: tuple[str, str]) -> float | None:
    """The share of a column's values that another has; None where it can't be told."""
    (first, second), (table, home) = (
        [database.identifier(*c) for c in (one, other)],
        [database.identifier(t) for t, _ in (one, other)],
    )
    sql = (
        f"SELECT COUNT(DISTINCT {first}), COUNT(DISTINCT CASE WHEN {first} IN"
        f" (SELECT {second} FROM {home}) THEN {first} END) FROM {table}"
    )
    try:
        ((count, shared),) = database.run(sql, BRIEF).rows
    except QueryError:
        return None
    return shared / count if count else None
