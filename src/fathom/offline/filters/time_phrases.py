"""Times that a question names: "in the last 30 days", "before March 2021", "in Q1 of 2022", "on weekends".

Each is a part of the question that can be cut out of it, and a condition on whichever date it is said of.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from fathom.offline.grammars.calendars import today
from fathom.offline.linking.wordlists import MONTHS, UNITS, WEEKDAYS
from fathom.offline.queries.query import (
    ComparisonPredicate,
    Condition,
    Expression,
    FunctionCall,
    Items,
    Literal,
    conjunction,
)
from fathom.text.patterns import Pattern

_COUNT = r"(?P<n>\d+|an?|" + "|".join(w for w in UNITS if w != "zero") + ")"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_MONTH = "|".join(sorted({*MONTHS, *(m[:3] for m in MONTHS), "sept"}, key=len, reverse=True))
_YEAR = r"[12]\d{3}"
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
}
_ORDINAL = "|".join(_ORDINALS)
_IN = r"(?:(?:in|during|over|within|throughout|for|from|of)\s+)?(?:the\s+)?"
_DAYS = "weekend|weekday|workday|" + "|".join(WEEKDAYS)
_NEXT = "next|coming|following|upcoming"
_VERBAL = Pattern(r"(?:ed|ing|\b(?:ran|run|began|held|sold|made|built))\s+$", re.IGNORECASE)
_ONWARDS = Pattern(r"\s+(?:onwards?|forwards?|on(?=\W*$))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time said at characters `start` to `end`: not before `first`, before `until`, where these are given.

    Else only days of which strftime's `form` gives one of the `parts` belong to it. Where the current day
    counts, `relative`. `unit` is the word that says the time, if it may as well name a column. What is
    `verbal` is a time only behind what says of what: "hired in 2010". Where it is an `edge` of a period,
    nothing else reads it.
    """

    start: int
    end: int
    first: Expression | None = None
    until: Expression | None = None
    form: str = ""
    parts: tuple[str, ...] = ()
    relative: bool = False
    unit: str = ""
    verbal: bool = False
    edge: bool = False

    def holds(self, column: Expression) -> Condition:
        """The condition that a date belongs to this time."""
        if self.form:
            part = FunctionCall("strftime", (Literal(self.form), column))
            if len(self.parts) == 1:
                return ComparisonPredicate(part, "=", Literal(self.parts[0]))
            return ComparisonPredicate(part, "in", Items(tuple(map(Literal, self.parts))))
        after = None if self.first is None else ComparisonPredicate(column, ">=", self.first)
        before = None if self.until is None else ComparisonPredicate(column, "<", self.until)
        both = conjunction(after, before)
        assert both is not None, "a time begins or ends"
        return both


def moments(text: str) -> tuple[Moment, ...]:
    """The times that a text names, in order; of two that overlap, the one that is found first."""
    found: list[Moment] = []
    for pattern, read in _GRAMMAR:
        for match in pattern.finditer(text):
            if all(match.end() <= f.start or f.end <= match.start() for f in found):
                found += read(match)
    return tuple(sorted(found, key=lambda m: m.start))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"\b{text}(?![\w-])", re.IGNORECASE)


def _said(match: re.Match[str], *bounds: Expression | None, relative: bool = False, unit: str = "") -> Moment:
    first, until = bounds
    onwards = _ONWARDS.match(match.string, match.end())
    end = onwards.end() if onwards and until is None else match.end()
    return Moment(match.start(), end, first, until, relative=relative, unit=unit)


def _sign(match: re.Match[str]) -> str:
    """The word before a period; none for "from" where it only says of when: "invoices from 2010"."""
    sign = match.groupdict().get("sign") or ""
    led = _VERBAL.search(match.string[: match.start()]) or _ONWARDS.match(match.string, match.end())
    return "" if sign.casefold() == "from" and not led else sign


def _number(word: str) -> int:
    return int(word) if word.isdigit() else UNITS.get(word.casefold(), 1)


