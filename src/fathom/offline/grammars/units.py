"""Units of measure: "longer than 5 minutes" of a column that holds milliseconds, "average length in hours".

A column's name tells its unit: `duration_ms`, `length_minutes`, `seconds_watched`. Where none does, nothing
is converted.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from fathom.offline.linking import ColumnKey, Linking, NumberMention, QuestionToken
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.wordlists import BEFORE
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    Expression,
    Literal,
    Query,
    all_queries,
    comparisons,
)
from fathom.records import Assumption, Question
from fathom.text.identifiers import identifier_words


class Unit(NamedTuple):
    """A unit: its dimension, and how many of the smallest unit it is."""

    measures: str
    size: Fraction


_TIME, _MASS, _LENGTH, _DATA = "time", "mass", "length", "data"
_NAMES: dict[tuple[str, str], str] = {
    (_TIME, "1"): "ms msec msecs millisecond milliseconds millis",
    (_TIME, "1000"): "sec secs second seconds",
    (_TIME, "60000"): "min mins minute minutes",
    (_TIME, "3600000"): "hr hrs hour hours",
    (_TIME, "86400000"): "day days",
    (_TIME, "604800000"): "week weeks",
    (_MASS, "1"): "mg milligram milligrams",
    (_MASS, "1000"): "gram grams",
    (_MASS, "1000000"): "kg kgs kilo kilos kilogram kilograms",
    (_MASS, "1000000000"): "tonne tonnes",
    (_MASS, "453592.37"): "lb lbs",
    (_LENGTH, "1"): "mm millimeter millimeters millimetre millimetres",
    (_LENGTH, "10"): "cm centimeter centimeters centimetre centimetres",
    (_LENGTH, "1000"): "meter meters metre metres",
    (_LENGTH, "1000000"): "km kms kilometer kilometers kilometre kilometres",
    (_LENGTH, "25.4"): "inch inches",
    (_LENGTH, "304.8"): "ft foot feet",
    (_LENGTH, "1609344"): "mile miles",
    (_DATA, "1"): "byte bytes",
    (_DATA, "1000"): "kb kilobyte kilobytes",
    (_DATA, "1000000"): "mb megabyte megabytes",
    (_DATA, "1000000000"): "gb gigabyte gigabytes",
}
UNITS = {w: Unit(kind, Fraction(size)) for (kind, size), words in _NAMES.items() for w in words.split()}
_POINTS = frozenset("sec second min minute hour day week foot".split())
"""Words that in a column's name may well say something else than its unit: an hour of the day, say."""
_SHORT = 3
_BE = frozenset("is are was were be last lasts lasting lasted weigh weighs weighing measure measures".split())


@dataclass(frozen=True, slots=True)
class Measures:
    """A question in the units of the columns that it is about, and what to tell of that.

    `compared` are these columns, each with the number in its own unit; `shown` is the unit in which the
    question wants to be answered, which `question` says no more. Not `whole` is one in which a measure stays
    that no column holds in its unit, as ranges do.
    """

    question: Question
    told: tuple[Assumption, ...] = ()
    compared: tuple[tuple[ColumnKey, float], ...] = ()
    shown: Unit | None = None
    whole: bool = True

    def kept_by(self, query: Query) -> bool:
        """True if a query compares all of the numbers with their columns, and shows something in the unit."""
        held = {
            (ColumnKey.of(c.left), c.right.value)
            for part in all_queries(query)
            for c in (*comparisons(part.where), *comparisons(part.having))
            if isinstance(c.left, ColumnRef) and isinstance(c.right, Literal)
        }
        shown = self.shown is None or any(_in_unit(e, self.shown) is not None for e in query.select)
        return self.whole and shown and held.issuperset(self.compared)

    def shown_by(self, query: Query) -> Query:
        """The query with what it shows in the unit that the question wants."""
        if self.shown is None or query.compound is not None or query.source is not None:
            return query
        select = tuple(_in_unit(e, self.shown) or e for e in query.select)
        return replace(query, select=select) if select != query.select else query


def in_units(question: Question, linking: Linking) -> Measures:
    """The question with measures in the unit of the column that holds them.

    "Clips longer than 5 minutes" becomes "clips with a duration ms longer than 300000".
    """
    text, told, compared = question.text, [], []
    changes = list(_changes(question.text, linking))
    wanted = _wanted(linking)
    if wanted is not None:
        place = wanted[0]
        start, end = linking.tokens[place].start, linking.tokens[place + 1].end
        text = f"{text[:start].rstrip()}{text[end:]}"
        changes = [c for c in changes if c.end <= start]
    for change in reversed(changes):
        text = f"{text[: change.start]}{change.text}{text[change.end :]}"
        told.append(Assumption("value", change.told))
        compared.append((change.column, change.value))
    whole = len(changes) == len(list(_measured(linking)))
    asked = question if text == question.text else replace(question, text=text)
    return Measures(asked, tuple(told), tuple(compared), wanted[1] if wanted else None, whole)


@dataclass(frozen=True, slots=True)
class _UnitChange:
    """A change of a question's text between two characters, and the number that a column is compared with."""

    start: int
    end: int
    text: str
    column: ColumnKey
    value: float
    told: str


