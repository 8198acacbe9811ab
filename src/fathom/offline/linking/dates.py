"""Dates in questions: written out, in figures, and relative to today."""

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from typing import Literal

from fathom.offline.linking.cues import comparison_at
from fathom.offline.linking.records import DateMention, QuestionToken, Span
from fathom.offline.linking.wordlists import MONTHS, UNITS
from fathom.text.patterns import Pattern

_MONTH = "|".join(sorted({*MONTHS, *(m[:3] for m in MONTHS), "sept"}, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_ABSOLUTE = tuple(
    Pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:[ T](?P<time>\d\d?:\d\d(?::\d\d)?))?",
        rf"\b(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})/{_YEAR}\b",
        rf"\b(?P<month>{_MONTH})\.?\s+(?:the\s+)?{_DAY}\s*,?\s*(?:of\s+)?{_YEAR}\b",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\.?\s*,?\s*{_YEAR}\b",
        rf"\b(?P<month>{_MONTH})\.?\s*,?\s*(?:of\s+)?{_YEAR}\b",
        rf"\b{_YEAR}-(?P<month>\d\d)\b(?!-)",
    )
)
_RELATIVE = Pattern(
    r"\b(?:(?:in|during|over|within|for)\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+(?:(?P<amount>\w+)\s+)?"
    r"(?P<unit>day|week|month|quarter|year|decade|hour)s?\b|\b(?P<ago>\w+)\s+"
    r"(?P<ago_unit>day|week|month|quarter|year|decade)s?\s+ago\b|\b(?P<named>today|yesterday|tomorrow)\b"
    r"|\b(?P<this>this|current)\s+(?P<this_unit>week|month|quarter|year)\b",
    re.IGNORECASE,
)
Precision = Literal["year", "month", "day", "time"]


def find_dates(text: str, tokens: Sequence[QuestionToken]) -> tuple[DateMention, ...]:
    """The dates in a text, in order; a number that may be a year is left to the numbers."""
    found: dict[int, DateMention] = {}
    for pattern in _ABSOLUTE:
        for match in pattern.finditer(text):
            span = _span(tokens, match.start(), match.end())
            if any(span.overlaps(d.span) for d in found.values()):
                continue
            if days := _days(match):
                found[span.first] = DateMention(
                    days[0], days[1], span, comparison_at(tokens, span) or "=", days[2]
                )
    for match in _RELATIVE.finditer(text):
        span = _span(tokens, match.start(), match.end())
        if not any(span.overlaps(d.span) for d in found.values()):
            relative = _relative(match)
            if relative is not None:
                found[span.first] = DateMention(None, None, span, ">=", "day", relative)
    return tuple(found[k] for k in sorted(found))


def _span(tokens: Sequence[QuestionToken], start: int, end: int) -> Span:
    inside = [i for i, t in enumerate(tokens) if t.start < end and t.end > start and not t.evidence]
    return Span(inside[0], inside[-1] + 1) if inside else Span(0, 0)


def _days(match: re.Match[str]) -> tuple[str, str, Precision] | None:
    """First day, last day and precision of what an absolute pattern found; None for no such day."""
    parts = match.groupdict()
    year, month = int(parts["year"]), _month(parts["month"])
    try:
        if parts.get("day") is None:
            last = monthrange(year, month)[1]
            return date(year, month, 1).isoformat(), date(year, month, last).isoformat(), "month"
        day = date(year, month, int(parts["day"])).isoformat()
    except ValueError:
        return None
    if parts.get("time"):
        moment = f"{day} {parts['time']}"
        return moment, moment, "time"
    return day, day, "day"


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(number for name, number in MONTHS.items() if name.startswith(word.casefold()[:3]))


def _relative(match: re.Match[str]) -> tuple[int, str] | None:
    """(amount, unit) back from today; 0 for the current one."""
    parts = match.groupdict()
    if named := parts["named"]:
        return {"today": 0, "yesterday": 1, "tomorrow": -1}[named.casefold()], "day"
    if parts["this"]:
        return 0, parts["this_unit"].casefold()
    unit = parts["unit"] or parts["ago_unit"]
    amount = (parts["amount"] or parts["ago"] or "1").casefold()
    if amount.isdigit():
        return int(amount), unit.casefold()
    return (UNITS[amount], unit.casefold()) if amount in UNITS else None
