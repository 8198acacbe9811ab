"""One word, several values: what a question most likely means where a name is held in many columns."""

from collections.abc import Iterator
from dataclasses import replace

from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.reading import TokenMatches
from fathom.offline.linking.records import ColumnKey, LinkedValue, Span
from fathom.offline.linking.row_names import naming_keys
from fathom.offline.linking.value_match import SPELT

_DOUBTED = 0.3
"""The factor on the probability of a value where the question names the thing itself."""


def things_first(reading: TokenMatches, values: tuple[LinkedValue, ...]) -> tuple[LinkedValue, ...]:
    """The values with those doubted whose words the question more likely uses for a thing or its kind.

    "The Ohio river" is the river called Ohio, where a table holds rivers, and not the place somewhere
    else that is described as "Ohio River"; "which states" asks for states where a table holds them, and
    doesn't name the United States by their code.
    """
    naming = naming_keys(reading.words.columns)
    things = [v for v in values if v.column in naming and v.match in SPELT]
    kinds = {i: set(_kinds(reading, i)) for i in range(len(reading.tokens))}

    meant: dict[tuple[ColumnKey, Span], float] = {}
    doubted: set[tuple[ColumnKey, Span]] = set()
    for value in values:
        where = value.column, value.span
        if value.match == "code" and kinds[value.span.first]:
            doubted.add(where)
        for thing in things:
            if _with_kind(value, thing, kinds):
                doubted.add(where)
                said = thing.column, thing.span
                meant[said] = max(meant.get(said, 0.0), value.probability)
    return tuple(_weighed(v, meant.get((v.column, v.span)), (v.column, v.span) in doubted) for v in values)


def _weighed(value: LinkedValue, meant: float | None, doubted: bool) -> LinkedValue:
    """A value with the probability of those that are doubted for it, or with what is left of its own."""
    if meant is not None:
        return replace(value, probability=max(value.probability, meant))
    return replace(value, probability=_DOUBTED * value.probability) if doubted else value


def _with_kind(value: LinkedValue, thing: LinkedValue, kinds: dict[int, set[str]]) -> bool:
    """True if a value is but the name of a thing with the word for its kind: "ohio river"."""
    inside = thing.span.within(value.span)
    if not inside or value.span == thing.span or value.column.table == thing.column.table:
        return False
    rest = [i for i in range(*value.span) if not thing.span.first <= i < thing.span.end]
    return all(thing.column.table in kinds[i] for i in rest)


def _kinds(reading: TokenMatches, place: int) -> Iterator[str]:
    """The tables that a word names."""
    aligned = reading.tables.alignment[:, place]
    return (t for t, a in zip(reading.words.tables, aligned, strict=True) if a >= NAMED)