def _changes(text: str, linking: Linking) -> Iterator[_UnitChange]:
    tokens = linking.tokens
    for number, column, factor in _measured(linking):
        first = tokens[number.span.first].start
        start = _comparison(tokens, number.span.first)
        if start is None:
            continue
        value, end = _plain(number.value * factor), tokens[number.span.end].end
        head, named = _with_column(linking, column, start)
        joint = "of " if named and not tokens[start].lower.endswith("er") else ""
        told = f"“{text[first:end]}” was read as {value} in {'.'.join(column)}."
        compared = text[tokens[start].start : first]
        yield _UnitChange(head, end, f"{named}{joint}{compared}{value}", column, value, told)


def _wanted(linking: Linking) -> tuple[int, Unit] | None:
    """Where the question says in which unit it wants what it asks for, "in minutes", and that unit."""
    held = {own.measures for c in linking.columns if (own := _unit_of(c.column)) is not None}
    for place, (before, token) in enumerate(pairwise(linking.tokens)):
        unit = UNITS.get(token.lower) if before.lower == "in" and not token.evidence else None
        if unit is not None and unit.measures in held:
            return place, unit
    return None


def _in_unit(item: Expression, asked: Unit) -> Expression | None:
    """Convert a shown measure to another unit; None where it is no such measure."""
    match item:
        case (ColumnRef() as column) | Aggregate("avg" | "sum" | "min" | "max", ColumnRef() as column):
            own = _unit_of(column.name)
            if own is not None and own.measures == asked.measures:
                larger = asked.size > own.size
                ratio = asked.size / own.size if larger else own.size / asked.size
                return Arithmetic("/" if larger else "*", item, Literal(float(ratio))) if ratio != 1 else item
    return None


def _unit_of(column: str) -> Unit | None:
    """The unit that a column's name ends with, or begins with in the plural."""
    words = identifier_words(column)
    last, first = (words[-1], words[0]) if words else ("", "")
    if last in UNITS and last not in _POINTS:
        return UNITS[last]
    return UNITS.get(first) if first.endswith("s") and len(first) > _SHORT else None


def _measured(linking: Linking) -> Iterator[tuple[NumberMention, ColumnKey, Fraction]]:
    """The numbers that have a unit, each with the column it is about, and by what to multiply it there."""
    for number in linking.numbers:
        after = linking.tokens[number.span.end] if number.span.end < len(linking.tokens) else None
        unit = UNITS.get(after.lower) if after is not None and not after.evidence else None
        column = _about(linking, unit, number.span.end) if unit is not None else None
        own = _unit_of(column.column) if column is not None else None
        if unit is None or column is None or own is None or number.upper is not None:
            continue
        words = [t.lower for t in linking.tokens[max(number.span.first - 2, 0) : number.span.first]]
        adjective = words[1:] == ["than"] and words[0].endswith("er")
        # "More than 2 weeks" of `weeks` need no other words; "heavier than 2 kg" do.
        if own != unit or adjective:
            yield number, column, unit.size / own.size


def _about(linking: Linking, unit: Unit, place: int) -> ColumnKey | None:
    """The one column that a measure is about: what the question names, else that of a table it names."""
    best = linking.table_alignment.max(axis=1, initial=0)
    named = {t for t, a in zip(linking.tables, best, strict=True) if a >= NAMED}
    units = {c: _unit_of(c.column) for c in linking.columns}
    fitting = [c for c, own in units.items() if own is not None and own.measures == unit.measures]
    near = [c for c in fitting if c.table in named]
    said = [c for c in fitting if _said(linking, c, place)]
    return next((found[0] for found in (said, near, fitting) if len(found) == 1), None)


def _said(linking: Linking, column: ColumnKey, unit: int) -> bool:
    """True if the question names a column by another word than its unit."""
    own = linking.alignment[linking.index[column]]
    return any(own[i] >= NAMED for i in range(len(linking.tokens)) if i != unit)


def _comparison(tokens: tuple[QuestionToken, ...], end: int) -> int | None:
    """Where the words begin that compare with the number at a place: "longer than", "at least"."""
    words = tuple(t.lower for t in tokens[:end])
    if words[-1:] == ("than",) and len(words) > 1:
        return end - 2
    sizes = range(min(5, end), 0, -1)
    return next((end - s for s in sizes if words[end - s :] in BEFORE), None)


def _with_column(linking: Linking, column: ColumnKey, start: int) -> tuple[int, str]:
    """Where to put the column's name ahead of a comparison, in characters, and in which words.

    Verbs that say the same go: "that are longer than". Nothing is put where the question names the column.
    """
    tokens = linking.tokens
    if linking.alignment[linking.index[column], :start].max(initial=0) >= NAMED:
        return tokens[start].start, ""
    verb = start > 0 and tokens[start - 1].lower in _BE
    words = " ".join(identifier_words(column.column))
    article = "" if len(words.split()) == 1 and words.endswith("s") else "a "
    return tokens[start - verb].start, f"{'have' if verb else 'with'} {article}{words} "


def _plain(value: Fraction | float) -> int | float:
    return int(value) if value == int(value) else float(value)
