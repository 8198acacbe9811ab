"""Choosing among candidates by their results: clusters of equal ones, the largest first."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import permutations
from typing import Any

from fathom.nl2sql.query_runs import QueryRun
from fathom.records import Result

Equal = Callable[[Result, Result], bool]
_MOST_COLUMNS = 6  # 720 orders; wider results are compared as their columns stand


def same_bag(first: Result, second: Result) -> bool:
    """The same rows with repeats, in any order of rows and columns (C3, DAIL-SQL)."""
    if len(first.rows) != len(second.rows):
        return False
    if not first.rows:
        return True
    width = len(first.rows[0])
    if width != len(second.rows[0]):
        return False
    wanted = _bag(first.rows)
    if wanted == _bag(second.rows):
        return True
    if width > _MOST_COLUMNS or _cells(first) != _cells(second):
        return False
    return any(
        wanted == _bag([tuple(row[i] for i in order) for row in second.rows])
        for order in permutations(range(width))
    )


def same_set(first: Result, second: Result) -> bool:
    """The same set of rows (OpenSearch-SQL, CHESS v1, the benchmark's own comparison)."""
    return set(map(hashable, first.rows)) == set(map(hashable, second.rows))


def same_text(first: Result, second: Result) -> bool:
    """The same rows in the same order, as they read (CHESS v2)."""
    return repr(first.rows) == repr(second.rows)


def clusters(outcomes: Sequence[QueryRun], equal: Equal = same_bag) -> list[list[int]]:
    """Positions of the queries that ran, by equal results: each is compared with a cluster's first member.

    Largest cluster first, among equals the one whose first member came first.
    """
    found: list[list[int]] = []
    for position, outcome in enumerate(outcomes):
        if outcome.result is None:
            continue
        for members in found:
            first = outcomes[members[0]].result
            if first is not None and equal(first, outcome.result):
                members.append(position)
                break
        else:
            found.append([position])
    return sorted(found, key=len, reverse=True)


def _bag(rows: Sequence[tuple[Any, ...]]) -> Counter[Hashable]:
    return Counter(map(hashable, rows))


def _cells(result: Result) -> Counter[Hashable]:
    return Counter(cell for row in result.rows for cell in hashable(row))


def hashable(row: tuple[Any, ...]) -> tuple[Hashable, ...]:
    """A row for a set or a counter: cells that are lists or structs as they read."""
    return tuple(cell if _has_hash(cell) else repr(cell) for cell in row)


def _has_hash(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:  # `Hashable` alone would take a tuple of lists, DuckDB's ARRAY, for one
        return False
    return True
