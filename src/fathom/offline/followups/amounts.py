"""How a follow-up keeps only rows or groups of some size: "over 100", "older than 40", "with more than 5"."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fathom.offline.followups.conditions import FILTERED, column_words, put_condition
from fathom.offline.followups.follow_up_words import Edit, FollowUpReading, span_places
from fathom.offline.followups.wordlists import PLAIN_COMPARATIVES, UNITS
from fathom.offline.linking import ColumnKey, NumberMention
from fathom.offline.linking.wordlists import BEFORE
from fathom.offline.queries.query import ColumnRef, ComparisonPredicate, Literal
from fathom.records.schema import NUMERIC

_LONGEST = 4
"""Words of the longest phrase that compares: "greater than or equal" has four."""
_NAMED, _COMPARED, _SHOWN = 6.0, 4.0, 2.0
"""The weights for an amount that is named, compared already, or the only one shown, in this order."""


@dataclass(frozen=True)
class _Size:
    """A number to compare with and the places of its words, `adjective` that of "older" in "older than"."""

    number: NumberMention
    operator: str
    places: frozenset[int]
    adjective: int | None
    named: dict[ColumnKey, frozenset[int]]


def amounts(reading: FollowUpReading) -> Iterator[Edit]:
    """Numbers to compare with: an amount of the rows, or what the groups are measured by."""
    named = {k: at for k, at in reading.columns_named().items() if reading.rows.measures(k)}
    for number in reading.linking.numbers:
        a_time = number.year and reading.words[max(0, number.span.first - 1)] == "in"
        if number.ordinal or number.upper is not None or a_time or _counts_rows(reading, number):
            continue
        said = _comparing_words(reading, number)
        end = number.span.end
        unit = frozenset((end,) if UNITS.intersection(reading.words[end : end + 1]) else ())
        operator = {"between": ">=", "like": "="}.get(number.comparison, str(number.comparison))
        adjective = min(said) if said and _has_a_scale(reading.words[min(said)]) else None
        size = _Size(number, operator, span_places(number.span) | said | unit, adjective, named)
        yield from _of_groups(reading, size)
        yield from _of_rows(reading, size)


def _counts_rows(reading: FollowUpReading, number: NumberMention) -> bool:
    ahead = reading.words[max(0, number.span.first - 1) : number.span.first]
    return reading.words[number.span.first] == "one" or (bool(ahead) and ahead[0] in {"top", "first", "last"})


def _comparing_words(reading: FollowUpReading, number: NumberMention) -> frozenset[int]:
    """The places of the words ahead that say how to compare: "more than", "older than", "above"."""
    first = number.span.first
    for size in range(min(_LONGEST, first), 0, -1):
        if reading.words[first - size : first] in BEFORE:
            return frozenset(range(first - size, first))
    if first > 1 and reading.words[first - 1] == "than":
        return frozenset((first - 2, first - 1))
    return frozenset()


def _has_a_scale(word: str) -> bool:
    """True if a comparative is about something of its own: "older", but not "higher" or "over"."""
    return word.endswith("er") and word not in PLAIN_COMPARATIVES and (word,) not in BEFORE


def _of_groups(reading: FollowUpReading, size: _Size) -> Iterator[Edit]:
    """Only groups whose measure is so large."""
    if not reading.query.group or not reading.aggregates or size.operator == "=":
        return
    measure = reading.aggregates[0]
    of = ColumnKey.of(measure.argument) if isinstance(measure.argument, ColumnRef) else None
    said = size.named.get(of, frozenset()) if of is not None else frozenset()
    if size.adjective is None or size.adjective in said:
        condition = ComparisonPredicate(measure, size.operator, Literal(size.number.value))
        yield Edit(
            "filter groups",
            size.places | said,
            lambda query: replace(query, having=condition, limit=None),
            FILTERED,
            _SHOWN,
        )


def _of_rows(reading: FollowUpReading, size: _Size) -> Iterator[Edit]:
    """Only rows whose amount is so large: one that is named, compared already, or the only one shown."""
    if reading.query.group and not size.named:
        return
    compared = [k for k in reading.compared if reading.kinds.get(k) in NUMERIC]
    own = {size.adjective}
    candidates = {k: (at & own or at, _NAMED) for k, at in size.named.items()}
    for key in compared:
        candidates.setdefault(key, (frozenset(), _COMPARED))
    if isinstance(shown := reading.measure(), ColumnRef):
        candidates.setdefault(ColumnKey.of(shown), (frozenset(), _SHOWN))
    for key, (at, weight) in candidates.items():
        elsewhere = size.adjective is not None and size.adjective not in at
        unsaid = size.operator == "=" and key not in compared and key not in size.named
        if not elsewhere and not unsaid:
            condition = ComparisonPredicate(key.in_query(), size.operator, Literal(size.number.value))
            places = size.places | at
            if size.adjective is None:
                places |= column_words(reading, key, size.places)
            kind = f"filter {key} {size.operator[0]}"
            yield Edit(kind, places, put_condition(reading, condition), FILTERED, weight)
