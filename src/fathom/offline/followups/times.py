"""How a follow-up changes the period asked for: another year or month, the year before, since, until."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import accumulate

from fathom.offline.filters.time_phrases import Moment, moments
from fathom.offline.followups.conditions import FILTERED
from fathom.offline.followups.follow_up_words import (
    DATED,
    Edit,
    FollowUpReading,
    compared_column,
    span_places,
)
from fathom.offline.followups.wordlists import AFTER, BEFORE
from fathom.offline.grammars.calendars import day_of
from fathom.offline.linking import ColumnKey, Span
from fathom.offline.linking.wordlists import BEFORE as COMPARING
from fathom.offline.linking.wordlists import MONTHS
from fathom.offline.queries.query import (
    ComparisonPredicate,
    Condition,
    Items,
    Literal,
    Query,
    compared_with,
    conjunction,
    conjuncts,
)


@dataclass(frozen=True)
class DaySpan:
    """A span of days, both ends within; `None` leaves an end open."""

    first: date | None
    last: date | None


def periods(reading: FollowUpReading) -> Iterator[Edit]:
    """Another year, month or day in the place of the one before; a month in the year before."""
    for rank, column in enumerate(reading.date_columns()[:2]):
        named = reading.columns_named().get(column, frozenset())
        weight = 5.0 - rank
        for period, places in _told(reading):
            change = _Change(column, _within(column, period))
            yield Edit("filter time", places | named, change, FILTERED, weight)
        for moment, places in _relative(reading):
            yield Edit(
                "filter time",
                places | named,
                _Change(column, moment.holds(column.in_query())),
                FILTERED,
                weight,
            )
    yield from _of_year_columns(reading)


def _told(reading: FollowUpReading) -> Iterator[tuple[DaySpan, frozenset[int]]]:
    linking = reading.linking
    for dated in linking.dates:
        if dated.first is None or dated.last is None:
            continue
        first, last = _day(dated.first), _day(dated.last)
        if first and last:
            yield _open_ended(first, last, dated.comparison), _with_comparing(reading, dated.span)
    inside = {i for d in linking.dates for i in span_places(d.span)}
    for number in linking.numbers:
        if number.year and number.span.first not in inside and number.upper is None:
            first, last = date(int(number.value), 1, 1), date(int(number.value), 12, 31)
            yield _open_ended(first, last, number.comparison), _with_comparing(reading, number.span)
        elif number.year and number.upper is not None:
            first, last = date(int(number.value), 1, 1), date(int(number.upper), 12, 31)
            yield DaySpan(first, last), _range_places(reading, number.span)
    before = _asked_before(reading)
    if before is None:
        return
    for place, word in enumerate(reading.words):
        verb = word == "may" and reading.words[max(0, place - 1)] not in {"in", "for", "of", "during"}
        if (
            not verb
            and (month := _month(word))
            and place not in inside
            and before.first.year == before.last.year
        ):
            year = before.first.year
            yield (
                DaySpan(date(year, month, 1), date(year, month, monthrange(year, month)[1])),
                frozenset((place,)),
            )
    for phrases, step in ((BEFORE, -1), (AFTER, 1)):
        if said := reading.phrase(phrases):
            moved = _moved(before, step, month=any(reading.words[i] == "month" for i in said))
            if moved is not None:
                yield moved, said


def _relative(reading: FollowUpReading) -> Iterator[tuple[Moment, frozenset[int]]]:
    """Times counted from today: "last month", "in the last 30 days"."""
    ends = list(accumulate(len(w) + 1 for w in reading.words))
    for moment in moments(" ".join(reading.words)):
        if moment.relative:
            yield moment, frozenset(i for i, end in enumerate(ends) if moment.start < end <= moment.end + 1)


def _month(word: str) -> int:
    """The month that a word names, from 1; 0 for other words."""
    return MONTHS.get(word, 0)


@dataclass(frozen=True)
class _KnownTimes:
    first: date
    last: date


def _asked_before(reading: FollowUpReading) -> _KnownTimes | None:
    """The span of days that the query asks for now; None without two ends."""
    for column in reading.compared:
        if reading.kinds.get(column) not in DATED and "date" not in column.column.casefold():
            continue
        first = last = None
        for part in reading.conditions:
            if compared_column(part) != column:
                continue
            ends = [day_of(i) for i in compared_with(part)]
            if not ends:
                continue
            if part.operator == "between" and len(ends) == 2:
                first, last = ends
            elif part.operator in {">=", ">"}:
                first = ends[0]
            elif part.operator in {"<", "<="} and ends[0]:
                last = ends[0] - timedelta(days=part.operator == "<")
            elif part.operator == "like" and (year := re.fullmatch(r"(\d{4})(?:-(\d\d))?%", _text(part))):
                first, last = _whole(int(year[1]), int(year[2] or 0))
        if first and last:
            return _KnownTimes(first, last)
    return None


def _text(part: ComparisonPredicate) -> str:
    return str(part.right.value) if isinstance(part.right, Literal) else ""


def _whole(year: int, month: int) -> tuple[date, date]:
    if not month:
        return date(year, 1, 1), date(year, 12, 31)
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _moved(known: _KnownTimes, step: int, *, month: bool) -> DaySpan | None:
    if not month:
        years = known.last.year - known.first.year
        return DaySpan(date(known.first.year + step, 1, 1), date(known.first.year + step + years, 12, 31))
    count = known.first.year * 12 + known.first.month - 1 + step
    first, last = _whole(count // 12, count % 12 + 1)
    return DaySpan(first, last)


def _open_ended(first: date, last: date, comparison: str) -> DaySpan:
    match comparison:
        case "<":
            return DaySpan(None, first - timedelta(days=1))
        case "<=":
            return DaySpan(None, last)
        case ">":
            return DaySpan(last + timedelta(days=1), None)
        case ">=":
            return DaySpan(first, None)
    return DaySpan(first, last)


def _with_comparing(reading: FollowUpReading, span: Span) -> frozenset[int]:
    places = span_places(span)
    for size in range(min(4, span.first), 0, -1):
        if reading.words[span.first - size : span.first] in COMPARING:
            return places | frozenset(range(span.first - size, span.first))
    return places


def _range_places(reading: FollowUpReading, span: Span) -> frozenset[int]:
    """The words from "between" or "from" on to the second year."""
    end = next((i for i in range(span.end, len(reading.words)) if reading.words[i].isdigit()), span.first)
    start = span.first - 1 if reading.words[span.first - 1] in {"between", "from"} else span.first
    return frozenset(range(max(start, 0), end + 1))


def _within(column: ColumnKey, period: DaySpan) -> Condition | None:
    left = column.in_query()
    parts: list[Condition] = []
    if period.first is not None:
        parts.append(ComparisonPredicate(left, ">=", Literal(period.first.isoformat())))
    if period.last is not None:
        after = period.last + timedelta(days=1)
        parts.append(ComparisonPredicate(left, "<", Literal(after.isoformat())))
    return conjunction(*parts)


@dataclass(frozen=True)
class _Change:
    """Puts a period in the place of all that a query says about a column of dates."""

    column: ColumnKey
    period: Condition | None

    def __call__(self, query: Query) -> Query:
        others = [p for p in conjuncts(query.where) if not self._about(p)]
        return replace(query, where=conjunction(*others, self.period))

    def _about(self, part: Condition) -> bool:
        return isinstance(part, ComparisonPredicate) and compared_column(part) == self.column


def _of_year_columns(reading: FollowUpReading) -> Iterator[Edit]:
    """Years kept as numbers: in the place of the year before, or of the table's one column of years."""
    years = [k for k in reading.linking.columns if k.table in reading.tables and _holds_years(reading, k)]
    compared = [k for k in reading.compared if k in years]
    for number in reading.linking.numbers:
        for key in (compared or years)[:1] if number.year else ():
            operator = number.comparison if number.comparison not in {"between", "like"} else ">="
            places = _with_comparing(reading, number.span)
            condition = ComparisonPredicate(key.in_query(), operator, Literal(number.value))
            if number.upper is not None:
                ends = Items((Literal(number.value), Literal(number.upper)))
                condition = ComparisonPredicate(key.in_query(), "between", ends)
                places = _range_places(reading, number.span)
            named = reading.columns_named().get(key, frozenset())
            yield Edit("filter time", places | named, _YearChange(condition, key), FILTERED, 5.0)


@dataclass(frozen=True)
class _YearChange:
    """Puts a year in the place of the year that a query compares a column with, but for sorting out zeros."""

    condition: ComparisonPredicate
    column: ColumnKey

    def __call__(self, query: Query) -> Query:
        others = [p for p in conjuncts(query.where) if not self._about(p)]
        return replace(query, where=conjunction(*others, self.condition))

    def _about(self, part: Condition) -> bool:
        zero = isinstance(part, ComparisonPredicate) and part.operator == ">" and part.right == Literal(0)
        return isinstance(part, ComparisonPredicate) and compared_column(part) == self.column and not zero


def _holds_years(reading: FollowUpReading, key: ColumnKey) -> bool:
    return "year" in key.column.casefold() and reading.kinds.get(key) not in DATED


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
