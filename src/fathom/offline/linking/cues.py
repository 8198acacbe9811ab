"""Grammar words that shape a query: comparisons, quantities, superlatives, negations."""

from collections.abc import Sequence
from typing import cast

from fathom.offline.linking.records import (
    Aggregate,
    Comparison,
    Direction,
    QuantityMention,
    QuestionToken,
    Span,
)
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import (
    AFTER,
    ASCENDING,
    BEFORE,
    DESCENDING,
    LESS,
    NEGATIONS,
    ORDER_ASCENDING,
    ORDER_DESCENDING,
    QUANTITIES,
)

_REACH = 4  # words between a comparison and its value: "more than [the age of] 30"
_LONGEST = 5


def comparison_at(tokens: Sequence[QuestionToken], span: Span) -> Comparison | None:
    """Read the comparison in the words just before or after a value; None where there is none."""
    words = [t.lower for t in tokens]
    for start in range(span.end, min(span.end + 3, len(words))):
        for size in (2, 1):
            follows = words[start + size] if start + size < len(words) else ""
            if follows == "than" or follows[:1].isdigit():
                continue  # "below 600 or higher than 900": the phrase belongs to the next number
            if (sign := AFTER.get(tuple(words[start : start + size]))) and start + size <= len(words):
                return cast(Comparison, sign)
    for gap in range(_REACH + 1):
        end = span.first - gap
        if end <= 0 or (gap and _closes(tokens[end])):
            break
        for size in range(min(_LONGEST, end), 0, -1):
            phrase = tuple(words[end - size : end])
            sign = BEFORE.get(phrase)
            if sign and not (gap > 1 and sign in {"!=", "between"} and phrase[0] in {"not", "from"}):
                return cast(Comparison, sign)
        if sign := _comparative(words, end):
            return sign
    return None


def _closes(token: QuestionToken) -> bool:
    """True if a word between a comparison and its value breaks the tie."""
    return token.lower in {",", "and", "or", "?", ".", "who", "that", "which", "whose", "where", "with"}


def _comparative(words: Sequence[str], end: int) -> Comparison | None:
    """ "older than", "more expensive than": the comparison that ends just before `end`."""
    if words[end - 1] != "than":
        return None
    signs = (sign_of_comparative(word) for word in reversed(words[max(0, end - 4) : end - 1]))
    return next((sign for sign in signs if sign), None)


def sign_of_comparative(word: str) -> Comparison | None:
    """The comparison that a word makes before "than"; None for one that makes none."""
    if word in LESS:
        return "<"
    return ">" if word in {"more", "greater"} or (word.endswith("er") and len(word) > 4) else None


_NUMBERS_OF = ("numbers", "of")
"""They count, but for "the account numbers of" and the like."""


def find_quantities(tokens: Sequence[QuestionToken]) -> tuple[QuantityMention, ...]:
    """Words that ask for an aggregate, longest phrase first at each place."""
    words = [t.lower for t in tokens]
    found = []
    place = 0
    while place < len(words):
        for size in range(3, 0, -1):
            phrase = tuple(words[place : place + size])
            name = QUANTITIES.get(phrase)
            of_things = phrase == _NUMBERS_OF and place > 0 and not tokens[place - 1].stop
            if name and place + size <= len(words) and not of_things:
                found.append(QuantityMention(cast(Aggregate, name), Span(place, place + size)))
                place += size
                break
        else:
            place += 1
    return tuple(found)


_FAIL = stem("fail")
"""It denies what follows "to": "failed to pay". Payments that failed are of a kind."""


def find_negations(tokens: Sequence[QuestionToken]) -> tuple[Span, ...]:
    """The negating words."""
    return tuple(
        Span(i, i + 1)
        for i, t in enumerate(tokens)
        if not t.quoted
        and (t.lower in NEGATIONS or t.lower.replace("\u2019", "'").endswith("n't"))
        and not _counts_off(tokens, i)
        and not (t.stem == _FAIL and [n.lower for n in tokens[i + 1 : i + 2]] != ["to"])
    )


def _counts_off(tokens: Sequence[QuestionToken], place: int) -> bool:
    """Tell whether "no" stands for "number": "flight No. 12", "account no 0042", "their account no"."""
    if tokens[place].lower != "no":
        return False
    after = [t.text if t.kind == "sign" else t.kind for t in tokens[place + 1 : place + 3]]
    named = place > 0 and not tokens[place - 1].stop and tokens[place - 1].kind != "number"
    return after == [".", "number"] or (named and (after[:1] == ["number"] or after in ([], ["?"])))


def superlative_direction(token: QuestionToken) -> Direction | None:
    """The order that a superlative asks for; None for other words."""
    word = token.lower
    if token.quoted:
        return None
    if word in DESCENDING or word in ORDER_DESCENDING:
        return "desc"
    if word in ASCENDING or word in ORDER_ASCENDING:
        return "asc"
    if word.endswith("iest") or (word.endswith("est") and len(word) > 5 and word not in _NOT_SUPERLATIVE):
        return "desc"
    return None


_NOT_SUPERLATIVE = {"interest", "request", "harvest", "forest", "contest", "protest", "suggest", "honest"}
