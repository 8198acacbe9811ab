"""Values under other words: what a pack says that stored values mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from fathom.offline.linking.cues import comparison_at
from fathom.offline.linking.records import ColumnKey, LinkedValue, QuestionToken, Span
from fathom.offline.linking.text import token_stems, tokenize

Meanings = Mapping[str, Sequence[tuple[tuple[str, ...], ColumnKey, str]]]


def compile_meanings(meanings: Iterable[tuple[ColumnKey, str, str]]) -> Meanings:
    """(column, phrase, stored value) by the stem of the phrase's first word."""
    found: dict[str, list[tuple[tuple[str, ...], ColumnKey, str]]] = defaultdict(list)
    for column, phrase, value in meanings:
        stems = token_stems(tokenize(phrase))
        if stems and any(not t.stop for t in tokenize(phrase)):
            found[stems[0]].append((stems, column, value))
    return found


def find_meanings(
    tokens: Sequence[QuestionToken], meanings: Meanings, columns: Mapping[ColumnKey, int]
) -> list[LinkedValue]:
    """The stored values that phrases of the question stand for, the longest phrase of each column alone."""
    words = [(i, t) for i, t in enumerate(tokens) if t.kind != "sign"]
    found: dict[tuple[ColumnKey, Span], LinkedValue] = {}
    for place, (first, token) in enumerate(words):
        for stems, column, value in meanings.get(token.stem, ()):
            here = words[place : place + len(stems)]
            if column in columns and tuple(t.stem for _, t in here) == stems:
                span = Span(first, here[-1][0] + 1)
                text = " ".join(t.text for _, t in here)
                comparison = comparison_at(tokens, span) or "="
                found[column, span] = LinkedValue(
                    column, value, text, span, 0.95, "folded", comparison, rows=1
                )
    return [v for (c, s), v in found.items() if not any(c == d and s != t and s.within(t) for d, t in found)]
