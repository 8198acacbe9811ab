"""How the text values of a column are written: dates, numbers with units, lists in one cell, codes ..."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from fathom.records import Column
from fathom.records.profile import ValueFormat
from fathom.records.schema import NUMERIC
from fathom.text.identifiers import identifier_words

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
    hz khz mhz ghz v w kw kwh hp cc l ml cl dl mph kmh km/h m/s °c °f °
    usd eur gbp chf jpy cny inr cad aud nzd sek nok dkk isk pln czk huf ron bgn try brl mxn ars clp zar krw
    sgd hkd thb idr myr php vnd ils aed sar""".split()
)
_PAIRS = tuple(map(frozenset, (("y", "n"), ("yes", "no"), ("t", "f"), ("true", "false"), ("0", "1"))))
_SEPARATORS = (";", "|", ",", "/")
_IDENTIFIER = re.compile(r"[A-Za-z]{1,6}[-_:.]?\d{2,}[A-Za-z]?")
_ARRAY = re.compile(r"\[\d*\]$|^(array|list)\b", re.I)
"""Types of PostgreSQL's and DuckDB's columns of arrays."""
_LEADING_ZERO = re.compile(r"0\d")
_SIGN = re.compile(r"US\$|USD|EUR|[$€£¥₹%]")
_LONGEST_CODE = 24
_LONGEST_PART = 40


_SWAPPED = {
    "%m/%d/%Y": "%d/%m/%Y", "%m/%d/%y": "%d/%m/%y", "%m/%d/%Y %H:%M": "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S": "%d/%m/%Y %H:%M:%S", "%d-%m-%Y": "%m-%d-%Y", "%d.%m.%Y": "%m.%d.%Y",
}  # fmt: skip
"""Patterns that differ in the order of day and month alone."""
_DECIMAL_COMMA = re.compile(r"[^\d-]{0,4}-?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?[^\d]{0,4}")
_COMMA_PLACES = re.compile(r"\d,\d{1,2}(?!\d)")
_BY_COMMA = re.compile(r"[^\d-]{0,4}-?\d+,\d{1,2}[^\d]{0,4}")
_BY_POINT = re.compile(r"[^\d-]{0,4}-?\d+\.\d{1,2}[^\d]{0,4}")
_LEAST_NUMBERS = 0.6
"""Share of numbers from which the other texts of a column count as gaps: "n/a", "unknown"."""
_FEW_GAPS = 8
"""Different texts among numbers; where there are more, the column isn't one of numbers."""
_TIMED = frozenset(
    "at on time times date dates timestamp ts epoch created updated modified seen login logged sent started "
    "ended expires opened closed".split()
)
"""Words of the names of columns that hold points in time."""
_EPOCHS = (("s", 300_000_000, 4_200_000_000), ("ms", 300_000_000_000, 4_200_000_000_000))
"""1979 to 2103."""


class Format(NamedTuple):
    """A format; `pattern` is a strptime pattern of dates, or the unit of numbers.

    `other` is a second pattern that fits as well, and the comma of numbers of which others have a point;
    `fits` tells which values have the format, where not all do; `comma` says that a comma is the decimal
    point.
    """

    kind: ValueFormat
    pattern: str | None = None
    separator: str | None = None
    other: str | None = None
    comma: bool = False
    fits: Callable[[object], bool] | None = None


PLAIN = Format("plain")
TYPED: frozenset[ValueFormat] = frozenset(
    ("date", "epoch", "number", "number_with_unit", "thousands", "json")
)
"""The formats of values that no word has."""


def format_of(values: Collection[object], *, repeats: bool, column: Column | None = None) -> Format:
    """The format of a column's distinct values other than null; `repeats` says that rows share values."""
    values = list(values)[: 5 * _JUDGED]
    if not values:
        return PLAIN
    if column is not None and _ARRAY.search(column.type):
        return Format("list", "array")
    texts = [v.strip() for v in values if isinstance(v, str) and v.strip()]
    if len(texts) < _NEARLY_ALL * len(values):
        return _of_integers(values, column) or _numbers_among(values, column) or PLAIN
    judged = texts[:_JUDGED]
    for recognise in (_boolean, _date, _two_points, _decimal_comma, _number, _measure, _json):
        if found := recognise(judged):
            plain = found.kind == "number" and not found.pattern and not found.comma
            if found.kind in TYPED - {"json"}:
                found = found._replace(fits=_is_number if plain else _has_digit)
            return found
    return _list(texts) or _code(judged, repeats) or _numbers_among(values, column) or PLAIN


