"""The time between the first and the last of several rows, "days between the first and latest order of each
customer", and since the last one: "how many days has it been since the last order"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.records import Combined, Composition
from fathom.offline.grammars.calendars import days_between, today
from fathom.offline.queries.query import Aggregate, Arithmetic, ColumnRef, Literal, Query
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_FIRST = r"(?:the\s+|its\s+|their\s+)?(?:very\s+)?(?:first|earliest|oldest)"
_LAST = r"(?:the\s+|its\s+|their\s+)?(?:last|latest|most\s+recent|newest)"
_BOTH = Pattern(
    r".*?\b(?P<unit>days|weeks|time)\s+(?:(?:do|did|does|is|are|was|were|lie|lies|lay|there|pass|passed|have|has|go)"
    rf"\s+)*between\s+(?:(?P<whose>(?:each|every)\s+\w+)['\u2019]s\s+)?{_FIRST}\s+and\s+{_LAST}\s+(?P<rows>.+?)[\s?.!]*$",
    _I,
)
_SINCE = Pattern(
    r"(?:how\s+(?:many\s+(?P<unit>days|weeks)|long)|(?P<only>days|weeks))\s+"
    r"(?:(?:has|have)\s+(?:it\s+been|passed)|is\s+it|passed)?,?\s*(?:in\s+(?P<asked>days|weeks),?\s*)?"
    rf"since\s+{_LAST}\s+(?P<rows>.+?)[\s?.!]*$",
    _I,
)
_SAID_BEFORE = Pattern(r"(?:for|of)\s+(?P<whose>(?:each|every)\s+[^,]+),\s*", _I)
_CALCULATES = Pattern(r"\b(?:average|mean|median|longest|most|total)\b", _I)


def spans(text: str) -> Iterator[Composition]:
    """When the last row was, of each of what the question speaks of, if to be counted from or up to that."""
    if since := _SINCE.match(text):
        unit = since["unit"] or since["only"] or since["asked"] or "days"
        yield Composition((f"When was the latest {since['rows']}?",), partial(_counted, unit.lower(), True))
        return
    found = _BOTH.match(text)
    if found is None or _CALCULATES.search(text[: found.start("unit")]):
        return
    ahead = _SAID_BEFORE.match(text)
    whose = found["whose"] or (ahead["whose"] if ahead else "")
    of = f" of {whose}" if whose else ""
    question = f"When was the latest {found['rows']}{of}?"
    yield Composition((question,), partial(_counted, found["unit"].lower(), False))


def _counted(unit: str, until_today: bool, queries: Sequence[Query]) -> Combined | None:
    """The time from the first to the last date that a query gives, or from the last one until today."""
    (query,) = queries
    found = [
        e.argument
        for e in query.select
        if isinstance(e, Aggregate) and e.function == "max" and isinstance(e.argument, ColumnRef)
    ]
    if len(found) != 1 or query.limit is not None:
        return None
    (date,) = found
    last = Aggregate("max", date)
    days = days_between(last, today()) if until_today else days_between(Aggregate("min", date), last)
    number = Arithmetic("/", days, Literal(7)) if unit == "weeks" else days
    select = tuple(number if e == last else e for e in query.select)
    told = f"from the last {date.name} until today" if until_today else "between"
    unit = "weeks" if unit == "weeks" else "days"
    return replace(query, select=select), Assumption("default", f"It is the number of {unit} {told}.")
