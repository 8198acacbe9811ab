"""Single values: a canonical form in which equal ones are equal, and closeness of numbers."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from fathom.evaluation.comparisons.alignment import Closeness
from fathom.records import Interval

_DATE_LENGTH = 10
_EXACT_FLOATS = 2**53
_INSTANT = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?\s?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII
)
NOT_A_NUMBER = ("not a number",)


def canonical(value: Any) -> Any:  # noqa: PLR0911 - one line a type
    """The value in the form in which `semantic` compares it.

    Whole numbers of every type are integers, dates and times (also as ISO text) are instants in UTC, text is
    Unicode-normalised (NFC), lists and mappings are tuples. A time without a zone counts as UTC.
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return _span(value) if isinstance(value, Interval) else _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
        return int(value) if whole else _number(float(value))
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    return _rarer(value)


def _rarer(value: Any) -> Any:  # noqa: PLR0911 - one line a type
    if isinstance(value, timedelta):
        return ("months and seconds", 0, value.total_seconds())
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, dict):
        return tuple(sorted(((str(k), canonical(v)) for k, v in value.items()), key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(map(canonical, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(canonical, value))
    return value


def _span(value: Interval) -> Any:
    """A day is 24 hours, as in the engines; a month is no number of days."""
    if (parts := value.parts) is None:
        return str(value)
    months, seconds = parts
    return ("months and seconds", months, float(seconds))


def _number(value: float) -> Any:
    if math.isnan(value):
        return NOT_A_NUMBER
    # Beyond 2**53 a float no longer names one integer, so it stays a float and compares with tolerance.
    return int(value) if value.is_integer() and abs(value) < _EXACT_FLOATS else value


def _text(value: str) -> Any:
    if len(value) >= _DATE_LENGTH and value[4] == "-" and _INSTANT.fullmatch(value):
        try:
            return _instant(datetime.fromisoformat(value.replace(" +", "+").replace(" -", "-")))
        except ValueError:
            return value
    return value if value.isascii() else unicodedata.normalize("NFC", value)


def _instant(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    except OverflowError:
        return value.replace(tzinfo=None)


def is_number(value: Any) -> bool:
    """True if a canonical value is a number (true and false are)."""
    return isinstance(value, (int, float))


def close_within(*, relative: float, absolute: float = 0.0, whole_exact: bool = False) -> Closeness:
    """Closeness of values: numbers within the tolerances, everything else equal.

    `whole_exact`: two integers are close only when equal, since they may be keys.
    """

    def close(first: Any, second: Any) -> bool:
        if first == second:
            return True
        if not (is_number(first) and is_number(second)):
            return False
        if whole_exact and isinstance(first, int) and isinstance(second, int):
            return False
        try:
            return math.isclose(first, second, rel_tol=relative, abs_tol=absolute)
        except OverflowError:
            return False

    def bounds(number: Any) -> tuple[Any, Any]:
        # The tolerance is relative to the larger of two numbers, which may be the other one.
        apart = max(absolute, abs(number) * relative / (1 - relative)) * (1 + 1e-9)
        return (number - apart, number + apart) if math.isfinite(apart) else (number, number)

    return Closeness(close, is_number, bounds, whole_exact=whole_exact)


def canonical_rows(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The rows in canonical form."""
    return [tuple(map(canonical, row)) for row in rows]
