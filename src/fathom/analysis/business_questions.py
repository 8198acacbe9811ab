"""The parts of a business question: its kind, measure, groups and times, and the words left over.

A report answers only what is read whole: a word that nothing accounts for may be what the question turns on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.analysis.findings import Kind, kind_of
from fathom.analysis.meanings import Meanings, spans
from fathom.analysis.quantities import Field, Measure, Period, Quantity
from fathom.analysis.vocabulary import WORDS, Stems, Vocabulary, stems_of
from fathom.text.words import Token, tokens

_ASKED = WORDS["business_questions"]
_GRAMMAR = frozenset(_ASKED["grammar"])
_LONGEST = 6
_AHEAD = re.compile(
    r"\b(?:in |over |during |for |within )?(?:the )?(?:next|coming) "
    r"(?:(?P<count>\d+|two|three|four|five|six|nine|twelve) )?"
    r"(?P<unit>month|quarter|year)s?\b",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "nine": 9, "twelve": 12}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
Goal = Literal["more", "less", ""]


@dataclass(frozen=True, slots=True)
class Ahead:
    """How far a forecast goes: so many months, or with `whole` the calendar's next month, quarter or year."""

    months: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class BusinessQuestion:
    """The parts of a question. `left` are words that name nothing; `goal` is what is wanted."""

    kind: Kind
    quantity: Quantity | None
    group: Field | None
    periods: tuple[Period, ...]
    ahead: Ahead | None
    goal: Goal
    choosing: bool
    left: tuple[str, ...]


def read_business_question(text: str, vocabulary: Vocabulary) -> BusinessQuestion:
    """Read a question. What it asks for in words of trade has to be learned before (`learn_measures`)."""
    ahead = _AHEAD.search(text)
    rest = text[: ahead.start()] + " " + text[ahead.end() :] if ahead else text
    found = list(spans(rest))
    for start, end, _ in reversed(found):
        rest = rest[:start] + " " + rest[end:]
    said = tokens(rest)
    grouped = _group(said, vocabulary)
    measured = _measure(rest, said, grouped[0], vocabulary)
    used = {n for part in (measured[1], grouped[1]) for n in part}
    left = [t.folded for n, t in enumerate(said) if n not in used and not {t.folded, t.stem} & _GRAMMAR]
    return BusinessQuestion(
        kind_of(text),
        measured[0],
        grouped[0],
        tuple(sorted((p for *_, p in found), key=lambda p: p.start)),
        _how_far(ahead) if ahead else None,
        _goal(said),
        any(t.folded in _ASKED["choosing"] for t in said),
        tuple(w for w in left if not w.isdigit()),
    )


def is_outcome(measure: Measure, vocabulary: Vocabulary) -> bool:
    """True if a measure tells how things go: an amount or a count of dated rows, no count of genres."""
    if measure.function != "count" or vocabulary.is_learned(measure):
        return True
    return any(f.table == measure.table for f in vocabulary.dates)


def _measure(
    rest: str, said: Sequence[Token], group: Field | None, vocabulary: Vocabulary
) -> tuple[Quantity | None, frozenset[int]]:
    """The quantity that the longest stretch of words names, and that the groups asked about divide.

    Amounts and learned words go before counts.
    """
    reach = vocabulary.queries.reachable
    meanings = Meanings(vocabulary)
    counted: tuple[Quantity | None, frozenset[int]] = (None, frozenset())
    for first, last in _stretches(said):
        phrase = rest[said[first].start : said[last - 1].end]
        for quantity in meanings.quantities(phrase):
            divided = group is None or reach(quantity.measure.table, group.table) is not None
            if not divided or not is_outcome(quantity.measure, vocabulary):
                continue
            if quantity.measure.function != "count" or vocabulary.is_learned(quantity.measure):
                return quantity, frozenset(range(first, last))
            if counted[0] is None:
                counted = quantity, frozenset(range(first, last))
    return _by_verb(said, group, vocabulary) or counted


def _by_verb(
    said: Sequence[Token], group: Field | None, vocabulary: Vocabulary
) -> tuple[Quantity, frozenset[int]] | None:
    """The measure that a verb of trade names: what is sold or spent; things sold before all units."""
    reach = vocabulary.queries.reachable
    learned = sorted(vocabulary.learned, key=lambda way: way[:1] == stems_of("units"))
    for way in learned:
        named = {n for n, t in enumerate(said) if t.stem in way}
        verbs = {w for m in (*WORDS["asked_measures"].values(), WORDS["things_sold"]) for w in m["said"]}
        spoken = {n for n, t in enumerate(said) if t.folded in verbs or t.stem in verbs}
        things = [w for w in way if w not in {*stems_of("sold units")}]
        if spoken and (not things or named):
            divided = [
                m for m in vocabulary.learned[way] if not group or reach(m.table, group.table) is not None
            ]
            if divided:
                return Quantity(divided[0]), frozenset(named | spoken)
    return None


def _group(said: Sequence[Token], vocabulary: Vocabulary) -> tuple[Field | None, frozenset[int]]:
    """The column of names that words ask about, that right after "which" first."""
    found = []
    for first, last in _stretches(said):
        stems = tuple(t.stem for t in said[first:last])
        if field := _named_by(stems, vocabulary):
            after_which = first > 0 and said[first - 1].folded in _ASKED["which"]
            found.append((not after_which, first - last, first, field, frozenset(range(first, last))))
    if not found:
        return None, frozenset()
    best = min(found, key=lambda one: one[:3])
    return best[3], best[4]


def _named_by(stems: Stems, vocabulary: Vocabulary) -> Field | None:
    """The column that words name a group by: its own name, or that of the table that it names."""
    for field in (*vocabulary.groups, *vocabulary.people, *vocabulary.names):
        if stems in vocabulary.column_words(field):
            return field
    tables = {table for table, way in vocabulary.tables if way == stems}
    return next((f for f in (*vocabulary.people, *vocabulary.names) if f.table in tables), None)


def _stretches(said: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The stretches of words from the longest to the shortest."""
    for length in range(min(_LONGEST, len(said)), 0, -1):
        for first in range(len(said) - length + 1):
            yield first, first + length


def _goal(said: Sequence[Token]) -> Goal:
    words = {w for t in said for w in (t.folded, t.stem)}
    if words & set(_ASKED["less"]):
        return "less"
    return "more" if words & set(_ASKED["more"]) else ""


def _how_far(match: re.Match[str]) -> Ahead:
    count, unit = match["count"], _MONTHS[match["unit"].casefold()]
    if count is None:
        return Ahead(unit, whole=True)
    return Ahead((_NUMBERS.get(count.casefold()) or int(count)) * unit)
