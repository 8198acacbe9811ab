"""The conditions that a question names outright: values that columns hold, and years and months of dates."""

from dataclasses import dataclass

from fathom.offline.checks.account import sure_values
from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.values import of_year
from fathom.offline.linking import LinkedValue, Linking, NumberMention, Span
from fathom.offline.linking.value_match import SPELT
from fathom.offline.linking.wordlists import NO_PERSON
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Literal,
    TableRef,
    conjunction,
)
from fathom.text.identifiers import identifier_words

_WITHIN = frozenset(("in", "during"))
_CLEARLY = 0.15
"""How much likelier a column must be to hold a name that is meant than the next one."""


@dataclass(frozen=True, slots=True)
class NamedCondition:
    """A condition, and the words that name its value."""

    condition: Condition
    span: Span


def either_of(linking: Linking, span: Span) -> bool:
    """True if words may be one of two things that bear a name, neither likelier: an artist or a composer.

    Places are the same wherever they are kept.
    """
    found = [
        v for v in linking.values
        if v.span == span and v.match in SPELT and NO_PERSON.isdisjoint(identifier_words(v.column.column))
    ]  # fmt: skip
    best = {c: max(v.probability for v in found if v.column == c) for c in {v.column for v in found}}
    likely = sorted(best.values(), reverse=True)
    return len(likely) > 1 and likely[0] - likely[1] < _CLEARLY


def is_year(linking: Linking, number: NumberMention) -> bool:
    """True if a number is a year in which something was: "more than 5000 in 2021" compares no year."""
    return number.year and (number.comparison in {"=", "between"} or within(linking, number.span))


def within(linking: Linking, span: Span) -> bool:
    """True if what words name is a time in which something was: "in 2021"."""
    return span.first > 0 and linking.tokens[span.first - 1].lower in _WITHIN


@dataclass(frozen=True, slots=True)
class Years:
    """All years from the first to the last of two, both included, and the words that name both."""

    first: int
    last: int
    span: Span

    def holds(self, date: ColumnRef) -> Condition:
        """The condition that a date is of these years."""
        begin, end = Literal(f"{self.first}-01-01"), Literal(f"{self.last + 1}-01-01")
        both = conjunction(ComparisonPredicate(date, ">=", begin), ComparisonPredicate(date, "<", end))
        assert both is not None, "two conditions make one"
        return both


def year_ranges(linking: Linking) -> list[Years]:
    """The ranges of years that a question names: "from 2018 to 2021", "between 2019 and 2020"."""
    found = []
    for number in linking.numbers:
        if number.year and number.comparison == "between" and number.upper is not None:
            after = (
                n for n in linking.numbers if n.span.first >= number.span.end and n.value == number.upper
            )
            upper = next(after, None)
            if upper is not None and upper.year:
                span = Span(number.span.first, upper.span.end)
                found.append(Years(int(number.value), int(upper.value), span))
    return found


def restrictions(linking: Linking, dates: Dates, table: TableRef) -> tuple[NamedCondition, ...]:
    """The values, and the one year or month or all years from one to another, that the question surely names.

    They are those of a table and of those near.
    """
    values, years = _values(linking), _years(linking)
    months, ranges = _months(linking), year_ranges(linking)
    held = [_is(v) for v in linking.values if of_year(v) and v.span in [span for _, span in years]]
    if len(held) == len(years) == 1 and not ranges and not months:
        return (*values, *held)  # what a column says isn't told by a date
    date = dates.meant(dates.near((table,)))
    time = _one_time(date.in_query(), ranges, months, years) if date else None
    return (*values, time) if time else tuple(values)


_Said = list[tuple[str, Span]]
"""Years or months as dates begin with them, and the words that name them."""


def _is(value: LinkedValue) -> NamedCondition:
    return NamedCondition(ComparisonPredicate(value.column.in_query(), "=", Literal(value.value)), value.span)


def _values(linking: Linking) -> list[NamedCondition]:
    """The values that are surely named, but for years: "2010" is no postal code."""
    dated = [n.span for n in linking.numbers if is_year(linking, n)]
    return [_is(v) for v in sure_values(linking) if not any(v.span.overlaps(d) for d in dated)]


def _years(linking: Linking) -> _Said:
    """The years that stand alone, in no range."""
    ranges = [r.span for r in year_ranges(linking)]
    return [
        (str(n.value), n.span)
        for n in linking.numbers
        if is_year(linking, n) and not any(n.span.overlaps(s) for s in ranges)
    ]


def _months(linking: Linking) -> _Said:
    return [
        (d.first[:7], d.span)
        for d in linking.dates
        if d.first and d.precision == "month" and (d.comparison == "=" or within(linking, d.span))
    ]


def _one_time(date: ColumnRef, ranges: list[Years], months: _Said, years: _Said) -> NamedCondition | None:
    """The condition that a date is of the one time that is named; a month goes with its year."""
    if len(ranges) == 1 and not months and not years:
        return NamedCondition(ranges[0].holds(date), ranges[0].span)
    said = months or years
    if len(said) != 1 or ranges:
        return None
    begins, span = said[0]
    return NamedCondition(ComparisonPredicate(date, "like", Literal(f"{begins}%")), span)