def _of_integers(values: Sequence[object], column: Column | None) -> Format | None:
    integers = {v for v in values if isinstance(v, int)}
    if len(integers) < len(values):
        return None
    if integers == {0, 1}:
        return Format("boolean")
    if all(19_000_000 < i < 21_000_000 for i in integers) and _all_dates(map(str, integers), "%Y%m%d"):
        return Format("date", "%Y%m%d")
    if column is not None and not _TIMED.isdisjoint(identifier_words(column.name)):
        for unit, least, most in _EPOCHS:
            if all(least < i < most for i in integers):
                return Format("epoch", unit)
    return None


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        text = _SIGN.sub("", value).strip()
        return not _LEADING_ZERO.match(text) and bool(_NUMBER.fullmatch(text) or _THOUSANDS.fullmatch(text))
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _has_digit(value: object) -> bool:
    return not isinstance(value, str) or any(map(str.isdigit, value))


def _numbers_among(values: Sequence[object], column: Column | None) -> Format | None:
    """Numbers with a few other texts among them, or in a column that is declared as one of numbers."""
    others = {v.strip() for v in values if isinstance(v, str) and not _is_number(v)}
    numbers = sum(map(_is_number, values))
    few = len(others) <= _FEW_GAPS and numbers >= max(2, _LEAST_NUMBERS * len(values))
    declared = column is not None and column.kind in NUMERIC and numbers
    if not others or not (few or declared):
        return None
    written = [v for v in values if isinstance(v, str) and _is_number(v)]
    signs = [m[0] for v in written if (m := _SIGN.search(v))]
    sign = max(sorted(set(signs)), key=signs.count) if signs else None
    return Format("number", sign or ("," if any("," in v for v in written) else None), fits=_is_number)


def _boolean(texts: Sequence[str]) -> Format | None:
    found = {t.casefold() for t in texts}
    return Format("boolean") if found in _PAIRS or found in ({"yes"}, {"true"}) else None


def _date(texts: Sequence[str]) -> Format | None:
    if not any(c.isdigit() for c in texts[0]):
        return None
    for pattern in _DATE_PATTERNS:
        if not _all_dates(texts, pattern):
            continue
        other = _SWAPPED.get(pattern)
        if other is None:
            return Format("date", _unpadded(pattern, texts))
        fit, fit_swapped = _fitting(texts, pattern), _fitting(texts, other)
        if fit == fit_swapped:
            return Format("date", _unpadded(pattern, texts), other=_unpadded(other, texts))
        return Format("date", _unpadded(pattern if fit > fit_swapped else other, texts))
    return None


def _unpadded(pattern: str, texts: Sequence[str]) -> str:
    """The pattern with `%-d` and `%-m` where some texts leave out a leading zero."""
    if all(len(t) == len(texts[0]) for t in texts) or "%b" in pattern or "%B" in pattern:
        return pattern
    return pattern.replace("%d", "%-d").replace("%m", "%-m")


def _fitting(texts: Sequence[str], pattern: str) -> int:
    return sum(_all_dates([text], pattern) for text in texts)


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


def _two_points(texts: Sequence[str]) -> Format | None:
    """Numbers of which some have a decimal comma and others a point, as 12,5 and 4.2: `other` is ","."""
    written = (_BY_COMMA, _BY_POINT)
    if not all(any(map(form.fullmatch, texts)) for form in written):
        return None
    numbers = sum(_is_number(t) or any(form.fullmatch(t) for form in written) for t in texts)
    return Format("number", other=",") if numbers >= _LEAST_NUMBERS * len(texts) else None


def _decimal_comma(texts: Sequence[str]) -> Format | None:
    """Numbers such as 1.234,50: all fit, and some have one or two digits behind a comma."""
    if _share(texts, _DECIMAL_COMMA) < _NEARLY_ALL or not any(map(_COMMA_PLACES.search, texts)):
        return None
    signs = [m[0].strip() for t in texts if (m := _SIGN.search(t))]
    return Format("number", max(sorted(set(signs)), key=signs.count) if signs else None, comma=True)


def _number(texts: Sequence[str]) -> Format | None:
    if any(map(_LEADING_ZERO.match, texts)):  # an account's number, a post code: text that stays text
        return None
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
    if parsed < _NEARLY_ALL * len(texts):
        return None
    return Format("list", "json") if all(t[0] == "[" for t in texts) else Format("json")


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
