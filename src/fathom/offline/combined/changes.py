"""How a number changes from one period to the next, and what it comes to up to each: "month over month change
in revenue", "cumulative revenue by month".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.records import Combined, Composition, change, difference
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import COUNTS
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    FunctionCall,
    OrderKey,
    Over,
    Query,
    walk,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_UNIT = r"(?P<unit>year|quarter|month|week|day)"
_ADVERBS = {"yearly": "year", "annual": "year", "quarterly": "quarter", "monthly": "month", "weekly": "week",
            "daily": "day"}  # fmt: skip
_SHARE = r"(?P<share>percentage|per\s?cent|percent|%|relative)"
_CHANGE = r"(?:change|growth|difference|increase|decrease|development)s?(?P<rate>\s+rates?)?"
_ASK = (
    r"(?:what\s+(?:is|was|were|are)\s+|show\s+|give\s+|calculate\s+|compute\s+|list\s+)?(?:me\s+)?"
    r"(?:the\s+)?(?:our\s+)?"
)
_NEXT = rf"{_UNIT}(?:[\s-]+(?:over|on|to|by)[\s-]+(?P=unit)|\s+to\s+the\s+next)"
_E = r"[\s?.!]*$"
_PATTERNS = tuple(
    Pattern(p, _I)
    for p in (
        rf"{_ASK}{_NEXT}\s+(?:{_SHARE}\s+)?{_CHANGE}\s+(?:in|of)\s+(?P<what>.+?){_E}",
        rf"{_ASK}(?P<adverb>{'|'.join(_ADVERBS)})\s+(?:{_SHARE}\s+)?{_CHANGE}\s+(?:in|of)\s+(?P<what>.+?){_E}",
        rf"{_ASK}(?:{_SHARE}\s+)?{_CHANGE}\s+(?:in|of)\s+(?P<what>.+?)\s+(?:from\s+)?(?:one\s+)?{_NEXT}{_E}",
        rf"how\s+(?:did|do|does|has|have)\s+(?P<what>.+?)\s+(?:change|develop|evolve|grow|vary)[a-z]*\s+(?:from\s+)?"
        rf"(?:one\s+)?{_NEXT}{_E}",
        rf"by\s+(?:how\s+much|what\s+{_SHARE})\s+(?:did|do|does|has|have)\s+(?P<what>.+?)\s+"
        rf"(?:change|grow|increase|rise)[a-z]*\s+(?:from\s+)?(?:one\s+)?{_NEXT}{_E}",
        rf"{_ASK}(?P<what>.+?)\s+(?:by|per|(?:for|in|of)?\s*(?:each|every))\s+{_UNIT},?\s+(?:and|with|along\s+with)\s+"
        rf"(?:the|its|their)\s+(?:{_SHARE}\s+)?{_CHANGE}\s+(?:compared\s+(?:to|with)|versus|vs\.?|from|over|on)\s+the\s+"
        rf"(?:(?:previous|prior|preceding|last)\s+(?:one|(?P=unit))|one\s+before|(?P=unit)\s+before){_E}",
    )
)
_UP_TO = Pattern(
    r"\b(?:cumulative|cumulated|accumulated)\s+(?:(?P<kind>total|sum|number|count)\s+(?:of\s+)?)?(?:the\s+)?|"
    r"\brunning\s+(?P<running>total|sum|number|count)\s+(?:of\s+)?(?:the\s+)?",
    _I,
)
_TIMES = frozenset(map(stem, ("year", "date", "day")))


def changes(text: str) -> Iterator[Composition]:
    """The number for each period, of which a question asks how it differs from the one before, or what it
    comes to up to then.
    """
    if found := _UP_TO.search(text):
        kind = (found["kind"] or found["running"] or "").lower()
        for number in ("number of ",) if kind in COUNTS else ("total ",) if kind else ("total ", ""):
            yield Composition((f"{text[: found.start()]}{number}{text[found.end() :]}",), _up_to)
        return
    for pattern in _PATTERNS:
        if found := pattern.match(text):
            said = found.groupdict()
            unit = said.get("unit") or _ADVERBS[said["adverb"].lower()]
            what = re.sub(r"^(?:the|our)\s+", "", said["what"], flags=_I)
            form = change if said.get("share") or said.get("rate") else difference
            question = f"What is the {what} for each {unit.lower()}?"
            yield Composition((question,), partial(_beside_before, form is change))
            return


def _beside_before(in_per_cent: bool, queries: Sequence[Query]) -> Combined | None:
    """A number for each period, and how it differs from that of the period before."""
    found = _by_period(queries)
    if found is None:
        return None
    query, period, total = found
    before = Over(FunctionCall("lag", (total,)), by=OrderKey(period))
    new = change(total, before) if in_per_cent else difference(total, before)
    told = Assumption(
        "default", "Periods without any rows are left out; the one before is that listed before."
    )
    return replace(query, select=(period, total, new), order=(OrderKey(period),)), told


def _up_to(queries: Sequence[Query]) -> Combined | None:
    """Build a running total: a number for each period, summed from the first period on."""
    found = _by_period(queries)
    match found:
        case query, period, Aggregate("sum" | "count", distinct=False) as total if _is_time(period):
            so_far = Over(Aggregate("sum", total), by=OrderKey(period))
            told = Assumption("default", "Each number is the total from the first of these periods on.")
            return replace(query, select=(period, so_far), order=(OrderKey(period),)), told
    return None


def _is_time(period: Expression) -> bool:
    """True if groups by an expression follow one another: parts of dates, columns of years or dates."""
    return not isinstance(period, ColumnRef) or bool(_TIMES.intersection(name_stems(period.name)))


def _by_period(queries: Sequence[Query]) -> tuple[Query, Expression, Expression] | None:
    """A query of one number for each period, the period, and the number."""
    (query,) = queries
    totals = [e for e in query.select if any(isinstance(x, Aggregate) for x in walk(e))]
    if len(totals) != 1 or len(query.group) != 1 or query.limit is not None or query.compound is not None:
        return None
    period = query.group[0]
    return (query, period, totals[0]) if period in query.select else None
