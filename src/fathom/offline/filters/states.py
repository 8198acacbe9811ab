"""Reads states that a date tells by being there or not: "open requests", "unpaid invoices"."""

import re
from collections.abc import Iterator

from fathom.offline.filters.parts_of_rows import Empty
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.value_match import HELD
from fathom.offline.linking.wordlists import END_WORDS
from fathom.text.patterns import Pattern

_END = frozenset(map(stem, END_WORDS))
_NOT_OVER = frozenset("open outstanding pending ongoing unfinished current running active".split())
_ARE = Pattern(
    r"\b(?:that|which|who)\s+(?:are|is|were|have\s+been|has\s+been)\s+(?:(?:still|already|yet|currently)\s+)?(?=[a-z]+"
    r"(?:\W*$|\s+(?:and|but|in|at|from|of|by|for|with)\b))",
    re.IGNORECASE,
)
_PARTICIPLES = ("ed", "en", "wn", "id", "nt")
_NEAR = 3


def states(reading: FilterReading) -> Iterator[Empty]:
    """The states of rows that adjectives before their names, or behind "that are", say."""
    linking = reading.linking
    for place, token in enumerate(linking.tokens):
        rows = None if token.evidence else _rows_behind(linking, place)
        if rows is not None and (found := _date_of(reading, place, rows)):
            yield Empty((found[0],), frozenset((place,)), filled=found[1])
    for match in _ARE.finditer(reading.text):
        at = linking.place_at(match.end())
        before = min(linking.places(match.start(), match.end()), default=0)
        named = {m.table for m in linking.table_mentions if m.span.end == before}
        if at is None or len(named) != 1:
            continue
        if found := _date_of(reading, at, named.pop()):
            yield Empty((found[0],), frozenset(range(before, at + 1)), filled=found[1])


def _rows_behind(linking: Linking, place: int) -> str | None:
    """The table named right behind a word, or behind values of it: "open plumbing requests"."""
    held = {i for v in linking.values if v.match in HELD for i in range(*v.span)}
    for at in range(place + 1, min(place + 1 + _NEAR, len(linking.tokens))):
        named = [m for m in linking.table_mentions if m.span.first == at]
        best = [m.table for m in named if m.score == max(n.score for n in named)]
        if len(best) == 1:
            return best[0]
        if at not in held and not any(m.span.first <= at < m.span.end for m in linking.column_mentions):
            return None
    return None


def _date_of(reading: FilterReading, place: int, table: str) -> tuple[ColumnKey, bool] | None:
    """The date of a table that is there, or isn't, in the state that a word says; None where it says none.

    Nor is it such a state if a column holds the word, or a flag is called so.
    """
    linking = reading.linking
    word = linking.tokens[place].lower
    if any(v.span.first <= place < v.span.end and v.match in HELD for v in linking.values):
        return None
    own = [c for c in reading.dates.of(table) if may_be_missing(c.in_query(), reading.profiles)]
    ends = [c for c in own if not _END.isdisjoint(name_stems(c.column))]
    if word in _NOT_OVER:
        return (ends[0], False) if len(ends) == 1 else None
    undone = word.startswith("un") and word.endswith(_PARTICIPLES)
    done = stem(word[2:]) if undone else linking.tokens[place].stem if word.endswith(_PARTICIPLES) else ""
    meant = [c for c in own if done and done in name_stems(c.column)]
    return (meant[0], not undone) if len(meant) == 1 else None
