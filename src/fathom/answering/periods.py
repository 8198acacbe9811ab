"""Cells that are times: dates, years, months and days by number or by name, and their order."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from fathom.records import Result
from fathom.text.patterns import Pattern

_TEXT = Pattern(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?|-Q[1-4]|-W?\d{2})?")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS = "mon tue wed thu fri sat sun".split()
_LONG_MONTHS = "january february march april may june july august september october november december".split()
_LONG_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NAMED = frozenset((*_MONTHS, *_DAYS, *_LONG_MONTHS, *_LONG_DAYS, "sept"))
_YEARS = range(1500, 2200)
NUMBERED = frozenset(("year", "month", "quarter", "week", "weekday", "day", "hour", "decade"))
"""Words with which the heading of a number that is a time ends."""


def is_period(heading: str, cells: Sequence[Any]) -> bool:
    """True if a column holds times: whatever is known of it is a date, or a year, month or day."""
    known = [c for c in cells if c is not None]
    if not known or any(isinstance(c, bool) for c in known):
        return False
    if all(isinstance(c, date | datetime) for c in known):
        return True
    if all(isinstance(c, str) for c in known):
        return all(_TEXT.fullmatch(c) for c in known) or names_in_calendar(known)
    words = heading.casefold().split()[-1:]
    numbered = bool(NUMBERED.intersection(words)) and not heading.casefold().startswith("number")
    return numbered and all(isinstance(c, int | float) and c == int(c) for c in known)


def names_in_calendar(cells: Sequence[Any]) -> bool:
    """True if all texts are names of months, or all names of days."""
    texts = {str(c).strip().casefold() for c in cells}
    return texts <= _NAMED and (_short(texts) <= {*_MONTHS} or _short(texts) <= {*_DAYS})


def _short(texts: set[str]) -> set[str]:
    return {t[:3] for t in texts}


def moment(cell: Any) -> tuple[int, Any]:
    """The key that a time is sorted by; an unknown time comes last."""
    if cell is None:
        return 2, 0
    short = str(cell).strip().casefold()[:3]
    if short in _MONTHS and isinstance(cell, str):
        return 0, _MONTHS.index(short)
    if short in _DAYS and isinstance(cell, str):
        return 0, _DAYS.index(short)
    return 1, cell


def in_order(rows: Result) -> Result:
    """The rows in the order of the time that they begin with, else of the texts.

    They stay as they are where they begin with something else, or were cut: what is left out would come
    between.
    """
    first = [row[0] for row in rows.rows]
    if rows.truncated:
        return rows
    if is_period(rows.columns[0], first):
        return replace(rows, rows=tuple(sorted(rows.rows, key=lambda row: moment(row[0]))))
    if all(c is None or isinstance(c, str) for c in first):
        return replace(rows, rows=tuple(sorted(rows.rows, key=lambda row: _alphabet(row[0]))))
    return rows


def _alphabet(cell: Any) -> tuple[bool, str]:
    return cell is None, str(cell).casefold()
