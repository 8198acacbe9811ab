"""Numbers as people write them: amounts, shares, factors, places, months; and how loosely they are meant."""

import re
from typing import Any

from fathom.analysis.claims import Stated

_HEDGES = {
    "about": "about", "around": "about", "approximately": "about", "roughly": "about", "nearly": "about",
    "almost": "about", "some": "about", "circa": "about", "over": "over", "more than": "over",
    "at least": "at least", "above": "over", "under": "under", "less than": "under", "fewer than": "under",
    "at most": "at most",
    "below": "under", "just over": "over", "just under": "under", "exactly": "", "only": "", "just": "",
}  # fmt: skip
_SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "b": 1e9,
}
_SAID = {
    word: float(n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"no": 0.0, "dozen": 12.0}  # fmt: skip
_TIMES = {"twice": 2.0, "double": 2.0, "thrice": 3.0, "triple": 3.0}
_NEARLY = 0.5
"""The tolerance of "twice", in units of its last printed digit: from 1.75 to 2.25 times."""
_MULTIPLES = {"doubled": 2.0, "tripled": 3.0, "trebled": 3.0, "quadrupled": 4.0, "halved": 2.0}
_FRACTIONS = {
    "half": 50.0, "a third": 100 / 3, "one third": 100 / 3, "two thirds": 200 / 3, "a quarter": 25.0,
    "one quarter": 25.0, "three quarters": 75.0, "a fifth": 20.0, "one fifth": 20.0, "a tenth": 10.0,
    "one tenth": 10.0,
}  # fmt: skip
_MOST = {"most": Stated(75.0, 49.98), "the majority": Stated(75.0, 49.98)}
"""More than half."""
_LOOSE = 8.0
"""The tolerance of a fraction, in percentage points: "a third" is a round number, not a measured one."""
_NTH = dict(
    zip("first second third fourth fifth sixth seventh eighth ninth tenth".split(), range(1, 11), strict=True)
)
_HEDGE = "|".join(sorted(_HEDGES, key=len, reverse=True))
_DIGITS = r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?"
_SCALE = "|".join(_SCALES)
_WORDS = "|".join(sorted(_SAID | _TIMES, key=len, reverse=True))
_MONEY = r"(?:[$€£]|USD |EUR |US\$)?"
_CURRENCY = re.compile(r"[$€£]|\b(?:dollars|euros|USD|EUR|US)\b", re.IGNORECASE)
_HEDGED = rf"(?:(?:{_HEDGE})\s+)?(?:a\s+(?=dozen))?"
_NUMBER = (
    rf"{_HEDGED}{_MONEY}(?:{_DIGITS}|{_WORDS})(?:\s?(?:{_SCALE})\b)?(?:\s?(?:dollars|euros|USD|EUR|€|\$))?"
)
_RATIO = rf"(?:{_DIGITS}|{_WORDS})\s(?:in|out\sof)\s(?:{_DIGITS}|{_WORDS})\b"
_PERCENT = (
    rf"(?:(?:{_HEDGE})\s+)?(?:(?:{_DIGITS})\s?(?:%|per\s?cent)|{_RATIO}|"
    rf"{'|'.join(f.replace(' ', '[ -]') for f in (*_FRACTIONS, *_MOST))})"
)
_TURNED = rf"(?:(?:has|have)\s+)?(?:(?:{_HEDGE})\s+)?"
_SPAN = rf"(?:(?:{_DIGITS}|{_WORDS})\s+(?:months|quarters|years)|month|quarter|year)"
_PARTS = re.compile(
    rf"(?:(?P<hedge>{_HEDGE})\s+)?(?:a\s+)?{_MONEY}(?P<digits>{_DIGITS}|{'|'.join(_MULTIPLES)}|{_WORDS})"
    rf"(?:\s?(?P<scale>{_SCALE})\b)?",
    re.IGNORECASE,
)
_PART_OF = re.compile(
    rf"(?P<part>{_DIGITS}|{_WORDS})\s(?:in|out\sof)\s(?P<of>{_DIGITS}|{_WORDS})", re.IGNORECASE
)
SLOTS = {
    "number": _NUMBER,
    "then_number": _NUMBER,
    "factor": _NUMBER,
    "percent": _PERCENT,
    "then_percent": _PERCENT,
    "multiple": rf"{_TURNED}(?:{'|'.join(set(_MULTIPLES) - {'halved'})})",
    "halved": rf"{_TURNED}halved",
    "months": _SPAN,
    "nth": rf"(?:{'|'.join(_NTH)}|\d+(?:st|nd|rd|th))",
}
"""The slots of patterns that hold numbers, each with its expression."""


def stated(text: str) -> Stated:
    """The number of a text that the slot of a number, factor or multiple matched."""
    found = _PARTS.match(text.strip())
    assert found is not None
    money = re.search(_CURRENCY, text) is not None
    digits, scale = _plain(found["digits"]), _SCALES.get((found["scale"] or "").casefold(), 1.0)
    hedge: Any = _HEDGES[" ".join(found["hedge"].casefold().split())] if found["hedge"] else ""
    if (times := _TIMES.get(digits)) is not None:
        return Stated(times, _NEARLY, hedge)
    if (said := (_SAID | _MULTIPLES).get(digits)) is not None:
        return Stated(said * scale, scale, hedge, money)
    decimals = len(digits.partition(".")[2])
    return Stated(float(digits) * scale, scale / 10**decimals, hedge, money)


def stated_share(text: str) -> Stated:
    """The per cent of a text that a share's slot matched: "12.5 %", "about a third", "one in seven"."""
    hedged = re.match(rf"(?:({_HEDGE})\s+)?(.+)", text.strip(), re.IGNORECASE)
    assert hedged is not None
    hedge: Any = _HEDGES[" ".join(hedged[1].casefold().split())] if hedged[1] else ""
    said = " ".join(hedged[2].replace("-", " ").casefold().split())
    if said in _MOST:
        return _MOST[said]
    if (fraction := _FRACTIONS.get(said)) is not None:
        return Stated(fraction, _LOOSE, hedge)
    if ratio := _PART_OF.fullmatch(said):
        part, of = _value(ratio["part"]), _value(ratio["of"])
        if of < 2 or of > _ROUND:
            return Stated(100 * part / max(of, 1.0), 1 / max(of, 1.0), hedge)
        # One in seven: less than one in six and a half, more than one in seven and a half.
        return Stated(100 * part / of, 100 * part / (of - 0.5) - 100 * part / (of + 0.5), hedge)
    return stated(text)


_ROUND = 20
"""Up to here "one in seven" is a round figure; "13 in 91" counts."""


def nth(text: str) -> int:
    """The place that a slot of one matched: third, 3rd."""
    said = text.strip().casefold()
    return _NTH.get(said) or int(said[:-2])


def months(text: str) -> int:
    """The months of a span to come: "6 months", "two years", "quarter"."""
    *count, unit = text.strip().casefold().split()
    return int(_value(count[0]) if count else 1) * {"m": 1, "q": 3, "y": 12}[unit[0]]


def _plain(digits: str) -> str:
    return digits.replace(",", "").casefold()


def _value(said: str) -> float:
    return _SAID.get(said.casefold()) or float(_plain(said))
