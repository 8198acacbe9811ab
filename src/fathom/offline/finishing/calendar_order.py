"""Orders months and days of the week that are held by name as the calendar does, not as the alphabet."""

from collections.abc import Mapping
from dataclasses import replace

from fathom.offline.linking.wordlists import MONTHS, WEEKDAYS
from fathom.offline.queries.query import ColumnRef, Expression, FunctionCall, Literal, OrderKey, Query
from fathom.records import TableProfile

_SHORT = 3
"""Letters that tell months from each other, and days of the week."""
_MONTHS = tuple(name[:_SHORT] for name in MONTHS if len(name) > _SHORT or name == "may")
_DAYS = tuple(name[:_SHORT] for name in (*WEEKDAYS[1:], WEEKDAYS[0]))


def in_calendar_order(query: Query, profiles: Mapping[str, TableProfile]) -> Query:
    """The query whose rows come from January on, or from Monday on, where it orders by such names.

    Where rows are given once each, what they are ordered by has to be shown as it is.
    """
    if query.distinct or query.compound is not None:
        return query
    order = tuple(replace(o, key=_of_calendar(o, profiles)) for o in query.order)
    return replace(query, order=order) if order != query.order else query


def _of_calendar(ordering: OrderKey, profiles: Mapping[str, TableProfile]) -> Expression:
    key = ordering.key
    if not isinstance(key, ColumnRef):
        return key
    profile = profiles.get(key.table.name)
    seen = profile.columns.get(key.name) if profile is not None else None
    held = {str(v).strip().casefold() for v, _ in seen.common if v is not None} if seen else set()
    for names, whole in ((_MONTHS, set(MONTHS)), (_DAYS, set(WEEKDAYS))):
        if held and all(v in whole or (len(v) == _SHORT and v in names) for v in held):
            short = FunctionCall("lower", (FunctionCall("substr", (key, Literal(1), Literal(_SHORT))),))
            return FunctionCall("instr", (Literal("".join(names)), short))
    return key
