"""The time between the first and the last of several rows: "days between the first and latest order of each
customer"."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from fathom.offline.composing.records import Combined, Composition
from fathom.offline.grammars.calendars import days_between
from fathom.offline.queries.query import Aggregate, Arithmetic, Expression, Literal, Query, rebuilt
from fathom.records import Assumption

_I = re.IGNORECASE
_FIRST = r"(?:the\s+|its\s+|their\s+)?(?:very\s+)?(?:first|earliest|oldest)"
_LAST = r"(?:the\s+|its\s+|their\s+)?(?:last|latest|most\s+recent|newest)"
_BOTH = re.compile(
    r".*?\b(?P<unit>days|weeks|time)\s+(?:(?:do|did|does|is|are|was|were|lie|lies|lay|there|pass|passed|have|has|go)"
    rf"\s+)*between\s+(?:(?P<whose>(?:each|every)\s+\w+)['\u2019]s\s+)?{_FIRST}\s+and\s+{_LAST}\s+(?P<rows>.+?)[\s?.!]*$",
    _I,
)
_SAID_BEFORE = re.compile(r"(?:for|of)\s+(?P<whose>(?:each|every)\s+[^,]+),\s*", _I)
_CALCULATES = re.compile(r"\b(?:average|mean|median|longest|most|total)\b", _I)


def spans(text: str) -> Iterator[Composition]:
    """When the last row was, of each of what the question speaks of, from which the first is counted."""
    found = _BOTH.match(text)
    if found is None or _CALCULATES.search(text[: found.start("unit")]):
        return
    ahead = _SAID_BEFORE.match(text)
    whose = found["whose"] or (ahead["whose"] if ahead else "")
    of = f" of {whose}" if whose else ""
    question = f"When was the latest {found['rows']}{of}?"
    yield Composition((question,), partial(_from_first, found["unit"].lower()))


def _from_first(unit: str, queries: Sequence[Query]) -> Combined | None:
    """The time from the first to the last date, where a query gives the last."""
    (query,) = queries
    dates = [e for e in query.select if isinstance(e, Aggregate) and e.function == "max"]
    if len(dates) != 1 or query.limit is not None:
        return None
    days: Expression = days_between(Aggregate("min", dates[0].argument), dates[0])
    days = Arithmetic("/", days, Literal(7)) if unit == "weeks" else days
    found = rebuilt(query, lambda n: days if n == dates[0] else n)
    return found, Assumption(
        "default", f"It is the number of {'weeks' if unit == 'weeks' else 'days'} between."
    )
