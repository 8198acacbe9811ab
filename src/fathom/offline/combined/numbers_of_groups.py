"""Numbers of groups: how many there are, "how many albums have more than 20 tracks", what they come to
on average, "average number of tracks per invoice", and what share each has, "share of sales by genre".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.records import Combined, Composition
from fathom.offline.grammars.ratios import quotient
from fathom.offline.queries.query import Aggregate, Over, Query, SourceColumn, Star, is_aggregate
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_KEPT = Pattern(
    r"how\s+many\s+(?:different\s+|distinct\s+)?(?P<rows>\w+(?:\s+\w+){0,2}?)\s+"
    r"(?P<kept>(?:have|has|had|with|made|took|got|bought|contain|contains|\w+ed)\s+(?:\w+\s+){0,2}?"
    r"(?:more|fewer|less|at\s+least|at\s+most|exactly|only|over)\b.+?)[\s?.!]*$",
    _I,
)
NUMBERS = Pattern(
    r"(?:(?:what\s+(?:is|was|are)|what's|show|give|calculate|compute|find)\s+)?(?:me\s+)?(?:the\s+)?"
    r"(?P<what>average|mean|median)\s+(?:number|count)\s+of\s+(?P<rows>.+?)\s+"
    r"(?:per|by|(?:for|of|in|from|at|on)\s+(?:each|every|an?))\s+(?P<group>.+?)[\s?.!]*$",
    _I,
)
"""Words that ask for an aggregate over the numbers of groups."""
_SHARE = (
    r"(?:(?:what(?:\s+is|\s+are|\s+was|'s)?|show|give|calculate|compute|find)\s+)?(?:me\s+)?(?:the\s+)?"
    r"(?P<share>percentage|per\s?cent|%|share|proportion)\s+of\s+(?:the\s+|our\s+|all\s+)*(?:total\s+|overall\s+)?"
)
_WHAT, _GROUP, _E = r"(?P<what>\w+(?:\s+\w+)?)", r"(?P<group>\w+(?:\s+\w+)?)", r"[\s?.!]*$"
_SHARES = tuple(
    Pattern(p, _I)
    for p in (
        rf"{_SHARE}{_WHAT}\s+(?:by|per|(?:for|of|in|from)\s+(?:each|every))\s+{_GROUP}{_E}",
        rf"{_SHARE}{_WHAT}\s+(?:is|are|was|were|comes|came|come)\s+(?:\w+\s+)?(?:from|by|in|for)\s+"
        rf"(?:each|every)\s+{_GROUP}{_E}",
        rf"{_SHARE}{_WHAT}\s+(?:do|does|did)\s+(?:each|every)\s+{_GROUP}\s+(?:have|make|generate|"
        rf"account\s+for|bring){_E}",
        rf"(?:show|give|list|what\s+is)?\s*(?:me\s+)?(?:each|every)\s+{_GROUP}['\u2019]s\s+"
        r"(?P<share>percentage|share|proportion)\s+of\s+(?:the\s+|our\s+)?(?:total\s+|overall\s+)?"
        rf"{_WHAT}{_E}",
    )
)
_ALL = "Only those that have any are counted."


def counted(text: str) -> Iterator[Composition]:
    """The question for the groups, where one asks how many there are, or for the average of their numbers."""
    if found := _KEPT.match(text):
        yield Composition((f"Which {found['rows']} {found['kept']}?",), _number, needed=False, learned=True)
    elif (found := NUMBERS.match(text)) and found["what"].lower() != "median":
        asked = f"How many {found['rows']} are there for each {found['group']}?"
        yield Composition((asked,), _mean, needed=False)
    elif found := next(filter(None, (p.match(text) for p in _SHARES)), None):
        factor = 100 if found["share"].lower().startswith(("per", "%")) else 1
        asked = f"What is the total {found['what']} for each {found['group']}?"
        yield Composition((asked,), partial(_shares, factor), needed=False)


def _number(queries: Sequence[Query]) -> Combined | None:
    """How many groups a query keeps."""
    (query,) = queries
    if not query.group or query.having is None or query.limit is not None or query.compound is not None:
        return None
    told = Assumption("default", "What is counted are the groups that are kept, each once.")
    return Query((Aggregate("count", Star()),), source=replace(query, order=())), told


def _mean(queries: Sequence[Query]) -> Combined | None:
    """The average of the numbers that a query gives for each group."""
    (query,) = queries
    number = counts_of(query)
    if number is None:
        return None
    return Query((Aggregate("avg", number),), source=replace(query, order=())), Assumption("default", _ALL)


def _shares(factor: int, queries: Sequence[Query]) -> Combined | None:
    """The share that the number of each group has of what all of them come to."""
    (query,) = queries
    number = counts_of(query)
    if number is None or query.having is not None:
        return None
    match query.select[number.index]:
        case Aggregate("sum" | "count", distinct=False) as total:
            share = quotient(total, Over(Aggregate("sum", total)), factor)
            select = tuple(share if e == total else e for e in query.select)
            return replace(query, select=select), Assumption("default", "It is their sum over that of all.")
    return None


def counts_of(query: Query) -> SourceColumn | None:
    """The one number that a query gives for each of its groups, for a query over it; None without one."""
    places = [i for i, e in enumerate(query.select) if is_aggregate(e)]
    if len(places) != 1 or not query.group or query.limit is not None or query.compound is not None:
        return None
    return SourceColumn(places[0])
