"""A quantity over time: one value a month, whole months only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

Values = np.ndarray[tuple[int], np.dtype[np.float64]]
EDGE_DAYS = 5
"""A first or last month counts as whole where no more of its days than these have no rows."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values of consecutive months (or years): `start` is the first one's first day, `per_year` 12 or 1."""

    start: date
    values: Values
    per_year: int = 12

    def __len__(self) -> int:
        return len(self.values)

    @property
    def unit(self) -> str:
        """The span of time that one value covers: a month or a year."""
        return "month" if self.per_year == 12 else "year"

    def day(self, place: int) -> date:
        """The first day of the month or year at a place, which may lie beyond the end."""
        if self.per_year == 1:
            return date(self.start.year + place, 1, 1)
        return month_after(self.start, place)

    def place(self, day: date) -> int:
        """The place of the month or year that a day is in, negative before the start."""
        years = day.year - self.start.year
        return years if self.per_year == 1 else years * 12 + day.month - self.start.month


def month_after(day: date, months: int) -> date:
    """The first day of the month so many months later."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def monthly(
    rows: Sequence[tuple[str, float | None]], first: date, last: date, *, empty: float | None
) -> Series | None:
    """The series of rows ('2024-03', value), without a first or last month that isn't whole.

    Months without rows have the value `empty`; where that is None, the one before (an average of nothing
    isn't 0). None where no whole month is left.
    """
    held = {text[:7]: float(value) for text, value in rows if value is not None}
    start = date(first.year, first.month, 1)
    if first.day > 1 + EDGE_DAYS:
        start = month_after(start, 1)
    end = date(last.year, last.month, 1)
    if (month_after(end, 1) - last) <= timedelta(days=1 + EDGE_DAYS):
        end = month_after(end, 1)
    count = (end.year - start.year) * 12 + end.month - start.month
    if count < 1:
        return None
    months = [month_after(start, n) for n in range(count)]
    return _filled(start, [held.get(m.strftime("%Y-%m")) for m in months], empty, 12)


def yearly(rows: Sequence[tuple[int, float | None]], *, empty: float | None) -> Series | None:
    """The series of rows (year, value)."""
    held = {int(year): float(value) for year, value in rows if value is not None}
    if not held:
        return None
    years = range(min(held), max(held) + 1)
    return _filled(date(years[0], 1, 1), [held.get(y) for y in years], empty, 1)


def _filled(start: date, values: Sequence[float | None], empty: float | None, per_year: int) -> Series | None:
    filled: list[float] = []
    for value in values:
        before = filled[-1] if filled else next((v for v in values if v is not None), None)
        instead = empty if empty is not None else before
        if value is None and instead is None:
            return None
        filled.append(float(value if value is not None else instead or 0.0))
    return Series(start, np.array(filled, dtype=np.float64), per_year)
