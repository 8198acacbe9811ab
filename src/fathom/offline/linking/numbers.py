"""Numbers in questions, in digits and in words, and how the words around them compare."""

from collections.abc import Sequence
from itertools import pairwise

from fathom.offline.linking.cues import comparison_at
from fathom.offline.linking.records import NumberMention, QuestionToken, Span
from fathom.offline.linking.wordlists import MULTIPLES, ORDINALS, SCALES, TENS, UNITS
from fathom.text.patterns import Pattern

_DIGITS = Pattern(r"[$€£]?(?P<digits>\d[\d,]*\.?\d*|\.\d+)(?P<tail>%|st|nd|rd|th)?$")
_PERCENT = {"percent", "percents", "pct", "%"}
_HEADS = frozenset(("which", "what", "list", "show", "find", "give", "name", "the"))
ASKED_FOR = 0.8
"""How likely a number of rows is meant where a question opens with it, and a superlative comes later: "which
five drugs have the most targets"."""


def find_numbers(tokens: Sequence[QuestionToken]) -> tuple[NumberMention, ...]:
    """The numbers among the tokens, in order, with ranges joined."""
    found: list[NumberMention] = []
    place = 0
    while place < len(tokens):
        number = _number_at(tokens, place)
        if number is None:
            place += 1
            continue
        found.append(number)
        place = number.span.end
    return _ranges(tokens, found)


def _number_at(tokens: Sequence[QuestionToken], place: int) -> NumberMention | None:
    token = tokens[place]
    value: int | float
    if token.kind == "number" and (match := _DIGITS.match(token.lower)):
        value, end = _plain(match["digits"]), place + 1
        if _negative(tokens, place):
            value = -value
        ordinal = match["tail"] not in (None, "%")
        percent = match["tail"] == "%"
        while end < len(tokens) and tokens[end].lower in SCALES and not ordinal:
            value, end = _whole(value * SCALES[tokens[end].lower]), end + 1
    elif token.kind == "word":
        value, end, ordinal = _spelt(tokens, place)
        percent = False
        if end == place:
            return None
    else:
        return None
    if end < len(tokens) and tokens[end].lower in _PERCENT:
        percent, end = True, end + 1
    span = Span(place, end)
    year = token.kind == "number" and end == place + 1 and 1500 <= value <= 2100 and value == int(value)
    year = year and "," not in token.text and "." not in token.text
    return NumberMention(
        value=value,
        span=span,
        comparison=comparison_at(tokens, span) or "=",
        ordinal=ordinal,
        percent=percent,
        year=year,
        limit=_limit(tokens, span, ordinal),
    )


def _negative(tokens: Sequence[QuestionToken], place: int) -> bool:
    """True if a minus sign stands right before the number and right after no word or number."""
    if not place or tokens[place - 1].lower != "-" or tokens[place - 1].end != tokens[place].start:
        return False
    return place == 1 or tokens[place - 2].end < tokens[place - 1].start


def _plain(digits: str) -> int | float:
    text = digits.replace(",", "").rstrip(".")
    return float(text) if "." in text else int(text)


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _spelt(tokens: Sequence[QuestionToken], place: int) -> tuple[int | float, int, bool]:
    """Value, end and whether it is an ordinal, of number words starting here; `place` ends none."""
    first = tokens[place].lower
    if first in ORDINALS and not tokens[place].quoted:
        return ORDINALS[first], place + 1, True
    if first in MULTIPLES:
        return _whole(MULTIPLES[first]), place + 1, False
    total, part, end = 0, 0, place
    while end < len(tokens):
        word = tokens[end].lower
        if word in UNITS:
            part += UNITS[word]
        elif word in TENS:
            part += TENS[word]
        elif word in SCALES and end > place:
            part = max(part, 1) * SCALES[word]
            if SCALES[word] > 100:
                total, part = total + part, 0
        elif not (word in {"and", "-"} and end > place and _goes_on(tokens, end)):
            break
        end += 1
    return total + part, end, False


def _goes_on(tokens: Sequence[QuestionToken], end: int) -> bool:
    """True if "and" or a hyphen stands inside a number: "one hundred and five", "twenty-one"."""
    following = tokens[end + 1].lower if end + 1 < len(tokens) else ""
    before = tokens[end - 1].lower
    if tokens[end].lower == "-":
        return before in TENS and following in UNITS
    return before in SCALES and (following in UNITS or following in TENS)


def _limit(tokens: Sequence[QuestionToken], span: Span, ordinal: bool) -> float:
    """How likely the number says how many rows to give: "top 3", "3 most expensive", "the 5 oldest"."""
    before = [t.lower for t in tokens[max(0, span.first - 2) : span.first]]
    after = [t.lower for t in tokens[span.end : span.end + 2]]
    superlative = any(w.endswith("est") or w in {"most", "least", "top"} for w in after)
    if before and before[-1] in {"top", "first", "bottom", "last", "best"}:
        return 0.95
    if superlative:
        return 0.9
    later = any(t.lower.endswith("est") or t.lower in {"most", "least"} for t in tokens[span.end :])
    if later and not ordinal and comparison_at(tokens, span) is None:
        return ASKED_FOR if before and before[-1] in _HEADS else 0.5
    return 0.3 if ordinal else 0.05


def _ranges(tokens: Sequence[QuestionToken], numbers: Sequence[NumberMention]) -> tuple[NumberMention, ...]:
    """Give the first number of each range ("between 3 and 5", "from 3 to 5") its upper end."""
    joined = list(numbers)
    for place, (low, high) in enumerate(pairwise(numbers)):
        between = [t.lower for t in tokens[low.span.end : high.span.first]]
        link = [w for w in between if w in {"and", "to", "through", "till", "until", "-", "or"}]
        near = len(between) <= 4 and len(link) == 1
        before = {t.lower for t in tokens[max(0, low.span.first - 5) : low.span.first]}
        opened = "between" in before or ("from" in before and link[:1] != ["and"]) or "range" in before
        if near and (opened and link[0] in {"and", "to", "through", "till", "until", "-"}):
            joined[place] = NumberMention(
                low.value, low.span, "between", high.value, False, low.percent, low.year, 0.0
            )
    return tuple(joined)
