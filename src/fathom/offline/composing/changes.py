"""How a number changes from one period to the next: "month over month change in revenue"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.composing.records import Combined, Composition, change, difference
from fathom.offline.queries.query import Aggregate, Ordering, Previous, Query, walk
from fathom.records import Assumption

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
    re.compile(p, _I)
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


def changes(text: str) -> Iterator[Composition]:
    """The number for each period, of which a question asks how it differs from the one before."""
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
    (query,) = queries
    totals = [e for e in query.select if any(isinstance(x, Aggregate) for x in walk(e))]
    if len(totals) != 1 or len(query.group) != 1 or query.limit is not None or query.compound is not None:
        return None
    period, total = query.group[0], totals[0]
    if period not in query.select:
        return None
    before = Previous(total, period)
    new = change(total, before) if in_per_cent else difference(total, before)
    told = Assumption(
        "default", "Periods without any rows are left out; the one before is that listed before."
    )
    return replace(query, select=(period, total, new), order=(Ordering(period),)), told