def _rolling(match: re.Match[str]) -> Iterator[Moment]:
    """ "in the last 30 days": as many units back from today, or on from it, today included."""
    unit = match["unit"].casefold()
    count = _number(match["n"] or "1")
    if re.fullmatch(_NEXT, match["which"], re.IGNORECASE):
        until = today(count, unit)
        until = FunctionCall("date", (*until.arguments, Literal("+1 days")))
        yield _said(match, today(), until, relative=True)
    else:
        yield _said(match, today(-count, unit), today(1), relative=True)


def _calendar(match: re.Match[str]) -> Iterator[Moment]:
    """ "last month", "this year", "before this week": a running unit, the one before it or after it."""
    unit = match["unit"].casefold()
    which = match["which"].casefold()
    place = {"this": 0, "current": 0, "last": -1, "previous": -1, "past": -1, "next": 1}[which]
    if unit == "day":
        return
    first, until = today(place, unit, unit), today(place + 1, unit, unit)
    yield _said(match, *_bounds(_sign(match), first, until), relative=True)


def _named_day(match: re.Match[str]) -> Iterator[Moment]:
    place = {"today": 0, "yesterday": -1, "tomorrow": 1}[match["day"].casefold()]
    yield _said(match, *_bounds(_sign(match), today(place), today(place + 1)), relative=True)


def _ago(match: re.Match[str]) -> Iterator[Moment]:
    """ "more than 5 days ago", "a week ago": before, since or on the day that lies so far back."""
    unit, count = match["unit"].casefold(), _number(match["n"])
    sign = (match["sign"] or "").casefold()
    day = today(-count, unit)
    if sign in {"more than", "over", "longer than", "earlier than", "before"}:
        yield _said(match, None, day, relative=True)
    elif sign == "at least":
        yield _said(match, None, FunctionCall("date", (*day.arguments, Literal("+1 days"))), relative=True)
    elif sign:
        yield _said(match, day, today(1), relative=True)
    elif unit == "day":
        yield _said(match, day, today(1 - count), relative=True)


def _quarter(match: re.Match[str]) -> Iterator[Moment]:
    """ "the first quarter of 2021", "Q3 2022", "the second half of 2020"."""
    parts = match.groupdict()
    which = parts.get("ordinal") or parts.get("q") or ""
    number = _ORDINALS.get(which.casefold()) or int(which or 1)
    months = 6 if (parts.get("span") or "").casefold() == "half" else 3
    if parts.get("span") and months == 6 and which.casefold() == "last":
        number = 2
    if number > 12 // months:
        return
    year, month = int(match["year"]), (number - 1) * months
    bounds = _bounds(_sign(match), _first(year, month), _first(year, month + months))
    yield _said(match, *bounds, unit=parts.get("span") or "quarter")


def _months_of(match: re.Match[str]) -> Iterator[Moment]:
    """ "in the last 3 months of 2023", "the first two months of 2022"."""
    year, count = int(match["year"]), _number(match["n"])
    start = 0 if match["which"].casefold() == "first" else 12 - count
    if 0 < count <= 12:
        yield _said(match, _first(year, start), _first(year, start + count), unit="month")


def _month_range(match: re.Match[str]) -> Iterator[Moment]:
    """ "between January and March 2020", "from Nov 2020 to Feb 2021": whole months, both included."""
    last_year = int(match["year"])
    year = int(match["first_year"] or last_year)
    one, two = _month(match["month"]), _month(match["last_month"])
    if (year, one) <= (last_year, two):
        yield _said(match, _first(year, one), _first(last_year, two + 1))


def _in_month(match: re.Match[str]) -> Iterator[Moment]:
    year, month = int(match["year"]), _month(match["month"])
    yield _said(match, *_bounds(_sign(match), _first(year, month), _first(year, month + 1)))


def _on_day(match: re.Match[str]) -> Iterator[Moment]:
    """ "on 2023-04-01", "before April 1, 2023", "since the 1st of April 2023"."""
    parts = match.groupdict()
    month = _month(match["month"]) + 1 if parts.get("month") else int(match["number"])
    if (day := _date(match["year"], month, match["day"].rstrip("stndrh"))) is not None:
        yield _said(match, *_bounds(_sign(match), Literal(day), Literal(_after(day))))


