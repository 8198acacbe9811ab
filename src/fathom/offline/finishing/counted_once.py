"""Counts each thing once: "how many customers live in Poland" counts no second address of theirs."""

from dataclasses import replace

from fathom.offline.checks.counted_things import counted_head
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, ColumnRef, Query, Star, TableRef, mentioned_tables


def counted_once(query: Query, linking: Linking, planner: JoinPlanner) -> Query:
    """The query with the rows of the table that its question counts told apart by their key, where a join
    repeats them, or where it counts rows of another table that only refer to them.
    """
    head = counted_head(linking)
    plain = not (query.group or query.having or query.compound or query.source or query.joins)
    if head is None or query.select != (Aggregate("count", Star()),) or not plain:
        return query
    named = [t for t in linking.tables if linking.names_wholly(t, head)]
    key = _key(TableRef(named[0]), mentioned_tables(query), planner) if len(named) == 1 else None
    return query if key is None else replace(query, select=(Aggregate("count", key, distinct=True),))


def _key(counted: TableRef, tables: tuple[TableRef, ...], planner: JoinPlanner) -> ColumnRef | None:
    """The column that tells counted rows apart among joined tables; None where rows of a join already do."""
    if counted in tables:
        own = planner.schema.table(counted.name).primary_key
        return None if len(own) != 1 or planner.one_each(counted, tables) else ColumnRef(counted, own[0])
    for table in tables:
        if (column := _reference(table, counted, planner)) is not None:
            alone = planner.schema.table(table.name).primary_key == (column.name,)
            return None if alone and planner.one_each(table, tables) else column
    return None


def _reference(table: TableRef, counted: TableRef, planner: JoinPlanner) -> ColumnRef | None:
    """The column by which each row of a table refers to one of those counted, where one join does."""
    if not planner.one_each(table, (table, counted)):
        return None
    joins = planner.plans((table, counted))[0].joins
    sides = [side for join in joins for side in (join.left, join.right) if side.table == table]
    return sides[0] if len(joins) == 1 and len(sides) == 1 else None
