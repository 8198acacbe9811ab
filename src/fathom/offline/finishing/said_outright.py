"""Mends what a chosen query has otherwise than its question says outright: an order, a column too many."""

from collections.abc import Collection
from dataclasses import replace

from fathom.offline.checks.extra_columns import unasked_names
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import stem
from fathom.offline.queries.query import Aggregate, ColumnRef, OrderKey, Query, mentioned_tables

_WAYS = {"descending": True, "desc": True, "reverse": True, "ascending": False, "asc": False}
_SORTED = frozenset(map(stem, ("sort", "sorted", "order", "ordered", "rank", "ranked")))
_BY = frozenset(("by", "of", "on"))
_ARTICLES = frozenset("the a an their its his her".split())


def as_said(query: Query, linking: Linking, told: Collection[ColumnRef] = ()) -> Query:
    """The query ordered as its question says, without what it shows for the order alone.

    "In descending alphabetical order" is learned as alphabetical. "Ordered by the number of cities" shows no
    number, and whoever asks for last names gets no first names, unless evidence told to show these columns.
    """
    ways = {_WAYS[t.lower] for t in linking.tokens if t.lower in _WAYS and not t.evidence}
    if len(query.order) == 1 and query.limit is None:
        query = replace(query, order=(_order(query, linking),))
        if len(ways) == 1:
            query = replace(query, order=(replace(query.order[0], descending=ways.pop()),))
        query = _without_order_shown(query, linking)
    unasked = unasked_names(query, linking).difference(told)
    ordered = {o.key for o in query.order} | {*query.group}
    kept = tuple(e for e in query.select if e not in unasked or e in ordered)
    plain = all(isinstance(e, ColumnRef) for e in query.select) and query.compound is None
    return replace(query, select=kept) if plain and kept != query.select else query


def _order(query: Query, linking: Linking) -> OrderKey:
    """The order of a query, by the one column of its tables that is named right behind "order by"."""
    (order,) = query.order
    tables = {t.name: t for t in mentioned_tables(query)}
    said = _said_of_order(linking)
    counted = isinstance(order.key, Aggregate) and order.key not in query.select and not linking.quantities
    plain = isinstance(order.key, ColumnRef) and not query.group
    grouped = isinstance(order.key, Aggregate) and bool(query.group)
    if said is None or not (plain or counted or grouped) or query.compound is not None:
        return order
    behind = [m for m in linking.column_mentions if m.span.end > said and m.whole]
    first = [m.column for m in behind if m.span.first == said and m.column.table in tables]
    if len(first) != 1 or (
        isinstance(order.key, ColumnRef) and ColumnKey.of(order.key) in {m.column for m in behind}
    ):
        return order
    key = ColumnRef(tables[first[0].table], first[0].column)
    if query.group and key not in query.group:
        return order
    return replace(order, key=key) if plain or counted else OrderKey(key)


def _without_order_shown(query: Query, linking: Linking) -> Query:
    """The query without the number that it orders by, where the question names it for the order alone."""
    key, said = query.order[0].key, _said_of_order(linking)
    alone = len(linking.quantities) == 1 and said in range(*linking.quantities[0].span)
    if not isinstance(key, Aggregate) or key not in query.select or not alone:
        return query
    kept = tuple(e for e in query.select if e != key)
    return replace(query, select=kept) if kept else query


def _said_of_order(linking: Linking) -> int | None:
    """The place of what a question orders by, behind "sorted by the" or "in descending order of"."""
    words = [t.lower for t in linking.tokens]
    sorting = (i for i, t in enumerate(linking.tokens) if t.stem in _SORTED and words[i + 1 : i + 2])
    place = next((i + 2 for i in sorting if words[i + 1] in _BY), len(words))
    while place < len(words) and words[place] in _ARTICLES:
        place += 1
    return place if place < len(words) else None