def _days(match: re.Match[str]) -> Iterator[Moment]:
    """ "between 2023-04-01 and 2023-04-15": whole days, both included."""
    one, two = (_date(*match[end].split("-")) for end in ("begin", "end"))
    if one is not None and two is not None and one <= two:
        yield _said(match, Literal(one), Literal(_after(two)))


def _date(year: str, month: str | int, day: str) -> str | None:
    """A day as dates are stored; None where there is no such day."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(1)).isoformat()


def _in_year(match: re.Match[str]) -> Iterator[Moment]:
    """ "hired since 2010": only behind a verb, for other years are read with the rest of the question."""
    year = int(match["year"])
    yield replace(_said(match, *_bounds(_sign(match), _first(year, 0), _first(year, 12))), verbal=True)


def _year_range(match: re.Match[str]) -> Iterator[Moment]:
    """ "from 2018 to 2021", "between 2018 and 2021": whole years, both included."""
    one, two = int(match["first_year"]), int(match["year"])
    if one <= two:
        yield replace(_said(match, _first(one, 0), _first(two, 12)), verbal=True)


def _any_month(match: re.Match[str]) -> Iterator[Moment]:
    month = f"{_month(match['month']) + 1:02}"
    yield Moment(match.start(), match.end(), form="%m", parts=(month,))


def _edge(match: re.Match[str]) -> Iterator[Moment]:
    """ "since the end of 2022", "before the beginning of March 2021": on one side of where a period ends."""
    year = int(match["year"])
    month = _month(match["month"]) if match["month"] else 0
    after = (1 if match["month"] else 12) if match["edge"].casefold() == "end" else 0
    day = _first(year, month + after)
    sign = "until" if match["sign"].casefold() == "by" else match["sign"]
    yield replace(_said(match, *_bounds(sign, day, day)), edge=True)


def _weekdays(match: re.Match[str]) -> Iterator[Moment]:
    """ "on weekends", "on a Saturday or a Sunday", "on Mondays and Fridays"."""
    words = [w.casefold() for w in re.findall(_DAYS, match["days"], re.IGNORECASE)]
    kinds = {"weekend": "06", "weekday": "12345", "workday": "12345"}
    parts = {p for w in words for p in kinds.get(w) or str(WEEKDAYS.index(w))}
    yield Moment(match.start(), match.end(), form="%w", parts=tuple(sorted(parts)), unit=words[0])


def _bounds(sign: str, first: Expression, until: Expression) -> tuple[Expression | None, Expression | None]:
    """From when, and until when, by the word before a period: in it, before it, since it, after it."""
    words = " ".join(sign.casefold().split())
    if words.startswith(("before", "prior", "earlier")):
        return None, first
    if words.startswith(("since", "from", "starting")):
        return first, None
    if words.startswith(("after", "later")):
        return until, None
    if words.startswith(("until", "till", "up to", "through")):
        return None, until
    return first, until


def _month(word: str) -> int:
    """The number of a month, January's being 0."""
    return next(n - 1 for name, n in MONTHS.items() if name.startswith(word.casefold()[:3]))


