"""Leaves out of a parsed query the joins and tables that the planner finds again."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Join,
    Query,
    TableRef,
    conjunction,
    conjuncts,
    mentioned_tables,
)


def without_planned(
    query: Query,
    tables: tuple[TableRef, ...],
    joins: tuple[Join, ...],
    planner: JoinPlanner,
    *,
    keep_joins: bool,
) -> Query:
    """A query over these tables and joins, with only those of them in it that have to be said.

    Bridge tables go, and the joins of the first plan. Others stay as `parse` says of `keep_joins`.
    """
    if len(tables) == 1:
        return query if tables[0] in mentioned_tables(query) else replace(query, tables=tables)
    if not tables:
        return query
    wanted = set(tables)
    query = replace(query, tables=_unbridged(query, tables, planner))
    plans = planner.plans(mentioned_tables(query))
    given = _pairs(joins)
    outer = any(j.outer for j in joins)
    if plans and _pairs(plans[0].joins) == given and not outer:
        return query
    same_tables = any(set(p.tables) == wanted for p in plans)
    if same_tables and not keep_joins and not outer and not _chosen(given, plans):
        return query
    return replace(query, joins=joins) if joins else query


def _unbridged(query: Query, tables: tuple[TableRef, ...], planner: JoinPlanner) -> tuple[TableRef, ...]:
    """The tables that the query doesn't mention, without those that the planner adds to the others."""
    used = mentioned_tables(query)
    extra = [t for t in tables if t not in used]
    for table in list(extra):
        fewer = (*used, *(t for t in extra if t != table))
        plans = planner.plans(fewer) if fewer else ()
        if plans and set(plans[0].tables) == set(tables):
            extra.remove(table)
    return tuple(extra)


def implied_joins(
    condition: Condition | None, joins: tuple[Join, ...]
) -> tuple[Condition | None, tuple[Join, ...]]:
    """Equalities of columns of two tables among the conjuncts are joins; the rest stays a condition."""
    found, rest = [], []
    linked = {frozenset((j.left.table, j.right.table)) for j in joins}
    for part in conjuncts(condition):
        match part:
            case ComparisonPredicate(left=ColumnRef() as left, operator="=", right=ColumnRef() as right) if (
                left.table != right.table and frozenset((left.table, right.table)) not in linked
            ):
                found.append(Join(left, right))
            case _:
                rest.append(part)
    return conjunction(*rest), tuple(found)


def _pairs(joins: Sequence[Join]) -> set[frozenset[ColumnRef]]:
    """The columns that joins equate, whichever side they are written on."""
    return {frozenset((j.left, j.right)) for j in joins}


def _chosen(given: set[frozenset[ColumnRef]], plans: tuple[JoinPlan, ...]) -> bool:
    """True if the joins given are one of the planner's dearer plans, so that keeping them means something."""
    return any(_pairs(p.joins) == given for p in plans[1:])
