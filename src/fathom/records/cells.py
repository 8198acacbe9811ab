"""How one cell reads."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

LONGEST_TEXT = 120
_LARGE = 1_000_000
_EXACT = 1e16
"""From here on a float isn't known to the unit: its digits would say more than is known."""


def shown_value(value: Any) -> str:
    """A cell as a person reads it, cut at 120 letters.

    Whole numbers are whole, others have up to six significant digits or, from a million on, two places;
    lists stand in [], what has names in {}.
    """
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        return _number(value)
    if isinstance(value, Decimal) and value.is_finite():
        return _decimal(value)
    text = _text(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _text(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{shown_value(k)}: {shown_value(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown_value, value))}]"
    return " ".join(str(value).split())


def _number(value: float) -> str:
    if abs(value) >= _EXACT:
        return repr(value)
    if value == int(value):
        return str(int(value))
    return f"{value:.6g}" if abs(value) < _LARGE else f"{value:.2f}"


def _decimal(value: Decimal) -> str:
    """To the last digit from a million on: servers give the sum of whole numbers as a decimal."""
    if abs(value) < _LARGE:
        return _number(float(value))
    if value.adjusted() > LONGEST_TEXT:
        return f"{value:.6g}"
    return f"{value:.0f}" if value == value.to_integral_value() else f"{value:.2f}"
