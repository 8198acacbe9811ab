"""Formulas of a pack or of evidence put into a query: shown, or in the place of what it adds up."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Query,
    TableRef,
    comparisons,
    conjunction,
    conjuncts,
    is_aggregate,
    mentioned_tables,
    rebuilt,
    walk,
)
from fathom.records import Column
from fathom.records.schema import DATED


def with_formula(query: Query, expression: Expression, planner: JoinPlanner) -> Iterator[Query]:
    """The expression shown; conditions that it counts by are no longer filters."""
    inside = {c for e in walk(expression) for c in _tested(e)}
    kept = [p for p in conjuncts(query.where) if not set(comparisons(p)) <= inside]
    where = conjunction(*kept)
    if not is_aggregate(expression):
        plain = [e for e in query.select if isinstance(e, ColumnRef)]
        yield replace(query, select=(expression,), where=where, distinct=False)
        if plain:
            yield replace(query, select=(*plain, expression), where=where)
        return
    measures = {e for e in query.expressions if isinstance(e, Aggregate)}
    if len(measures) == 1:  # groups, order and limit stay: they are asked of the formula
        (measure,) = measures
        bare = replace(query, where=where, tables=(), joins=())
        changed = rebuilt(bare, lambda e: expression if e == measure else e)
        if (once := _added_up_once(expression, changed, planner)) is not None:
            yield once
    elif not (measures or query.group or query.order or query.having or query.limit):
        yield replace(query, select=(expression,), where=where, distinct=False, tables=())


def _added_up_once(formula: Expression, query: Query, planner: JoinPlanner) -> Query | None:
    """The query where each row that a formula is over is there once; None where others repeat it.

    Payments of an order repeat its items: a date of theirs becomes the one that all items have, if it is one.
    """
    facts = dict.fromkeys(e.table for e in walk(formula) if isinstance(e, ColumnRef))
    for fact in facts:
        if planner.one_each(fact, mentioned_tables(query)):
            return query
        always = [ref for ref, column in _dates(fact, planner).items() if not column.nullable]
        changed = _dated(query, always[0], planner) if len(always) == 1 else query
        if planner.one_each(fact, mentioned_tables(changed)):
            return changed
    return None


def _dates(fact: TableRef, planner: JoinPlanner) -> Mapping[ColumnRef, Column]:
    """The dates of the rows of a table and of those that they refer to."""
    near = [fact, *(TableRef(edge.right) for edge in planner.neighbours(fact.name))]
    return {
        ColumnRef(table, column.name): column
        for table in near
        if planner.one_each(fact, tuple(dict.fromkeys((fact, table))))
        for column in planner.schema.table(table.name).columns
        if column.kind in DATED
    }


def _dated(query: Query, date: ColumnRef, planner: JoinPlanner) -> Query:
    """The query with one date in the place of every other."""
    changed: Query = rebuilt(query, lambda e: date if _is_date(e, planner) else e)
    return changed


def _is_date(part: object, planner: JoinPlanner) -> bool:
    if not isinstance(part, ColumnRef):
        return False
    return planner.schema.table(part.table.name).column(part.name).kind in DATED


def _tested(expression: Expression) -> Iterator[ComparisonPredicate]:
    if isinstance(expression, CaseWhen):
        yield from comparisons(expression.condition)
