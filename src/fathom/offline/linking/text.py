"""Words: splitting questions and identifiers into them, and bringing words to their stems."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import snowballstemmer

from fathom.databases.run_together import taken_apart
from fathom.offline.linking.records import Span, Token
from fathom.offline.linking.wordlists import ABBREVIATIONS, IRREGULAR, STOP

_STEMMER = snowballstemmer.stemmer("english")

_TOKEN = re.compile(
    r"""(?P<number>[$€£]?\d+(?:,\d{3})+(?:\.\d+)?%?|[$€£]?\d*\.?\d+(?:st|nd|rd|th)\b|[$€£]?\d+(?:\.\d+)?%?(?![\w]))
    |(?P<word>[^\W_]+(?:['\u2019][^\W\d_]+)?)
    |(?P<sign>[^\w\s]|_)""",
    re.VERBOSE,
)
_QUOTES = re.compile(
    r"\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|\u2018([^\u2019]+)\u2019|``(.+?)''"
    r"|(?<![^\W_])'([^']+(?:'s [^']+)?)'(?![^\W_])|`([^`]+)`"
)
_PLURALS = {one: many for many, one in IRREGULAR.items()}
SHORTEST_ALIKE = 5
"""Letters from which a stem says enough to be the beginning of another."""
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a word folded in case: "cities" and "city" share one, "children" gives that of "child"."""
    word = _POSSESSIVE.sub("", word)
    return str(_STEMMER.stemWord(IRREGULAR.get(word, word)))


def in_number(words: Sequence[str], *, many: bool) -> str:
    """Words for a thing, folded in case, in the plural or the singular: the last one tells."""
    *first, last = words
    one = IRREGULAR.get(last) or _singular(last)
    return " ".join((*first, _plural(one) if many else one))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def is_stop(word: str) -> bool:
    """Whether a word folded in case carries grammar rather than content."""
    return word in STOP


def tokenize(text: str, *, evidence: bool = False) -> tuple[Token, ...]:
    """Split a text into tokens, in order; signs are kept, white space is not."""
    quoted = [(m.start(), m.end()) for m in _QUOTES.finditer(text)]
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        word = match.group()
        lower = word.casefold()
        tokens.append(
            Token(
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
    """Whether a word is short for something, "US" or "IT", in a text that isn't all in capitals."""
    return len(word) > 1 and word.isupper() and not text.isupper()


def token_stems(tokens: Iterable[Token]) -> tuple[str, ...]:
    """The stems of words and numbers, without signs."""
    return tuple(t.stem for t in tokens if t.kind != "sign")


def quotes(tokens: tuple[Token, ...]) -> tuple[Span, ...]:
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


@lru_cache(maxsize=20_000)
def identifier_words(name: str) -> tuple[str, ...]:
    """The words of an identifier, folded in case: "StuID_no" gives ("student", "id", "number")."""
    words: list[str] = []
    for part in re.split(r"[\W_]+", name):
        pieces = _CAMEL.findall(part)
        if len(pieces) > 1 and max(map(len, pieces)) == 1:
            pieces = [part]
        for piece in map(str.casefold, pieces):
            known = ABBREVIATIONS.get(piece)
            words += known or [w for p in taken_apart(piece) for w in ABBREVIATIONS.get(p, (p,))]
    return tuple(words)


def last_word(name: str) -> str:
    """The last word of an identifier; empty where it has none, as signs alone."""
    return (identifier_words(name) or ("",))[-1]


def name_stems(name: str) -> tuple[str, ...]:
    """The stems of the words that an identifier is made of."""
    return tuple(stem(w) for w in identifier_words(name))


def alike(one: str, other: str) -> bool:
    """Whether two stems are forms of one word: "advis" of "advises", "advisor"."""
    return one == other or (
        min(len(one), len(other)) >= SHORTEST_ALIKE and (one.startswith(other) or other.startswith(one))
    )
