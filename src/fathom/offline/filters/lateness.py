"""Reads what was late or on time: "orders shipped late", where a date says when and one says until when."""

from collections.abc import Iterator, Sequence

from fathom.offline.checks.account import sure_values
from fathom.offline.filters.compared_columns import Compared
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.grammars.groups import covers
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import BEGIN_WORDS

_DUE = frozenset(map(stem, "required due deadline expected promised scheduled planned estimated".split()))
_BEGIN = frozenset(map(stem, BEGIN_WORDS))
_LATE = {("late",): ">", ("too", "late"): ">", ("on", "time"): "<=", ("in", "time"): "<="}
_AHEAD = frozenset("that which who were was are is have has been being".split())
_DONE = ("ed", "en", "t")


def lateness(reading: FilterReading) -> Iterator[Compared]:
    """Give the comparisons of a table's date with its due date, where the names of both tell which they
    are."""
    linking = reading.linking
    words = [t.lower for t in linking.tokens]
    values = [v.span for v in sure_values(linking)]
    for place in range(len(words)):
        for said, sign in _LATE.items():
            end = place + len(said)
            if tuple(words[place:end]) != said or covers(values, place):
                continue
            first, verb = _behind(linking, place)
            rows = _rows(linking, first - 1) if end == len(words) or first < place else None
            if rows is None and len(said) == 1 and verb == "":
                rows = _rows(linking, end)  # "late orders"
            pair = _dates(reading.dates.of(rows), rows, verb) if rows else None
            if pair is not None:
                yield Compared(*pair, sign, frozenset(range(first, end)))


def _behind(linking: Linking, place: int) -> tuple[int, str]:
    """Where what is said of rows begins that ends before a place, and the stem of its verb, if it has one."""
    tokens, verb = linking.tokens, ""
    if place > 1 and tokens[place - 1].lower.endswith(_DONE) and not tokens[place - 1].stop:
        verb, place = tokens[place - 1].stem, place - 1
    while place > 1 and tokens[place - 1].lower in _AHEAD:
        place -= 1
    return place, verb


def _rows(linking: Linking, place: int) -> str | None:
    """The one table that a word names."""
    if not 0 <= place < len(linking.tokens):
        return None
    named = [t for t in linking.tables if linking.names_wholly(t, place)]
    return named[0] if len(named) == 1 else None


def _dates(own: Sequence[ColumnKey], table: str, verb: str) -> tuple[ColumnKey, ColumnKey] | None:
    """When it happened, and until when it had to, of the dates of a table; None where that isn't clear."""
    due = [c for c in own if not _DUE.isdisjoint(name_stems(c.column))]
    other = [c for c in own if c not in due]
    if verb:
        done = [c for c in other if verb in name_stems(c.column)]
        until = [c for c in due if verb in name_stems(c.column)] or due
    else:
        done, until = [c for c in other if not _begins(c, table)], due
    return (done[0], until[0]) if len(done) == len(until) == 1 else None


def _begins(date: ColumnKey, table: str) -> bool:
    """True if a date is that with which rows begin: an order's `order_date`."""
    return bool((_BEGIN | {*name_stems(table)}) & {*name_stems(date.column)})
