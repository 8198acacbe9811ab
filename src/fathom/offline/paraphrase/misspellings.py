"""Words of a question with a letter wrong, as they were meant: "how many trakcs are in the genre Regae"."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from fathom.offline.linking import LinkedValue, Linking, QuestionToken, Span
from fathom.offline.linking.cues import sign_of_comparative
from fathom.offline.linking.text import stem
from fathom.offline.linking.value_match import HELD
from fathom.offline.linking.wordlists import MONTHS, OPENINGS, WEEKDAYS
from fathom.records import Assumption, Question
from fathom.text.dictionary import SHORTEST, common_words, is_english, likeliest, one_slip_away
from fathom.text.inflection import plural, singular
from fathom.text.patterns import Pattern

_LIKELY = 0.5
_TIMES = (*MONTHS, *WEEKDAYS)
_WORDS = Pattern(r"[^\W\d_]+")


class KnownWords(NamedTuple):
    """The words by which a database, and all that is known of it, is described, in small letters."""

    words: frozenset[str]
    stems: frozenset[str]


def spelt_right(
    question: Question, linking: Linking, known: KnownWords
) -> tuple[Question, tuple[Assumption, ...]]:
    """The question with misspelt words as they were meant, where one word fits, and what to tell of it.

    A word is misspelt that is no known one, no English one, and in no value. It is first held against known
    words, then against values, then against common English words. "Longer then 5" is longer than 5.
    """
    text, told, end = question.text, [], len(linking.tokens)
    compared = frozenset(_then_for_than(linking, known))
    for place in sorted({*_unknown(linking, known), *compared}, reverse=True):
        alone = Span(place, place + 1)
        span, meant = (alone, "than") if place in compared else _meant(linking, place, known.words)
        if meant is not None and span.end <= end:
            first, last = linking.tokens[span.first], linking.tokens[span.end - 1]
            said, end = question.text[first.start : last.end], span.first
            text = f"{text[: first.start]}{meant}{text[last.end :]}"
            told.append(Assumption("value", f"“{said}” is taken for “{meant}”."))
    return (replace(question, text=text), tuple(reversed(told))) if told else (question, ())


def _unknown(linking: Linking, known: KnownWords) -> Iterator[int]:
    """The places of words that nothing knows."""
    held = {i for v in linking.values for i in range(*v.span) if _holds(v, linking.tokens[i])}
    quoted = {i for span in linking.quotes for i in range(*span)}
    told = {t.stem for t in linking.tokens if t.evidence}
    for place, token in enumerate(linking.tokens):
        if place in held or place in quoted or not _is_plain(token):
            continue
        if token.stem not in known.stems | told and not is_english(token.lower):
            yield place


def _then_for_than(linking: Linking, known: KnownWords) -> Iterator[int]:
    """The places of "then" between a comparative and a number: "composer", where that is known, is none."""
    lower = [t.lower for t in linking.tokens]
    for number in linking.numbers:
        place = number.span.first - 1
        if place < 1 or lower[place] != "then" or lower[place - 1] in known.words:
            continue
        if sign_of_comparative(lower[place - 1]):
            yield place


def _holds(value: LinkedValue, token: QuestionToken) -> bool:
    """True where a value has a word as it is spelt; a part of a value may be misspelt as well."""
    if value.match == "partial":
        return token.lower in _WORDS.findall(str(value.value).casefold())
    likely = value.match != "code" or value.probability >= _LIKELY  # AB is no part of "abums"
    return value.match in HELD and likely


def _is_plain(token: QuestionToken) -> bool:
    plain = token.kind == "word" and token.text.isalpha() and len(token.text) >= SHORTEST
    return plain and not (token.stop or token.quoted or token.evidence or token.text.isupper())


def _meant(linking: Linking, place: int, names: Iterable[str]) -> tuple[Span, str | None]:
    """The words around a misspelt one and what they stand for; None where nothing is near, or several are."""
    word, first, alone = linking.tokens[place].lower, place == 0, Span(place, place + 1)
    if first and (meant := _only(word, OPENINGS)) is not None:
        return alone, meant.capitalize()
    if (meant := _only(word, (*names, *_TIMES))) is not None:
        return alone, meant
    if (value := _value(linking, place)) is not None:
        return value
    capital = linking.tokens[place].text[:1].isupper() and not first
    return alone, None if capital else _only(word, common_words())  # a name is no other word


def _only(word: str, words: Iterable[str]) -> str | None:
    """The word one slip away; of several forms of one word the likeliest, else the first."""
    near = list(dict.fromkeys(one_slip_away(word, words)))
    if len({stem(w) for w in near}) == 1:
        return likeliest(word, near) or near[0]
    return likeliest(word, near)


def _value(linking: Linking, place: int) -> tuple[Span, str] | None:
    """The value that a word, alone or with others, is a misspelt form of, where all such are called alike."""
    typos = [v for v in linking.values if v.match == "typo" and v.span.first <= place < v.span.end]
    longest = max((v.span.end - v.span.first for v in typos), default=0)
    meant = {
        str(v.value).casefold(): (v.span, str(v.value)) for v in typos if v.span.end - v.span.first == longest
    }
    return next(iter(meant.values())) if len(meant) == 1 else None


def known_words(named: Iterable[str], texts: Iterable[str]) -> KnownWords:
    """Words of names and descriptions, and those of texts, in the singular and the plural."""
    words = {*named, *(w for text in texts for w in _WORDS.findall(text.casefold()))}
    forms = frozenset(f for w in words if w.isalpha() for f in (w, plural(w), singular(w)))
    return KnownWords(forms, frozenset(map(stem, forms)))
