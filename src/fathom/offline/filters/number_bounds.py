"""Reads numbers that a named column is compared with: "with two or more bedrooms", "rated below 3"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey, Linking, NumberMention, Span
from fathom.offline.linking.wordlists import AFTER, BEFORE, LIGHT, MULTIPLES
from fathom.offline.queries.query import (
    ComparisonPredicate,
    Items,
    Literal,
    Query,
    TableRef,
    mentioned_tables,
    restricted,
    rows_asked,
)
from fathom.records import Assumption

_LEADING = frozenset(("with", "having", "worth", "whose", "where", "that", "which", "who"))
_PASSED = frozenset(
    "have has had having is are was were lie lies lying stand stands a an the of at worth".split()
)
_BEHIND = (("above", "sea", "level"), ("in", "total"))
_LIKELY_LIMIT = 0.5
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """That one of `columns`, that of the rows asked for, compares with a number, or is one of several.

    Said at places of the tokens.
    """

    columns: tuple[ColumnKey, ...]
    numbers: tuple[NumberMention, ...]
    places: frozenset[int]
    needed: ClassVar[bool] = False
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows for which that is so; None where several columns may be meant."""
        if query.source is not None or query.compound is not None or query.group:
            return None
        asked, tables = rows_asked(query), mentioned_tables(query)
        own = [c for c in self.columns if asked is not None and TableRef(c.table) == asked]
        found = own or [c for c in self.columns if TableRef(c.table) in tables]
        if len(found) != 1:
            return None
        column, number = found[0].in_query(), self.numbers[0]
        values = tuple(Literal(n.value) for n in self.numbers)
        if number.upper is not None:
            condition = ComparisonPredicate(column, "between", Items((values[0], Literal(number.upper))))
        elif len(values) > 1:
            condition = ComparisonPredicate(column, "in", Items(values))
        else:
            condition = ComparisonPredicate(column, number.comparison, values[0])
        told = f"The number is compared with {column.table.name}.{column.name}."
        return restricted(query, condition), Assumption("column", told)


def number_bounds(reading: FilterReading) -> Iterator[Measured]:
    """The numbers that a question compares columns with by name, each with the words that do so."""
    linking = reading.linking
    done = 0
    for number in linking.numbers:
        found = None if number.span.first < done else _compared(linking, number)
        if found is None:
            continue
        columns, span = found
        first, numbers = _lead(linking, span.first), [number]
        while (other := _alternative(linking, numbers[-1], columns, span.end)) is not None:
            numbers.append(other[0])
            span = Span(span.first, other[1])
        if first is not None:
            done = span.end
            yield Measured(columns, tuple(numbers), frozenset(range(first, done)))


def _compared(linking: Linking, number: NumberMention) -> tuple[tuple[ColumnKey, ...], Span] | None:
    """The columns that a number is compared with by name, and the words that do so."""
    if number.ordinal or number.percent or number.limit >= _LIKELY_LIMIT or number.comparison == "like":
        return None
    if linking.tokens[number.span.first].lower in MULTIPLES:
        return None  # "at least twice"
    phrase = _phrase(linking, number)
    columns, span = _behind(linking, number, phrase)
    if not columns:
        columns, span = _before(linking, number, phrase)
    return (columns, span) if columns else None


def _alternative(
    linking: Linking, number: NumberMention, columns: tuple[ColumnKey, ...], end: int
) -> tuple[NumberMention, int] | None:
    """Another number that a column may hold as well, and where it ends: "3 credits or 4 credits"."""
    if number.comparison != "=" or end >= len(linking.tokens) or linking.tokens[end].lower != "or":
        return None
    other = next((n for n in linking.numbers if n.span.first == end + 1 and n.comparison == "="), None)
    found = _compared(linking, other) if other else None
    return (other, found[1].end) if other and found and found[0] == columns else None


def _phrase(linking: Linking, number: NumberMention) -> Span:
    """A number with the words that compare: "no more than ten", "two or more", "between 3 and 5"."""
    words = [t.lower for t in linking.tokens]
    first, end = number.span
    if number.upper is not None:
        end = next((n.span.end for n in linking.numbers if n.span.first > end), end)
    sizes = [n for n in range(_LONGEST, 0, -1) if first >= n and tuple(words[first - n : first]) in BEFORE]
    if not sizes and first > 1 and words[first - 1] == "than" and words[first - 2].endswith("er"):
        sizes = [2]  # "longer than"
    first -= sizes[0] if sizes else 0
    longest = min(_LONGEST, len(words) - end)
    sizes = [n for n in range(longest, 0, -1) if tuple(words[end : end + n]) in AFTER]
    if sizes and words[end + sizes[0] : end + sizes[0] + 1] == ["than"]:
        sizes = []  # "lower than 600 or higher than 900"
    return Span(first, end + (sizes[0] if sizes else 0))


def _behind(linking: Linking, number: NumberMention, phrase: Span) -> tuple[tuple[ColumnKey, ...], Span]:
    """The columns that are named right behind a number, where no table is: "six credits"."""
    place = phrase.end
    named = [m for m in linking.column_mentions if m.span.first == place]
    columns = _numeric(linking, number, [(m.column, m.score) for m in named])
    if not columns or any(m.span.first == place for m in linking.table_mentions):
        return (), phrase
    end = max(m.span.end for m in named if m.column in columns)
    words = tuple(t.lower for t in linking.tokens[end : end + 3])
    end += next((len(b) for b in _BEHIND if words[: len(b)] == b), 0)
    return (columns, Span(phrase.first, end)) if _ends(linking, end) else ((), phrase)


def _before(linking: Linking, number: NumberMention, phrase: Span) -> tuple[tuple[ColumnKey, ...], Span]:
    """The columns that are named before a number: "whose rating is below 3", "a balance of 5"."""
    place = phrase.first
    while place and linking.tokens[place - 1].lower in _PASSED:
        place -= 1
    named = [m for m in linking.column_mentions if m.span.end == place]
    columns = _numeric(linking, number, [(m.column, m.score) for m in named])
    if not columns or not _ends(linking, phrase.end):
        return (), phrase
    first = min(m.span.first for m in named if m.column in columns)
    while first > 1 and linking.tokens[first - 1].lower == "-":
        first -= 2  # "h-index"
    return columns, Span(first, phrase.end)


def _numeric(
    linking: Linking, number: NumberMention, named: list[tuple[ColumnKey, float]]
) -> tuple[ColumnKey, ...]:
    """Of columns with how well words name them, the best ones, if these hold numbers."""
    best = max((score for _, score in named), default=0.0)
    numbers = {v.column for v in linking.values if v.match == "number" and v.span == number.span}
    fit = tuple(dict.fromkeys(c for c, score in named if score == best))
    return fit if numbers.issuperset(fit) else ()


def _ends(linking: Linking, end: int) -> bool:
    """True if a part of the question ends at a place, so that the number is of nothing else."""
    after = linking.tokens[end : end + 1]
    return all(t.stop or t.kind == "sign" or t.lower in LIGHT for t in after)


def _lead(linking: Linking, first: int) -> int | None:
    """Where the part of the question begins which compares; None where no word leads into it."""
    led = False
    while first > 1:
        word = linking.tokens[first - 1].lower
        if word not in _LEADING | _PASSED:
            break
        of_rows = word == "of" and any(m.span.end == first - 1 for m in linking.table_mentions)
        led = led or word in _LEADING or of_rows
        first -= 1
        if of_rows:
            break
    longer = linking.tokens[first].lower.endswith("er") and linking.tokens[first + 1].lower == "than"
    return first if (led or longer) and not linking.tokens[first].quoted else None
