"""How one cell reads."""

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

LONGEST_TEXT = 120


def shown_value(value: Any) -> str:
    """A cell as a person reads it: whole numbers whole, others with up to six significant digits."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return _number(float(value))
    if isinstance(value, datetime | date):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.2f}"
