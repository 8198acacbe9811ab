"""How the text values of a column are written: dates, numbers with units, lists in one cell, codes ..."""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from fathom.records.profile import ValueFormat

_JUDGED = 200
_NEARLY_ALL = 0.95
_YEARS = range(1500, 2200)
_DATE_PATTERNS = (
    "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z", "%Y/%m/%d",
    "%Y.%m.%d", "%Y%m%d", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%d-%b-%y", "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y",
    "%d %b %Y", "%d %B %Y", "%B %Y", "%b %Y", "%Y-%m", "%H:%M:%S", "%H:%M", "%I:%M %p",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
_MEASURE = re.compile(
    r"(?P<before>[$€£¥₹]|US\$|USD |EUR )?\s?[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"
    r"\s?(?P<after>[%°µ²³/A-Za-z]{0,12})"
)
_UNITS = frozenset(
    """% k m b bn mn kg g mg µg lb lbs oz t km cm mm nm ft in inch inches mi mile miles yd px s sec secs
    min mins minute minutes h hr hrs hour hours day days week weeks month months year years yr yrs kb mb gb tb
    hz khz mhz ghz v w kw kwh hp cc l ml cl dl mph kmh km/h m/s °c °f °""".split()
)
_PAIRS = tuple(map(frozenset, (("y", "n"), ("yes", "no"), ("t", "f"), ("true", "false"), ("0", "1"))))
_SEPARATORS = (";", "|", ",", "/")
_IDENTIFIER = re.compile(r"[A-Za-z]{1,6}[-_:.]?\d{2,}[A-Za-z]?")
_LONGEST_CODE = 24
_LONGEST_PART = 40


class Format(NamedTuple):
    """A format; `pattern` is a strptime pattern of dates, or the unit of numbers."""

    kind: ValueFormat
    pattern: str | None = None
    separator: str | None = None


PLAIN = Format("plain")


def format_of(values: Collection[object], *, repeats: bool) -> Format:
    """The format of a column's distinct values other than null; `repeats` says that rows share values."""
    values = list(values)[: 5 * _JUDGED]
    if not values:
        return PLAIN
    texts = [v.strip() for v in values if isinstance(v, str) and v.strip()]
    if len(texts) < _NEARLY_ALL * len(values):
        return _of_integers(values)
    judged = texts[:_JUDGED]
    for recognise in (_boolean, _date, _number, _measure, _json):
        if found := recognise(judged):
            return found
    return _list(texts) or _code(judged, repeats) or PLAIN


def _of_integers(values: Sequence[object]) -> Format:
    integers = {v for v in values if isinstance(v, int)}
    if len(integers) < len(values):
        return PLAIN
    if integers == {0, 1}:
        return Format("boolean")
    if all(19_000_000 < i < 21_000_000 for i in integers) and _all_dates(map(str, integers), "%Y%m%d"):
        return Format("date", "%Y%m%d")
    return PLAIN


def _boolean(texts: Sequence[str]) -> Format | None:
    found = {t.casefold() for t in texts}
    return Format("boolean") if found in _PAIRS or found in ({"yes"}, {"true"}) else None


def _date(texts: Sequence[str]) -> Format | None:
    if not any(c.isdigit() for c in texts[0]):
        return None
    for pattern in _DATE_PATTERNS:
        if _all_dates(texts, pattern):
            return Format("date", pattern)
    return None


def _all_dates(texts: Iterable[str], pattern: str) -> bool:
    """True if nearly all are dates of one pattern; stops at the second that isn't, where there are few."""
    right = wrong = 0
    for text in texts:
        try:
            year = datetime.strptime(text, pattern).year
            ok = ("%Y" not in pattern or year in _YEARS) and (pattern != "%Y%m%d" or len(text) == 8)
        except ValueError:
            ok = False
        right, wrong = right + ok, wrong + (not ok)
        if wrong > 1 + right * (1 - _NEARLY_ALL):
            return False
    return right > 0 and wrong <= right * (1 - _NEARLY_ALL)


def _share(texts: Sequence[str], expression: re.Pattern[str]) -> float:
    return sum(expression.fullmatch(t) is not None for t in texts) / len(texts)


def _number(texts: Sequence[str]) -> Format | None:
    if _share(texts, _NUMBER) >= _NEARLY_ALL:
        return Format("number")
    grouped = _share(texts, _THOUSANDS)
    if grouped and grouped + _share(texts, _NUMBER) >= _NEARLY_ALL:
        return Format("thousands")
    return None


def _measure(texts: Sequence[str]) -> Format | None:
    matches = [m for t in texts if (m := _MEASURE.fullmatch(t))]
    units = [(m["before"] or m["after"]).strip() for m in matches if m["before"] or _is_unit(m)]
    if len(units) < 0.9 * len(texts):
        return None
    return Format("number_with_unit", max(sorted(set(units)), key=units.count))


def _is_unit(match: re.Match[str]) -> bool:
    return match["after"].casefold() in _UNITS


def _json(texts: Sequence[str]) -> Format | None:
    if texts[0][0] not in "{[":
        return None
    parsed = 0
    for text in texts:
        with suppress(ValueError):
            parsed += isinstance(json.loads(text), dict | list)
    return Format("json") if parsed >= _NEARLY_ALL * len(texts) else None


def _list(texts: Sequence[str]) -> Format | None:
    for separator in _SEPARATORS:
        cells = [[p.strip() for p in t.split(separator)] for t in texts]
        split = [c for c in cells if len(c) > 1]
        if len(split) < max(2, 0.1 * len(texts)):
            continue
        parts = list(chain.from_iterable(split))
        if sum(map(len, parts)) > _LONGEST_PART * len(parts) / 2 or not all(parts):
            continue
        # The members of a list change places; the halves of "Paris, France" don't.
        first = {c[0] for c in cells}
        later = set(chain.from_iterable(c[1:] for c in split))
        if len(first & later) >= 0.2 * min(len(first), len(later)):
            return Format("list", separator=separator)
    return None


def _code(texts: Sequence[str], repeats: bool) -> Format | None:
    if _share(texts, _IDENTIFIER) >= _NEARLY_ALL:
        return Format("code")
    short = all(len(t) <= _LONGEST_CODE and t == t.upper() and any(map(str.isalpha, t)) for t in texts)
    return Format("code") if short and (repeats or all(len(t) <= 4 for t in texts)) else None
