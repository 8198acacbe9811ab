"""Spans of time as an engine spells them."""

import re
from decimal import Decimal

_PART = re.compile(r"([-+]?\d+) (year|mon|month|day)s?(?: |$)", re.ASCII)
_CLOCK = re.compile(r"([-+]?)(\d+):(\d\d):(\d\d(?:\.\d+)?)$", re.ASCII)
_MONTHS, _DAYS = {"year": 12, "mon": 1, "month": 1}, {"day": 1}
_DAY_SECONDS = 86_400


class Interval(str):
    """A span of time in the engine's own spelling: "1 mon", "1 year 2 months", "25:15:00".

    It is text wherever it is shown or written. A month has no number of days, so it is no `timedelta`.
    """

    __slots__ = ()

    @property
    def parts(self) -> tuple[int, Decimal] | None:
        """Its months and its seconds, a day having 86,400; None for a spelling that isn't known."""
        rest, months, days = str(self), 0, 0
        while found := _PART.match(rest):
            count = int(found[1])
            months += count * _MONTHS.get(found[2], 0)
            days += count * _DAYS.get(found[2], 0)
            rest = rest[found.end() :]
        seconds = Decimal(0)
        if rest:
            clock = _CLOCK.match(rest)
            if clock is None:
                return None
            seconds = int(clock[2]) * 3600 + int(clock[3]) * 60 + Decimal(clock[4])
            seconds = -seconds if clock[1] == "-" else seconds
        return months, seconds + days * _DAY_SECONDS
