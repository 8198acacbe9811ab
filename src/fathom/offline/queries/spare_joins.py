"""Joins that a query can do without: a table that serves only for a column it shares with its neighbour."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import ColumnRef, Query, Subquery, TableRef, columns, mentioned_tables


def simplify(query: Query, planner: JoinPlanner) -> Query:
    """The query without tables whose only columns are those it is joined by; unchanged where there are none.

    Rows that the dropped join would have repeated or left out are there once.
    """
    if query.source is not None or query.joins:
        return query
    for _ in range(4):
        tables = mentioned_tables(query)
        plans = planner.plans(tables) if len(tables) > 1 else ()
        swap = _swap(query, plans[0]) if plans else None
        if swap is None:
            return query
        query = replace(_renamed(query, swap), compound=query.compound)
    return query


def _swap(query: Query, plan: JoinPlan) -> dict[ColumnRef, ColumnRef] | None:
    """Give the replacements for a table's columns that other tables have as well; None where every table is
    needed."""
    used: dict[TableRef, set[ColumnRef]] = {}
    for column in columns(query):
        used.setdefault(column.table, set()).add(column)
    same = _equals(plan)
    for table, own in sorted(used.items(), key=lambda u: len(u[1])):
        if table in query.tables:
            continue
        others = {t for t in used if t != table}
        swap = {c: min((e for e in same.get(c, ()) if e.table in others), default=None) for c in own}
        found = {c: e for c, e in swap.items() if e is not None}
        if len(found) == len(own):
            return found
    return None


def _equals(plan: JoinPlan) -> dict[ColumnRef, frozenset[ColumnRef]]:
    """For each column that a plan joins by, all the columns that its joins make equal to it."""
    groups: dict[ColumnRef, frozenset[ColumnRef]] = {}
    for join in plan.joins:
        both = groups.get(join.left, frozenset((join.left,))) | groups.get(
            join.right, frozenset((join.right,))
        )
        groups |= dict.fromkeys(both, both)
    return groups


def _renamed(value: Any, swap: Mapping[ColumnRef, ColumnRef]) -> Any:
    if isinstance(value, tuple):
        return tuple(_renamed(v, swap) for v in value)
    if isinstance(value, ColumnRef):
        return swap.get(value, value)
    if isinstance(value, Subquery) or not is_dataclass(value) or isinstance(value, type):
        return value
    return type(value)(**{f.name: _renamed(getattr(value, f.name), swap) for f in fields(value)})
