"""Says apart what restricts a question: "orders [placed in the last 30 days]", "flights [to Denver]".

Training data hold no times that are counted from today, and hardly a table with two keys to the same one.
What is left of the question is a plain one, which is what the weights have learned; its query is restricted.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from fathom.offline.filters.has_or_lacks import left_open
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.records import Aside, Restriction
from fathom.offline.filters.rules import ADJECTIVES, OWNED, TIMES
from fathom.offline.linking import Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import DO, LIGHT, ROLE_VERBS, WHICH
from fathom.offline.rule import OfflineRule
from fathom.records import Question
from fathom.text.patterns import Pattern

_AUXILIARIES = frozenset("that which who were was are is have has had been being be".split())

_VERBS = frozenset("have has had do does did were was are is never not lack".split())
_ALTERNATIVES = frozenset(("and", "or", "not", "except"))
_RELATIVE = frozenset(("that", "which", "who", "whose", "whom", "where", "with"))
_BEFORE_SIGN = Pattern(r"\s+([,.?!])")


def said_apart(question: Question, reading: FilterReading) -> Aside | None:
    """The question with its restrictions said apart; None where it has none, or nothing would be left."""
    linking, restrictions = reading.linking, _restrictions(reading)
    if not restrictions:
        return None
    cut = _words_for(restrictions, reading)
    joints = {i for i, t in enumerate(linking.tokens) if t.lower == "and" and {i - 1, i + 1} <= cut}
    text = _as_phrase(_without(question.text, linking, cut | joints), linking, cut)
    if not text:
        return None
    beside = {j for i in cut for j in (i - 1, i + 1) if 0 <= j < len(linking.tokens)} - cut - joints
    clear = _ALTERNATIVES.isdisjoint(linking.tokens[i].lower for i in beside)
    return Aside(replace(question, text=text), restrictions, clear, _names(reading, restrictions))


def _restrictions(reading: FilterReading) -> tuple[Restriction, ...]:
    """Everything that restricts the question, in the order in which its query is restricted."""
    others = _found(reading, [r for r in reading.rules if r not in (*OWNED, *ADJECTIVES)])
    places = {i for r in others for i in r.places}
    owned = (b for b in _found(reading, OWNED) if not left_open(b.places, reading.linking, places))
    found = (*owned, *others)
    adjectives = _found(reading, ADJECTIVES)
    every = (*found, *(a for a in adjectives if not any(a.places & r.places for r in found)))
    if len(every) == 1:
        return every
    years = [t for t in _found(reading, [TIMES]) if t.learned]  # nothing is said of them: the rest has them
    return tuple(r for r in every if r not in years)


def _words_for(restrictions: Collection[Restriction], reading: FilterReading) -> set[int]:
    """The places of the words that say restrictions, and of verbs before them that say no more.

    A verb before an adjective says something else: "who placed | open orders".
    """
    adjectives = _found(reading, ADJECTIVES)
    behind = {i for r in restrictions if r not in adjectives for i in r.places}
    moved = frozenset(map(stem, ROLE_VERBS)) if reading.found("roles") else frozenset()
    verbs = _verbs_before(reading.linking, behind, reading.dates.stems | moved)
    return verbs.union(*(r.places for r in restrictions))


def _found(reading: FilterReading, rules: Iterable[OfflineRule[Any]]) -> tuple[Restriction, ...]:
    return tuple(r for rule in rules for r in reading.found(rule.name))


def _names(reading: FilterReading, restrictions: Iterable[Restriction]) -> tuple[str, ...]:
    """The names of the rules that found some restrictions."""
    these = {id(r) for r in restrictions}
    return tuple(r.name for r in reading.rules if not these.isdisjoint(map(id, reading.found(r.name))))


def _as_phrase(text: str, linking: Linking, cut: Collection[int]) -> str:
    """A text whose verb is gone, as a phrase: "which sections" of "which sections have no room"."""
    words = [t.lower for t in linking.tokens]
    first = min(cut)
    asks = words[0] in WHICH and words[first] in _VERBS and not _VERBS & {*words[:first]}
    return text.partition(" ")[2] or text if asks else text


def _verbs_before(linking: Linking, cut: Collection[int], dates: Collection[str]) -> set[int]:
    """The words before a time that only say of what it is: "that were placed", "who joined", "opened"."""
    tokens = linking.tokens
    found: set[int] = set()
    if any(t.lower in DO for t in tokens):
        return found
    for place in sorted(cut):
        first = place
        while first > 1 and tokens[first - 1].lower in _RELATIVE:
            first -= 1
        found |= set(range(first, place))
        while first and (at := _verb_before(linking, first, dates)) is not None:
            first = at
        if first == place and tokens[place - 1].lower not in {"was", "were"}:
            continue
        while first and tokens[first - 1].lower in _AUXILIARIES:
            first -= 1
        if first:  # else nothing is asked for
            found |= set(range(first, place))
    return found


def _verb_before(linking: Linking, place: int, dates: Collection[str]) -> int | None:
    """Where the verb before a place stands that says of what a time is, also "predicted to | graduate"."""
    if _says_when(linking, place - 1, dates):
        return place - 1
    led = place > 1 and linking.tokens[place - 1].lower == "to" and _says_when(linking, place - 2, dates)
    return place - 2 if led else None


def _says_when(linking: Linking, place: int, dates: Collection[str]) -> bool:
    token = linking.tokens[place]
    table = linking.table_alignment[:, place].max(initial=0) >= NAMED
    light = token.stem in dates or token.lower in LIGHT
    return token.kind == "word" and light and (not table or token.lower in ROLE_VERBS)


def _without(text: str, linking: Linking, cut: Collection[int]) -> str:
    """A text without some of its tokens."""
    left = [t for i, t in enumerate(linking.tokens) if i not in cut and not t.evidence]
    if not any(not t.stop for t in left):
        return ""
    pieces, end = [], 0
    for place, token in enumerate(linking.tokens):
        if place in cut and not token.evidence:
            pieces.append(text[end : token.start])
            end = token.end
    pieces.append(text[end:])
    return _BEFORE_SIGN.sub(r"\1", " ".join("".join(pieces).split())).strip(" ,")
