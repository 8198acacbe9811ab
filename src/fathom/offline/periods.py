"""Groups by a part of a date ("sales by year", "in which month ..."), made of likely plain queries.

Training data keep years in columns of their own, so that no sketch is learned. `strftime` is SQLite's; the
renderer translates it for the other engines.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fathom.offline.candidates import Proposal
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.query import (
    Aggregate,
    Call,
    Column,
    Expression,
    Literal,
    Ordering,
    Query,
    TableRef,
    mentioned_tables,
)
from fathom.records.profile import TableProfile
from fathom.records.schema import Schema

_FORMATS = {"year": "%Y", "month": "%Y-%m"}
_ADVERBS = {"yearly": "year", "annual": "year", "annually": "year", "monthly": "month"}
PERIOD_WORDS = frozenset((*_FORMATS, *(f"{u}s" for u in _FORMATS), *_ADVERBS))
_EACH = frozenset(("per", "by", "each", "every"))
_WHICH = frozenset(("which", "what"))
_ISO = "%Y-%m-%d"
_NAMED = 0.5
BASES = 25
OTHER_DATE = 0.5


def asked_period(linking: Linking) -> tuple[str, bool] | None:
    """The format of the period that a question groups by, and whether it asks which one is extreme.

    None also where a column goes by the period's name: then that one is meant.
    """
    for place, token in enumerate(linking.tokens):
        before = linking.tokens[place - 1].lower if place else ""
        unit = _ADVERBS.get(token.lower)
        if before in _EACH | _WHICH:
            unit = unit or next((u for u in _FORMATS if token.lower in {u, f"{u}s"}), None)
        if unit is None or token.evidence:
            continue
        which = before in _WHICH
        if which and not linking.superlatives:
            continue
        named = linking.alignment[:, place].max(initial=0) >= _NAMED
        return None if named else (_FORMATS[unit], which)
    return None


def periods(
    linking: Linking, proposals: Iterable[Proposal], schema: Schema, profiles: Mapping[str, TableProfile]
) -> Iterator[Proposal]:
    """The likeliest proposals grouped by the period that the question asks for, where it asks for one."""
    asked = asked_period(linking)
    dated = _dated(schema, profiles) if asked else frozenset[ColumnKey]()
    if asked is None or not dated:
        return
    form, which = asked
    for base in list(proposals)[:BASES]:
        tables = [t.name for t in mentioned_tables(base.query)]
        near = sorted(
            (c for c in linking.columns if c in dated and c.table in tables),
            key=lambda c: -max(linking.score(c, "group"), linking.score(c, "select")),
        )
        for rank, key in enumerate(near):
            column = Column(TableRef(key.table), key.column)
            part = Call("strftime", (Literal(form), column))
            query = _by(base.query, column, part, linking, which=which)
            if query is not None:
                yield replace(base, query=query, score=base.score - OTHER_DATE * rank, source="period")


def _dated(schema: Schema, profiles: Mapping[str, TableProfile]) -> frozenset[ColumnKey]:
    """The columns of dates; those kept as text only where they begin with the year, as engines read them."""
    found = set()
    for table in schema.tables:
        seen = profiles[table.name].columns if table.name in profiles else {}
        for column in table.columns:
            pattern = seen[column.name].pattern if column.name in seen else None
            is_date = column.kind in {"date", "datetime"}
            if (pattern or "").startswith(_ISO) or (is_date and not pattern):
                found.add(ColumnKey(table.name, column.name))
    return frozenset(found)


def _by(query: Query, column: Column, part: Call, linking: Linking, *, which: bool) -> Query | None:
    """The query grouped by a part of a date; None where it has no place for that."""
    if query.compound is not None or query.source is not None:
        return None
    if query.group == (column,):
        return replace(query, select=_exchanged(query.select, column, part), group=(part,))
    match query:
        case Query(select=(Aggregate() as total,), group=(), having=None, order=(), limit=None):
            if not which:
                return replace(query, select=(part, total), group=(part,))
            order = (Ordering(total, linking.superlatives[0].direction == "desc"),)
            return replace(query, select=(part,), group=(part,), order=order, limit=1)
    return None


def _exchanged(items: tuple[Expression, ...], column: Column, part: Call) -> tuple[Expression, ...]:
    return tuple(part if item == column else item for item in items)
