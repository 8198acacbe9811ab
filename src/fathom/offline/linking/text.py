"""Words: splitting questions and identifiers into them, and bringing words to their stems."""

import re
from collections.abc import Iterable
from functools import lru_cache

from fathom.offline.linking.records import QuestionToken, Span
from fathom.text import stem_of
from fathom.text.english import CONTRACTED, LEMMAS, STOP_WORDS
from fathom.text.identifiers import identifier_words
from fathom.text.patterns import Pattern

_TOKEN = Pattern(
    r"""(?P<number>[$€£]?\d+(?:,\d{3})+(?:\.\d+)?%?|[$€£]?\d*\.?\d+(?:st|nd|rd|th)\b|[$€£]?\d+(?:\.\d+)?%?(?![\w]))
    |(?P<word>[^\W_]+(?:['\u2019][^\W\d_]+)?)
    |(?P<sign>[^\w\s]|_)""",
    re.VERBOSE,
)
_QUOTES = Pattern(
    r"\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|\u2018([^\u2019]+)\u2019|``(.+?)''"
    r"|(?<![^\W_])'([^']+(?:'s [^']+)?)'(?![^\W_])|`([^`]+)`"
)
SHORTEST_ALIKE = 5
"""Letters from which a stem says enough to be the beginning of another."""
_POSSESSIVE = Pattern(r"['\u2019]s?$")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a word folded in case: "cities" and "city" share one, "children" gives that of "child"."""
    word = _POSSESSIVE.sub("", word)
    return stem_of(LEMMAS.get(word, word))


def is_stop(word: str) -> bool:
    """True if a word folded in case carries grammar rather than content."""
    return word in STOP_WORDS or word in CONTRACTED


def tokenize(text: str, *, evidence: bool = False) -> tuple[QuestionToken, ...]:
    """Split a text into tokens, in order; signs are kept, white space is not."""
    quoted = [(m.start(), m.end()) for m in _QUOTES.finditer(text)]
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        word = match.group()
        lower = word.casefold()
        tokens.append(
            QuestionToken(
                text=word,
                lower=lower,
                stem=stem(lower) if kind == "word" else lower,
                start=match.start(),
                end=match.end(),
                kind="number" if kind == "number" else "word" if kind == "word" else "sign",
                stop=kind == "sign" or (is_stop(_POSSESSIVE.sub("", lower)) and not _is_short(word, text)),
                quoted=any(a < match.start() and match.end() < b for a, b in quoted),
                evidence=evidence,
            )
        )
    return tuple(tokens)


def _is_short(word: str, text: str) -> bool:
    """True if a word is short for something, "US" or "IT", in a text that isn't all in capitals."""
    return len(word) > 1 and word.isupper() and not text.isupper()


def token_stems(tokens: Iterable[QuestionToken]) -> tuple[str, ...]:
    """The stems of words and numbers, without signs."""
    return tuple(t.stem for t in tokens if t.kind != "sign")


def quotes(tokens: tuple[QuestionToken, ...]) -> tuple[Span, ...]:
    """The runs of tokens inside quotation marks."""
    spans, first = [], None
    for position, token in enumerate((*tokens, None)):
        inside = token is not None and token.quoted
        if inside and first is None:
            first = position
        elif not inside and first is not None:
            spans.append(Span(first, position))
            first = None
    return tuple(spans)


def last_word(name: str) -> str:
    """The last word of an identifier; empty where it has none, as signs alone."""
    return (identifier_words(name) or ("",))[-1]


def name_stems(name: str) -> tuple[str, ...]:
    """The stems of the words that an identifier is made of."""
    return tuple(stem(w) for w in identifier_words(name))


def alike(one: str, other: str) -> bool:
    """True if two stems are forms of one word: "advis" of "advises", "advisor"."""
    return one == other or (
        min(len(one), len(other)) >= SHORTEST_ALIKE and (one.startswith(other) or other.startswith(one))
    )
