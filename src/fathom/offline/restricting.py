"""The conditions that a question names outright: values that columns hold, and years and months of dates."""

from dataclasses import dataclass

from fathom.offline.accounting import sure_values
from fathom.offline.linking import Linking, NumberMention, Span
from fathom.offline.periods import Dates
from fathom.offline.query import Comparison, Condition, Literal, TableRef

_WITHIN = frozenset(("in", "during"))


@dataclass(frozen=True, slots=True)
class Named:
    """A condition, and the words that name its value."""

    condition: Condition
    span: Span


def is_year(linking: Linking, number: NumberMention) -> bool:
    """Whether a number is a year in which something was: "more than 5000 in 2021" compares no year."""
    return number.year and (number.comparison == "=" or within(linking, number.span))


def within(linking: Linking, span: Span) -> bool:
    """Whether what words name is a time in which something was: "in 2021"."""
    return span.first > 0 and linking.tokens[span.first - 1].lower in _WITHIN


def restrictions(linking: Linking, dates: Dates, table: TableRef) -> tuple[Named, ...]:
    """The values, and the one year or month, that the question surely names, of a table and those near."""
    dated = [n.span for n in linking.numbers if is_year(linking, n)]
    found = [
        Named(Comparison(v.column.in_query(), "=", Literal(v.value)), v.span)
        for v in sure_values(linking)
        if not any(v.span.overlaps(d) for d in dated)  # "2010" is no postal code
    ]
    years = [(str(n.value), n.span) for n in linking.numbers if is_year(linking, n)]
    months = [
        (d.first[:7], d.span)
        for d in linking.dates
        if d.first and d.precision == "month" and (d.comparison == "=" or within(linking, d.span))
    ]
    near = dates.near((table,))
    if len(months or years) == 1 and near and dates.clear(near[0], near):
        day, span = (months or years)[0]
        found.append(Named(Comparison(near[0].in_query(), "like", Literal(f"{day}%")), span))
    return tuple(found)
