"""How people write the form of dates, such as DD/MM/YYYY, and what that is as a pattern."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from types import MappingProxyType

Formats = Mapping[tuple[str, str], str]
"""The forms of columns that a knowledge pack gives, by table and column in small letters."""
NO_FORMATS: Formats = MappingProxyType({})
_PARTS = {
    "YYYY": "%Y", "DD": "%d", "D": "%-d", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%-m", "HH": "%H",
    "mm": "%M", "MI": "%M", "SS": "%S", "ss": "%S",
}  # fmt: skip
_LETTERS = re.compile(r"Y+|D+|M+|m+|H+|S+|s+|MI|[A-Za-z]+")
_EPOCHS = {"epoch seconds": "s", "epoch milliseconds": "ms", "unix seconds": "s", "unix milliseconds": "ms"}
_DAY_PARTS = (("%Y",), ("%d", "%-d"), ("%m", "%-m", "%b", "%B"))


def epoch_unit(told: str) -> str:
    """The unit of "epoch seconds" or "epoch milliseconds", `s` or `ms`; "" for other texts."""
    return _EPOCHS.get(" ".join(told.casefold().split()), "")


def pattern_of(told: str) -> str:
    """The strptime pattern of a format such as DD/MM/YYYY or `D MMM YYYY HH:MM`; "" for other texts."""
    day, clock = told.strip(), ""
    if (at := day.find("HH")) > 0:
        day, clock = day[:at], day[at:].replace("MM", "mm")
    made = _LETTERS.sub(lambda m: _PARTS.get(m[0], "?"), day + clock)
    whole = all(sum(made.count(part) for part in parts) == 1 for parts in _DAY_PARTS)
    return made if whole and "?" not in made else ""


def format_named(pattern: str) -> str:
    """A strptime pattern as people write it: DD/MM/YYYY."""
    return re.sub(r"%-?[A-Za-z]", lambda m: _NAMES.get(m[0], m[0]), pattern)


def reads_as(text: str, patterns: tuple[str, str]) -> str:
    """Say which months a day may be in that two patterns read: "March or April"; "" where they agree."""
    months = [day.strftime("%B") for p in patterns if (day := date_of(text, p))]
    return " or ".join(months) if len(set(months)) > 1 else ""


_NAMES = {pattern: name for name, pattern in _PARTS.items() if name not in ("MI", "mm", "ss")} | {
    "%M": "MM",
    "%y": "YY",
}


def date_of(value: object, pattern: str) -> datetime | None:
    """The date that a text stands for; None where it isn't one of that pattern."""
    with suppress(ValueError):
        return datetime.strptime(str(value).strip(), pattern.replace("%-", "%"))
    return None