def _first(year: int, month: int) -> Literal:
    """The first day of a month, counted from January of a year as 0."""
    return Literal(date(year + month // 12, month % 12 + 1, 1).isoformat())


_SIGN = (
    r"(?:(?:from\s+(?=before|after|since|until))?(?P<sign>before|prior\s+to|earlier\s+than|since|starting\s+(?:in|from)|from|after|later\s+than|until|till"
    r"|up\s+to|in|during|of|for|within|throughout|on)\s+)?(?:the\s+)?"
)
_MONTH_YEAR = rf"(?<!\d )(?<!\d[a-z]{{2}} )(?P<month>{_MONTH})\.?,?\s+(?:of\s+)?(?P<year>{_YEAR})"
_WHOLE_DAY = r"(?!\s*T?\s*\d{1,2}:\d{2})"
_ISO = rf"{_YEAR}-\d{{1,2}}-\d{{1,2}}{_WHOLE_DAY}"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_GRAMMAR = (
    (
        _pattern(
            rf"(?P<sign>before|since|starting|from|after|until|till|up\s+to|by)\s+(?:the\s+)?(?:very\s+)?"
            rf"(?P<edge>end|start|beginning)\s+of\s+(?:(?P<month>{_MONTH})\.?,?\s+)?(?P<year>{_YEAR})"
        ),
        _edge,
    ),
    (
        _pattern(rf"{_IN}(?P<which>first|last|final)\s+{_COUNT}\s+months?\s+of\s+(?P<year>{_YEAR})"),
        _months_of,
    ),
    (_pattern(rf"{_IN}(?P<which>last|past|previous|{_NEXT})\s+{_COUNT}\s+{_UNIT}s?"), _rolling),
    (_pattern(rf"{_IN}(?P<which>past)(?P<n>)\s+{_UNIT}"), _rolling),
    (
        _pattern(
            rf"(?:(?P<sign>more\s+than|over|longer\s+than|earlier\s+than|before|at\s+least|less\s+than|fewer\s+than"
            rf"|within|since)\s+)?{_COUNT}\s+{_UNIT}s?\s+ago"
        ),
        _ago,
    ),
    (
        _pattern(
            rf"{_SIGN}(?P<ordinal>{_ORDINAL})\s+(?P<span>quarter|half)\s+(?:of\s+|in\s+)?(?P<year>{_YEAR})"
        ),
        _quarter,
    ),
    (_pattern(rf"{_SIGN}(?P<span>q)(?P<q>[1-4])\s*,?\s*(?:of\s+|in\s+)?(?P<year>{_YEAR})"), _quarter),
    (
        _pattern(
            rf"(?:in\s+|during\s+)?(?:between|from)\s+(?P<month>{_MONTH})\.?\s*(?P<first_year>{_YEAR})?"
            rf"\s*(?:and|to|through|until|till)\s+(?P<last_month>{_MONTH})\.?\s+(?P<year>{_YEAR})"
        ),
        _month_range,
    ),
    (
        _pattern(
            rf"(?:in\s+|during\s+)?(?:between|from)\s+(?P<begin>{_ISO})\s+(?:and|to|through|until|till)\s+(?P<end>{_ISO})"
        ),
        _days,
    ),
    (_pattern(rf"{_SIGN}(?P<year>{_YEAR})-(?P<number>\d{{1,2}})-(?P<day>\d{{1,2}}){_WHOLE_DAY}"), _on_day),
    (_pattern(rf"{_SIGN}(?P<day>{_DAY})\s+(?:of\s+)?(?P<month>{_MONTH})\.?,?\s+(?P<year>{_YEAR})"), _on_day),
    (_pattern(rf"{_SIGN}(?P<month>{_MONTH})\.?\s+(?P<day>{_DAY}),?\s+(?P<year>{_YEAR})"), _on_day),
    (_pattern(rf"{_SIGN}(?P<which>last|previous|this|current|next)\s+{_UNIT}"), _calendar),
    (_pattern(rf"{_SIGN}(?P<day>today|yesterday|tomorrow)"), _named_day),
    (_pattern(rf"{_SIGN}{_MONTH_YEAR}"), _in_month),
    (_pattern(rf"(?:in|during)\s+(?P<month>{'|'.join(m for m in MONTHS)})(?!\s+\d)"), _any_month),
    (
        _pattern(
            rf"(?:either\s+)?(?:on|at|during)\s+(?:the\s+|an?\s+|either\s+|any\s+)*(?P<days>(?:{_DAYS})s?"
            rf"(?:(?:\s*,\s*|,?\s+(?:or|and)\s+)(?:on\s+)?(?:an?\s+|the\s+)?(?:{_DAYS})s?)*)"
        ),
        _weekdays,
    ),
    (
        _pattern(
            rf"(?:in\s+|during\s+)?(?:between|from)\s+(?P<first_year>{_YEAR})\s+(?:and|to|through|until|till)\s+(?P<year>{_YEAR})"
        ),
        _year_range,
    ),
    (_pattern(rf"{_SIGN}(?P<year>{_YEAR})(?!\s*(?:and|to|-)\s*\d)"), _in_year),
)
