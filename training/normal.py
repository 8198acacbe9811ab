"""One way to write what can be written in several: what makes sketches few."""

from dataclasses import replace

from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Compound,
    Condition,
    Connective,
    Expression,
    Query,
    Star,
    Subquery,
    TableRef,
    Unrepresentable,
    mentioned_tables,
)
from fathom.offline.queries.to_sql import joined


def normalise(query: Query, planner: JoinPlanner) -> Query:
    """The query with counted columns as `count(*)`, groups by the key of what is shown, bridges left out.

    The result is the same but for nulls in counted columns.
    """
    try:
        tables = joined(query, planner)[0] if query.source is None else ()
    except Unrepresentable:
        tables = mentioned_tables(query)
    changed = replace(
        query,
        select=tuple(_expression(e, planner) for e in query.select),
        where=_condition(query.where, planner),
        having=_condition(query.having, planner),
        group=tuple(dict.fromkeys(_group(g, query, planner) for g in query.group)),
        order=tuple(replace(o, key=_expression(o.key, planner)) for o in query.order),
        source=None if query.source is None else normalise(query.source, planner),
    )
    if query.compound is not None:
        inner = normalise(query.compound.query, planner)
        changed = replace(changed, compound=Compound(query.compound.operator, inner))
    return cover(changed, tables, planner)


def cover(query: Query, tables: tuple[TableRef, ...], planner: JoinPlanner) -> Query:
    """The query over exactly these tables: those that no column names and no join passes become `tables`."""
    named = mentioned_tables(replace(query, tables=()))
    extra = [t for t in tables if t not in named]
    if len(tables) < 2 and named:
        return replace(query, tables=())
    wanted = set(tables)
    for table in list(extra):
        fewer = (*named, *(t for t in extra if t != table))
        plans = planner.plans(fewer) if fewer else ()
        if plans and set(plans[0].tables) == wanted:
            extra.remove(table)
    return replace(query, tables=tuple(extra))


def _expression(expression: Expression, planner: JoinPlanner) -> Expression:
    match expression:
        case Aggregate(function="count", argument=ColumnRef(), distinct=False):
            return Aggregate("count", Star())
        case Subquery(query=query):
            return Subquery(normalise(query, planner))
    return expression


def _condition(condition: Condition | None, planner: JoinPlanner) -> Condition | None:
    if isinstance(condition, Connective):
        parts = (_condition(p, planner) for p in condition.parts)
        return Connective(condition.kind, tuple(p for p in parts if p is not None))
    if condition is None:
        return None
    right = None if condition.right is None else _expression(condition.right, planner)
    return ComparisonPredicate(_expression(condition.left, planner), condition.operator, right)


def _group(expression: Expression, query: Query, planner: JoinPlanner) -> Expression:
    """The key of the table of a column that is shown, for a group by a reference to that key."""
    if not isinstance(expression, ColumnRef) or expression in query.select:
        return expression
    for item in query.select:
        if isinstance(item, ColumnRef) and refers(expression, item.table, planner):
            (key,) = planner.schema.table(item.table.name).primary_key
            return ColumnRef(item.table, key)
    return expression


def refers(column: ColumnRef, table: TableRef, planner: JoinPlanner) -> bool:
    """True if the column is the table's key, or a reference to it."""
    key = planner.schema.table(table.name).primary_key
    if column.table == table:
        return key == (column.name,)
    return len(key) == 1 and any(
        edge.right == table.name and edge.pairs == ((column.name, key[0]),)
        for edge in planner.neighbours(column.table.name)
    )
