"""Shares and ratios ("what percentage of ... are", "the ratio of ... to") made of likely plain queries.

Training data hold almost none of them, so that no sketch is learned; their grammar is small enough to write.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fathom.offline.candidates import Proposal
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.query import (
    Aggregate,
    Arithmetic,
    Call,
    Case,
    Column,
    Comparison,
    Condition,
    Expression,
    Literal,
    Query,
    Star,
    TableRef,
    comparisons,
    conjunction,
    mentioned_tables,
)
from fathom.records.schema import Schema

_SHARE = re.compile(r"\b(ratio|proportion|fraction|share)\b", re.IGNORECASE)
_PERCENT = re.compile(r"\bper ?cent(age)?s?\b|%", re.IGNORECASE)
_NAMED = 0.4
BASES = 15
GAIN = 3.0
LATER = 0.4


def asks_ratio(linking: Linking) -> tuple[int, float] | None:
    """The place of the word and 100 where the question asks for a percentage, 1 for a ratio.

    Words that name a column ask for that column.
    """
    for place, token in enumerate(linking.tokens):
        share, percent = _SHARE.fullmatch(token.lower), _PERCENT.fullmatch(token.lower)
        if (share or percent) and not token.evidence and not token.quoted:
            if linking.alignment[:, place].max(initial=0) >= _NAMED:
                return None
            if place and linking.tokens[place - 1].kind == "number":
                continue
            return place, 1.0 if share else 100.0
    return None


def ratios(linking: Linking, proposals: Iterable[Proposal], schema: Schema) -> Iterator[Proposal]:
    """Ratios made of the conditions of likely queries, and of two columns that the question names."""
    asked = asks_ratio(linking)
    if asked is None:
        return
    place, factor = asked
    best: float | None = None
    seen: set[Query] = set()
    for rank, proposal in enumerate(proposals):
        best = proposal.score if best is None else best
        if rank >= BASES:
            break
        for later, query in enumerate(_of_conditions(proposal.query, factor, _places(linking, place))):
            if query not in seen:
                seen.add(query)
                score = best + GAIN - LATER * (rank + later)
                yield replace(proposal, query=query, score=score, source="ratio")
    for later, query in enumerate(_of_columns(linking, schema, factor)):
        yield Proposal(query, (best or 0.0) + GAIN - LATER * (1 + later), 0.0, 0.0, source="ratio")


def _places(linking: Linking, asked: int) -> dict[str, int]:
    """By value, how far after the word "percentage" it is named; those before it come last."""
    found: dict[str, int] = {}
    for value in linking.values:
        gap = value.span.first - asked
        where = gap if gap > 0 else 1000 + value.span.first
        key = str(value.value).casefold()
        found[key] = min(found.get(key, 5000), where)
    return found


def _of_conditions(query: Query, factor: float, places: Mapping[str, int]) -> Iterator[Query]:
    """The share of one condition among the rows of the others, and of one kind against another."""
    where = query.where
    if where is None or query.compound or query.source or query.having or query.joins:
        return
    both_kinds = not isinstance(where, Comparison)
    conditions = list(where.parts) if both_kinds else [where]  # type: ignore[union-attr]
    conditions.sort(key=lambda c: _place(c, places))
    group = () if query.limit else query.group
    plain = Query((), tables=mentioned_tables(query), group=group)
    first = conditions[0]
    for two in conditions[1:]:
        if _same_column(first, two):
            rest = [c for c in conditions if c not in (first, two)]
            quotient = _quotient(_counted(first), _counted(two), factor)
            yield replace(plain, select=(*group, quotient), where=conjunction(*rest))
    if both_kinds and where.kind == "or":  # type: ignore[union-attr]
        return
    for one in conditions:
        others = [c for c in conditions if c != one]
        quotient = _quotient(_counted(one), Aggregate("count", Star()), factor)
        yield replace(plain, select=(*group, quotient), where=conjunction(*others))


def _place(condition: Condition, places: Mapping[str, int]) -> int:
    values = [c.right.value for c in comparisons(condition) if isinstance(c.right, Literal)]
    return min((places.get(str(v).casefold().strip("%"), 5000) for v in values), default=5000)


def _of_columns(linking: Linking, schema: Schema, factor: float) -> Iterator[Query]:
    """One named number over another, row by row, and of their sums."""
    numbers = {
        ColumnKey(t.name, c.name)
        for t in schema.tables
        for c in t.columns
        if c.kind in {"integer", "number"} and c.name not in t.primary_key
    }
    named = {m.column: m.span for m in linking.column_mentions if m.score >= 0.6 and m.column in numbers}
    pairs = [(a, b) for a in named for b in named if named[a].end <= named[b].first]
    pairs.sort(key=lambda p: -linking.table_score(p[0].table) - linking.table_score(p[1].table))
    keys = tuple(_column(c) for c in linking.columns if linking.score(c, "select") >= 0.5 and c not in named)
    for one, two in pairs[:3]:
        top, bottom = _column(one), _column(two)
        yield Query((*keys, _quotient(top, bottom, factor)))
        yield Query((_quotient(Aggregate("sum", top), Aggregate("sum", bottom), factor),))


def _column(key: ColumnKey) -> Column:
    return Column(TableRef(key.table), key.column)


def _counted(condition: Condition) -> Expression:
    return Aggregate("sum", Case(condition, Literal(1), Literal(0)))


def _quotient(top: Expression, bottom: Expression, factor: float) -> Expression:
    real = Call("cast", (top, Literal("REAL")))
    scaled = Arithmetic("*", real, Literal(int(factor))) if factor != 1 else real
    return Arithmetic("/", scaled, Call("nullif", (bottom, Literal(0))))


def _same_column(one: Condition, two: Condition) -> bool:
    return isinstance(one, Comparison) and isinstance(two, Comparison) and one.left == two.left
