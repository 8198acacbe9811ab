"""Faults of a query whatever its sketch: sums of words, columns that repeat the condition."""

from collections.abc import Collection
from dataclasses import replace

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Literal,
    Query,
    all_queries,
    conjuncts,
    expressions,
    mentioned_tables,
    walk,
)
from fathom.offline.queries.rows import fixed_columns
from fathom.offline.queries.to_sql import joined


def adds_up_words(query: Query, linking: Linking) -> bool:
    """True if it calculates with text that has no figures in it."""
    return any(
        isinstance(operand, ColumnRef) and ColumnKey.of(operand) in linking.wordy
        for select in all_queries(query)
        for part in expressions(select)
        for operand in _operands(part)
    )


def counts_answers(query: Query, flags: Collection[ColumnKey]) -> bool:
    """True if it counts the different values of a column that holds yes or no: that tells nothing."""
    return any(
        isinstance(e, Aggregate)
        and e.distinct
        and isinstance(e.argument, ColumnRef)
        and ColumnKey.of(e.argument) in flags
        for e in query.select
    )


def contradicts_itself(query: Query) -> bool:
    """True if no row can meet its conditions: a column is to have two values, or one and not that one.

    Nor does anyone ask for what is both among all rows and among some of them.
    """
    return any(_contradicted(part) for part in all_queries(query)) or _joins_its_own(query)


def _joins_its_own(query: Query) -> bool:
    """True if both sides of a set operation are the same, but that one restricts rows further."""
    if query.compound is None or query.compound.operator == "except":
        return False
    other = query.compound.query
    bare = [replace(q, where=None, tables=(), joins=(), compound=None) for q in (query, other)]
    tables = [{*mentioned_tables(q)} for q in (replace(query, compound=None), other)]
    conditions = [{*conjuncts(q.where)} for q in (query, other)]
    within = conditions[0] <= conditions[1] or conditions[1] <= conditions[0]
    return bare[0] == bare[1] and tables[0] == tables[1] and within


def _contradicted(query: Query) -> bool:
    values: dict[Expression, Expression | None] = {}
    tests = [
        p
        for p in conjuncts(query.where)
        if isinstance(p, ComparisonPredicate) and isinstance(p.right, Literal)
    ]
    equal = [p for p in tests if p.operator == "="]
    if any(values.setdefault(p.left, p.right) != p.right for p in equal):
        return True
    return any(p.operator == "!=" and values.get(p.left) == p.right for p in tests)


def ranks_by_words(query: Query, linking: Linking) -> bool:
    """True if it picks out extremes of text where the question doesn't speak of the alphabet."""
    if not linking.superlatives or any(t.lower.startswith("alphabet") for t in linking.tokens):
        return False
    keys = [o.key for part in all_queries(query) if part.limit is not None for o in part.order]
    extremes = [
        e.argument
        for part in all_queries(query)
        for e in expressions(part)
        if isinstance(e, Aggregate) and e.function in {"min", "max"}
    ]
    return any(isinstance(e, ColumnRef) and ColumnKey.of(e) in linking.wordy for e in (*keys, *extremes))


def shows_sought(query: Query, linking: Linking) -> bool:
    """True if it shows a number or place that the question asks for and a column holds, if there is one."""
    shown = {e for item in query.select for e in walk(item) if isinstance(e, ColumnRef)}
    return not linking.sought or any(ColumnKey.of(e) in linking.sought for e in shown)


def vacuous(query: Query) -> bool:
    """True if it shows a column that its own condition leaves only one value."""
    fixed = fixed_columns(query)
    return any(e in fixed for e in query.select)


def repeats_itself(query: Query, planner: JoinPlanner) -> bool:
    """True if it shows but what its own condition says, in itself or through joins: nobody asks for that."""
    fixed = fixed_columns(query)
    if not fixed or query.group or query.compound or query.source:
        return False
    _, joins = joined(query, planner)
    for _ in joins:
        for join in joins:
            if not fixed.isdisjoint((join.left, join.right)):
                fixed |= {join.left, join.right}
    return all(e in fixed for e in query.select)


def _operands(part: object) -> tuple[object, ...]:
    """Give the operands of a calculation; empty for other expressions."""
    match part:
        case Aggregate(function="sum" | "avg", argument=argument):
            return (argument,)
        case Arithmetic(operator=operator, left=left, right=right) if operator != "||":
            return (left, right)
    return ()
