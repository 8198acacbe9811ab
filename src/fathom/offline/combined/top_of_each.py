"""The first few of each group, "the top 3 customers by revenue in each country", and the one at a place
behind the first, "the second longest track".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.records import Combined, Composition
from fathom.offline.linking import Linking
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    FunctionCall,
    Literal,
    OrderKey,
    Over,
    Query,
    SourceColumn,
    conjunction,
    is_aggregate,
    mentioned_tables,
    rows_asked,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_EACH = r"(?:for|in|of|from|within|at|on|by)\s+(?:each|every)\s+|(?P<per>per\s+)"
_BEHIND = Pattern(rf"(?P<rest>.+),?\s+(?:{_EACH})(?P<group>[\w\s'\u2019-]+?)[\s?.!]*$", _I)
_AHEAD = Pattern(rf"(?:{_EACH})(?P<group>[^,]+),\s*(?P<rest>.+?)[\s?.!]*$", _I)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NTH = Pattern(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS[1:])})|(?P<number>\d{{1,2}})(?:nd|rd|th))[\s-]+"
    r"(?=(?:most|least|best|worst|[a-z]+est)\b)",
    _I,
)
_HAS = Pattern(r"\b(?:has|have|had|with)\b", _I)
_COUNTS = Pattern(r"how\s+(?:many|much)\b", _I)


def leaders(text: str, linking: Linking) -> Iterator[Composition]:
    """The question for the first of all rows, and that for what they are grouped by."""
    found = _AHEAD.match(text) or _BEHIND.match(text)
    if found is None or not linking.superlatives or _COUNTS.match(found["rest"]):
        return
    if found["per"] is not None and _HAS.search(found["rest"]):
        return  # what "has the most sales per customer" leads no customers
    rows = _rows(found["rest"], linking, behind=found["per"] is not None)
    if rows:
        questions = f"{found['rest']}?", f"How many {rows} are there for each {found['group']}?"
        yield Composition(questions, _of_each, needed=False, learned=True)


def nth(text: str) -> Iterator[Composition]:
    """The question for the first row, where one asks for that at a place behind it."""
    found = _NTH.search(text)
    if found is not None:
        place = _ORDINALS.index(found["word"].lower()) + 1 if found["word"] else int(found["number"])
        yield Composition((f"{text[: found.start()]}{text[found.end() :]}",), partial(_behind, place))


def _rows(text: str, linking: Linking, *, behind: bool) -> str:
    """The words in a text that name the table whose rows it asks for, in the plural; empty without any.

    Those `behind` a superlative alone where it may be said of a number per something else.
    """
    ranked = [s.span for s in linking.superlatives]
    start = min(s.first for s in ranked) if behind else 0
    near = [m for m in linking.table_mentions if m.named and m.span.first >= start]
    named = [m for m in near if not any(m.span.overlaps(s) for s in ranked)]
    for mention in sorted(named, key=lambda m: (m.span.first, -m.span.end)):
        words = " ".join(linking.tokens[i].text for i in range(*mention.span))
        if re.search(rf"\b{re.escape(words)}\b", text, _I):
            return words if words.endswith("s") else f"{words}s"
    return ""


def _of_each(queries: Sequence[Query]) -> Combined | None:
    """The rows that come first in each group, with what that is called and the number they are ranked by."""
    first, counted = queries
    table = rows_asked(first)
    labels = tuple(e for e in counted.select if not is_aggregate(e))
    if not _is_ranked(first) or table is None or table not in mentioned_tables(counted) or not labels:
        return None
    if not _is_plain(counted) or any(map(is_aggregate, first.select)):
        return None
    place = Over(FunctionCall("rank", ()), counted.group, first.order[0])
    group = tuple(dict.fromkeys((*first.group, *counted.group, *labels))) if _is_grouped(first) else ()
    ranked = () if first.order[0].key in first.select else (first.order[0].key,)
    rows = Query(
        (*labels, *first.select, *ranked, place),
        where=conjunction(first.where, counted.where),
        group=group,
        tables=tuple(dict.fromkeys((*mentioned_tables(first), *mentioned_tables(counted)))),
    )
    shown = tuple(SourceColumn(i) for i in range(len(rows.select)))
    order = tuple(OrderKey(c) for c in (*shown[: len(labels)], shown[-1]))
    kept = ComparisonPredicate(shown[-1], "<=", Literal(first.limit))
    told = "Those with the same number share a place, so that there may be more of them than asked for."
    return Query(shown[:-1], where=kept, order=order, source=rows), Assumption("default", told)


def _is_ranked(query: Query) -> bool:
    """True if a query gives the first of some rows, by one order."""
    return len(query.order) == 1 and query.limit is not None and not query.offset and _is_bare(query)


def _is_plain(query: Query) -> bool:
    return bool(query.group) and not query.order and query.limit is None and _is_bare(query)


def _is_bare(query: Query) -> bool:
    return query.compound is None and query.having is None and query.source is None and not query.joins


def _is_grouped(query: Query) -> bool:
    return bool(query.group) or is_aggregate(query.order[0].key)


def _behind(place: int, queries: Sequence[Query]) -> Combined | None:
    """The one row at a place, of those of which a query gives the first."""
    (query,) = queries
    match query.select:
        case (Aggregate("min" | "max" as function, value),) if not query.group and _is_bare(query):
            order = (OrderKey(value, descending=function == "max"),)
            query = replace(query, select=(value,), distinct=True, order=order, limit=1)
    if query.limit != 1 or len(query.order) != 1 or query.offset:
        return None
    told = f"It is number {place} in this order; of those with the same number, whichever comes there."
    return replace(query, offset=place - 1), Assumption("default", told)
