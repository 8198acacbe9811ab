"""How one cell reads."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

LONGEST_TEXT = 120
_LARGE = 1_000_000
_EXACT = 1e16
"""From here on a float isn't known to the unit: its digits would say more than is known."""
_THOUSAND = 1_000
_GROUPED_FROM = 10_000
"""A whole number of four digits may be a year, and is read at a glance anyway."""
_MONEY = frozenset(
    "price prices cost costs revenue revenues sales salary salaries payment payments fee fees income balance"
    " budget amount amounts total spent earnings profit wage wages usd eur gbp chf".split()
)
_NAMING = frozenset(
    "id ids code codes number no nr key zip postal phone fax year month quarter week day isbn".split()
)
"""Words with which the headings of numbers end that name something, and are grouped in no thousands."""
_MIDNIGHT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]00:00(:00(\.0+)?)?")
_UNIT = re.compile(r"\(([^()]{1,12})\)$")


def shown_column(heading: str, cells: Sequence[Any]) -> list[str]:
    """The cells of one column as a person reads them below each other.

    Amounts of money have two places, large numbers are grouped by thousands; what names something, such as
    the number of an order or a year, stays as it is. The `heading` tells which it is.
    """
    if (days := _days(cells)) is not None:
        return days
    words = re.findall(r"[^\W\d_]+", heading.casefold())
    numbers = [c for c in cells if isinstance(c, int | float | Decimal) and not isinstance(c, bool)]
    counts = words[:2] == ["number", "of"]
    if not numbers or (not counts and _NAMING.intersection(words[-1:])):
        return [shown_value(c) for c in cells]
    parts = any(n != int(n) for n in numbers if math.isfinite(n))
    money = parts and not _MONEY.isdisjoint(words) and not counts
    least = _THOUSAND if counts else _GROUPED_FROM
    large = any(abs(float(n)) >= least for n in numbers if math.isfinite(n))
    return [_grouped(c, money=money, large=large) for c in cells]


def shown_rows(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    """Rows as a person reads them, each column as `shown_column` has it."""
    columns = [shown_column(h, [row[i] for row in rows]) for i, h in enumerate(headings)]
    return list(zip(*columns, strict=True)) if columns else [() for _ in rows]


def _days(cells: Sequence[Any]) -> list[str] | None:
    """Dates without the time of day, where all are held as of midnight."""
    told = [shown_value(c) for c in cells]
    known = [t for c, t in zip(cells, told, strict=True) if c is not None]
    if not known or not all(_MIDNIGHT.fullmatch(t) for t in known):
        return None
    return [t[:10] if _MIDNIGHT.fullmatch(t) else t for t in told]


def shown_with_unit(heading: str, cell: Any) -> tuple[str, str]:
    """A heading without its unit, and the one cell below it with that behind it."""
    unit = _UNIT.search(heading)
    told = shown_column(heading, [cell])[0]
    if unit is None or cell is None or isinstance(cell, str):
        return heading, told
    return heading[: unit.start()].rstrip(), f"{told} {unit[1]}"


def _grouped(cell: Any, *, money: bool, large: bool) -> str:
    number = isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
    if not number or not math.isfinite(cell) or abs(cell) >= _EXACT:
        return shown_value(cell)
    if money:
        return f"{cell:,.2f}"
    whole, point, rest = shown_value(cell).partition(".")
    return f"{int(whole):,}{point}{rest}" if large and whole.lstrip("-").isdecimal() else shown_value(cell)


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
