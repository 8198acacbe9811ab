"""Mends what a chosen query has otherwise than its question says outright: a direction, a column too many."""

from dataclasses import replace

from fathom.offline.checks.unasked import unasked_names
from fathom.offline.linking import Linking
from fathom.offline.queries.query import Column, Query

_WAYS = {"descending": True, "desc": True, "ascending": False, "asc": False}


def as_said(query: Query, linking: Linking) -> Query:
    """The query in the direction that its question names, without first names where it asks for last ones.

    "In descending alphabetical order" is learned as alphabetical.
    """
    ways = {_WAYS[t.lower] for t in linking.tokens if t.lower in _WAYS and not t.evidence}
    if len(query.order) == 1 and len(ways) == 1 and query.limit is None:
        query = replace(query, order=(replace(query.order[0], descending=ways.pop()),))
    unasked = unasked_names(query, linking)
    ordered = {o.key for o in query.order} | {*query.group}
    kept = tuple(e for e in query.select if e not in unasked or e in ordered)
    plain = all(isinstance(e, Column) for e in query.select) and query.compound is None
    return replace(query, select=kept) if plain and kept != query.select else query
