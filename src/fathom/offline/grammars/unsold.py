"""Keeps what was never sold among the least sold: things without any line of an order come first of all."""

from collections.abc import Sequence

from fathom.offline.queries.joins import JoinPlan
from fathom.offline.queries.query import Aggregate, Expression, FunctionCall, Join, Literal, TableRef


def from_things(plan: JoinPlan, things: TableRef, fact: TableRef) -> tuple[Join, ...] | None:
    """The joins of a plan from some things on, each kept where the next table has none; None if it forks.

    They lead to the table of facts, one after the other.
    """
    left, here, found = list(plan.joins), things, list[Join]()
    while left:
        steps = [j for j in left if here in (j.left.table, j.right.table)]
        if len(steps) != 1:
            return None
        left.remove(steps[0])
        one, other = steps[0].left, steps[0].right
        if one.table != here:
            one, other = other, one
        found.append(Join(one, other, outer=True))
        here = other.table
    return tuple(found) if here == fact else None


def with_none(value: Expression, joins: Sequence[Join]) -> Expression:
    """Make the count or sum of rows at the end of such joins 0 where there are none; itself without joins."""
    match value:
        case Aggregate("sum") if joins:
            return FunctionCall("coalesce", (value, Literal(0)))
        case Aggregate("count", distinct=distinct) if joins:
            return Aggregate("count", joins[-1].right, distinct)
    return value
