"""Shows names for keys: "which territories does Nancy cover" asks for no numbers of territories."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.checks.account import names_table
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import PERSONS_ASKED
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import ColumnRef, Join, Query, Unrepresentable, mentioned_tables
from fathom.offline.queries.rows import CODES, RowNames, names_key
from fathom.offline.queries.to_sql import joined


def shown_by_names(query: Query, linking: Linking, names: RowNames, planner: JoinPlanner) -> Query:
    """The query with names for the key of other rows that it shows alone, and that nobody asked for.

    Rows whose name most of them share are shown by their own key.
    """
    match query.select:
        case (ColumnRef() as shown,) if not (query.group or query.having or query.compound or query.source):
            pass
        case _:
            return query
    target = names.target_of(shown)
    if target is None:
        return query if names_key(linking, shown) else _by_own_key(query, shown, linking, names)
    called = names.called(target.table)
    here = {t.name for t in mentioned_tables(query)}
    known = target in called or target.table.name in here
    if not called or known or not _asks_for(target.table.name, shown, linking):
        return query
    try:
        joins = joined(query, planner)[1]
    except Unrepresentable:
        return query
    if any(target.table in (j.left.table, j.right.table) for j in joins):
        return query
    return replace(query, select=called, joins=(*joins, Join(shown, target)), tables=(shown.table,))


def _asks_for(table: str, key: ColumnRef, linking: Linking) -> bool:
    """True if a question asks who, or names the rows of a table and no key."""
    if linking.tokens[0].lower in PERSONS_ASKED:
        return not any(t.lower in CODES for t in linking.tokens)
    named = any(m.table == table and names_table(linking, m) for m in linking.table_mentions)
    return named and not names_key(linking, key)


def _by_own_key(query: Query, shown: ColumnRef, linking: Linking, names: RowNames) -> Query:
    """The query with its rows' key for what only may be their name, and is none, unless it is asked for."""
    key = names.key_of(shown.table)
    said = name_stems(shown.name)[-1:]
    unnamed = ColumnKey.of(shown) in linking.called and not names.of_table(shown.table)
    if not unnamed or not key or query.distinct or any(t.stem in said for t in linking.tokens):
        return query
    return replace(query, select=key)


def named_among(queries: Sequence[Query], best: Query, named: Query, planner: JoinPlanner) -> int | None:
    """The first of some queries that is the best one but for showing names where that shows a key."""
    whole, link = replace(best, tables=(), joins=()), named.joins[-1:]
    for place, query in enumerate(queries):
        same = replace(query, select=best.select, distinct=best.distinct, tables=(), joins=())
        if query.select == named.select and same == whole and _joined_by(query, link, planner):
            return place
    return None


def _joined_by(query: Query, link: tuple[Join, ...], planner: JoinPlanner) -> bool:
    """True if a query joins by a key."""
    try:
        joins = {frozenset((j.left, j.right)) for j in joined(query, planner)[1]}
    except Unrepresentable:
        return False
    return all(frozenset((j.left, j.right)) in joins for j in link)
