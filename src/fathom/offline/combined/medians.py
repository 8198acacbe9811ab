"""The median of many values: "the median price per genre".

Not all databases calculate one, and all can number rows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.offline.combined.numbers_of_groups import NUMBERS, counts_of
from fathom.offline.combined.records import Combined, Composition
from fathom.offline.linking import Linking
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    FunctionCall,
    Items,
    Literal,
    OrderKey,
    Over,
    Query,
    SourceColumn,
    Star,
    Subquery,
    conjunction,
    expressions,
    rebuilt,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_MEDIAN = Pattern(r"\bmedian\b(?:\s+(?:value|average)s?\b(?=\s+of\b))?", re.IGNORECASE)
_MEAN = Pattern(r"\b(?:average|mean|avg)\b", re.IGNORECASE)
_MIDDLE = FunctionCall("median", ())
"""Stands for the median until the rows are numbered."""
_TOLD = Assumption(
    "default",
    "The median is the middle value of those that aren't missing, or the mean of the middle two.",
)


def medians(text: str, linking: Linking) -> Iterator[Composition]:
    """The question for an average where one asks for the median, unless something is called so."""
    if not _MEDIAN.search(text) or any("median" in c.column.casefold() for c in linking.columns):
        return
    if found := NUMBERS.match(text):
        yield Composition((f"How many {found['rows']} are there for each {found['group']}?",), _of_counts)
    elif not _MEAN.search(text):
        yield Composition((_MEDIAN.sub("average", text),), _of_average)


def _of_average(queries: Sequence[Query]) -> Combined | None:
    """The query for averages as one for medians: rows are numbered by value, and the middle ones averaged."""
    (query,) = queries
    totals = {e for e in expressions(query) if isinstance(e, Aggregate)}
    nested = any(isinstance(e, Star | Subquery | Over) for e in expressions(query))
    if len(totals) != 1 or nested or query.compound is not None or query.distinct:
        return None
    match totals.pop():
        case Aggregate("avg", value, distinct=False) as mean:
            return _numbered(query, mean, value), _TOLD
    return None


def _of_counts(queries: Sequence[Query]) -> Combined | None:
    """The median of the numbers that a query gives for each of what it groups by."""
    (query,) = queries
    number = counts_of(query)
    if number is None:
        return None
    mean = Aggregate("avg", number)
    told = replace(_TOLD, text=f"{_TOLD.text} Only those that have any are counted.")
    return _numbered(Query((mean,), source=replace(query, order=())), mean, number), told


def _numbered(query: Query, mean: Aggregate, value: Expression) -> Query:
    """The query over rows that carry their place among those of their group, and how many these are."""
    outside = replace(query, where=None, source=None, tables=(), joins=())
    outside = rebuilt(outside, lambda n: _MIDDLE if n == mean else n)
    used = (e for e in expressions(outside) if isinstance(e, ColumnRef | SourceColumn))
    carried = tuple(dict.fromkeys(used))
    rows = Query(
        (*carried, value, *_places(query.group, value)),
        where=conjunction(query.where, ComparisonPredicate(value, "is not null")),
        tables=query.tables,
        joins=query.joins,
        source=query.source,
    )
    middle, place, count = (SourceColumn(len(carried) + i) for i in range(3))
    renamed: dict[object, Expression] = {_MIDDLE: Aggregate("avg", middle)}
    renamed.update((e, SourceColumn(i)) for i, e in enumerate(carried))
    twice, last = Arithmetic("*", Literal(2), place), Arithmetic("+", count, Literal(2))
    kept = ComparisonPredicate(twice, "between", Items((count, last)))
    numbered: Query = replace(rebuilt(outside, lambda n: renamed.get(n, n)), where=kept, source=rows)
    return numbered


def _places(group: tuple[Expression, ...], value: Expression) -> tuple[Over, Over]:
    """The place of a row in its group by a value, and how many rows its group has."""
    return Over(FunctionCall("row_number", ()), group, OrderKey(value)), Over(
        Aggregate("count", Star()), group
    )
