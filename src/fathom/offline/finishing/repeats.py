"""Lists each thing once: "jazz albums" are albums, however many jazz tracks each of them holds."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Query,
    Subquery,
    TableRef,
    mentioned_tables,
    restricted,
)
from fathom.offline.queries.rows import RowNames
from fathom.records import TableProfile

_AMONG = {"intersect": "in", "except": "not in"}


def without_repeats(
    query: Query, planner: JoinPlanner, names: RowNames, profiles: Mapping[str, TableProfile]
) -> Query:
    """The query with each row of the one table that it lists given once, where a join repeats it.

    A table is listed where only columns of it are shown, all those among them that name its rows. Rows of the
    same name stay apart by the table's key, where it has one of one column and a name may stand for several.
    """
    table = _listed(query, names)
    if table is None or planner.one_each(table, mentioned_tables(query)):
        return query
    key = planner.schema.table(table.name).primary_key
    if len(key) != 1 or _names_differ(names.of_table(table), profiles):
        return replace(query, distinct=True)
    return replace(query, group=tuple(dict.fromkeys((ColumnRef(table, key[0]), *query.select))))


def kept_apart(
    query: Query, planner: JoinPlanner, names: RowNames, profiles: Mapping[str, TableProfile]
) -> Query:
    """The query with rows told apart by their key where it keeps or leaves out what another one names.

    Of two authors of one name, one may have published here and the other there.
    """
    compound = query.compound
    if compound is None or compound.operator not in _AMONG:
        return query
    other = compound.query
    table = _listed(replace(query, compound=None), names)
    key = planner.schema.table(table.name).primary_key if table is not None else ()
    plain = other == Query(other.select, where=other.where, tables=other.tables)
    called = names.of_table(table) if table is not None else ()
    if table is None or not plain or len(key) != 1 or not query.select == other.select == called:
        return query
    if _names_differ(called, profiles):
        return query
    own = ColumnRef(table, key[0])
    among = ComparisonPredicate(own, _AMONG[compound.operator], Subquery(replace(other, select=(own,))))
    return restricted(replace(query, compound=None), among)


def _listed(query: Query, names: RowNames) -> TableRef | None:
    """The table whose rows a query lists over a join, if it does nothing else with them."""
    whole = query.distinct or query.group or query.having or query.compound or query.source or query.joins
    if whole or query.limit is not None or not {o.key for o in query.order} <= set(query.select):
        return None
    shown = {e.table for e in query.select if isinstance(e, ColumnRef)}
    if len(shown) != 1 or not all(isinstance(e, ColumnRef) for e in query.select):
        return None
    table = shown.pop()
    own = names.of_table(table)
    return table if own and set(own) <= set(query.select) else None


def _names_differ(names: tuple[ColumnRef, ...], profiles: Mapping[str, TableProfile]) -> bool:
    """True if a part of the names is known to be another in each row."""
    seen = (profiles[c.table.name].columns.get(c.name) for c in names if c.table.name in profiles)
    return any(p is not None and p.exact and p.distinct == p.rows_seen for p in seen)
