"""Comparisons in a question: columns with values, numbers and dates, the likeliest first."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fathom.offline.linking import ColumnKey, LinkedValue, Linking, Span, log_odds
from fathom.offline.linking.columns import schema_columns
from fathom.offline.sketches.delexical import span_chances
from fathom.offline.sketches.sketches import Bound
from fathom.offline.sketches.slots import ValueSlots
from fathom.records.schema import NUMERIC, TIMED, Schema
from fathom.text.patterns import Pattern

_SIZED = NUMERIC | TIMED
_DAY = Pattern(r"\d{4}-\d\d-\d\d")
_SINGLE, _RANGES = 27, 9
"""How many comparisons with one value, and with two, are worth a try."""


@dataclass(frozen=True, slots=True)
class ValueOption:
    """Something the question compares: a column, the operator and values, where the words are, how likely.

    `column` is None for what is compared with a count or another aggregate; `score` is in log-odds.
    """

    column: ColumnKey | None
    bounds: tuple[Bound, ...]
    span: Span
    score: float


class Comparisons:
    """The comparisons that one question may ask for, whatever the query."""

    def __init__(self, linking: Linking, schema: Schema) -> None:
        self._linking = linking
        self.kinds = {key: column.kind for key, column in schema_columns(schema)}
        self._chances = span_chances(linking)
        self._best_of_span: dict[Span, float] = {}
        for value in linking.values:
            self._best_of_span[value.span] = max(self._best_of_span.get(value.span, 0.0), value.probability)

    def for_slot(self, slot: ValueSlots) -> list[ValueOption]:
        """Give the possible values of one comparison of a sketch."""
        if slot.counted:
            return self._counted if len(slot.values) == 1 else self._counted_ranges
        if len(slot.values) == 2 and slot.operator.endswith("between"):
            return self.ranges
        if len(slot.values) == 1:
            return self.single
        return []

    @cached_property
    def single(self) -> list[ValueOption]:
        """Comparisons of a column with one value, best first: of values found, of numbers and of dates."""
        options = [*self._of_values(), *self._of_numbers(), *self._of_dates()]
        return sorted(options, key=lambda o: -o.score)[:_SINGLE]

    @cached_property
    def ranges(self) -> list[ValueOption]:
        """Comparisons of a column with two values, from and to, best first."""
        options = [
            ValueOption(v.column, (Bound(v.value), Bound(v.upper)), v.span, 1.0 + log_odds(v.probability))
            for v in self._linking.values
            if v.upper is not None
        ]
        known = {(o.span, o.column) for o in options}
        for number in self._linking.numbers:
            for column, score in self._numeric(number.span) if number.upper is not None else ():
                if (number.span, column) not in known:
                    ends = (Bound(number.value), Bound(number.upper))
                    options.append(ValueOption(column, ends, number.span, 1.0 + score))
        for date in self._linking.dates:
            if date.first is not None and date.last is not None:
                ends = (Bound(date.first), Bound(date.last))
                options += [ValueOption(c, ends, date.span, s) for c, s in self._dated(date.span)]
        return sorted(options, key=lambda o: -o.score)[:_RANGES]

    @cached_property
    def _counted(self) -> list[ValueOption]:
        """Numbers that a count or another aggregate may be compared with."""
        return [
            ValueOption(None, (Bound(n.value, _one_sided(n.comparison)),), n.span, log_odds(1 - n.limit))
            for n in self._linking.numbers
            if not n.year and n.upper is None
        ]

    @cached_property
    def _counted_ranges(self) -> list[ValueOption]:
        return [
            ValueOption(None, (Bound(n.value), Bound(n.upper)), n.span, 2.0)
            for n in self._linking.numbers
            if n.upper is not None
        ]

    def _of_values(self) -> Iterator[ValueOption]:
        for value in self._linking.values:
            if value.upper is None:
                odds = self._odds(value)
                for bound, cost in self._readings(value):
                    yield ValueOption(value.column, (bound,), value.span, odds + cost)

    def _of_numbers(self) -> Iterator[ValueOption]:
        for number in self._linking.numbers:
            for column, score in self._numeric(number.span) if number.upper is None else ():
                if (number.span, column) in self._found:
                    continue
                dated = self.kinds[column] in TIMED
                bound = _within_year(number.value, number.comparison) if dated and number.year else None
                weight = 0.5 * log_odds(1 - number.limit) - (4.0 if dated and not number.year else 1.0)
                bound = bound or Bound(number.value, _one_sided(number.comparison))
                yield ValueOption(column, (bound,), number.span, weight + score)

    def _of_dates(self) -> Iterator[ValueOption]:
        for date in self._linking.dates:
            for column, score in self._dated(date.span) if date.first is not None else ():
                if (date.span, column) not in self._found:
                    operator = _one_sided(date.comparison)
                    end = date.last if operator in {"<=", ">"} and date.last else date.first
                    bound = _on_day(end, operator, self.kinds[column])
                    yield ValueOption(column, (bound,), date.span, score)

    @cached_property
    def _found(self) -> set[tuple[Span, ColumnKey]]:
        """Words that were found to name a value of a column: as numbers or dates they say the same."""
        return {(v.span, v.column) for v in self._linking.values}

    def _odds(self, mention: LinkedValue) -> float:
        """The odds that the words are a value at all, less what this column lacks to the likeliest one."""
        best = self._best_of_span[mention.span]
        return log_odds(self._chances[mention.span]) + math.log((mention.probability + 0.01) / (best + 0.01))

    def _readings(self, mention: LinkedValue) -> Iterator[tuple[Bound, float]]:
        """How a value may be compared, each with its cost: as the words around it say, or negated."""
        value: str | int | float = mention.value
        operator = _one_sided(mention.comparison)
        kind = self.kinds[mention.column]
        sized = kind in _SIZED or mention.match == "date" or not isinstance(value, str)
        if operator in {"<", "<=", ">", ">="} and not sized:
            operator = "="  # the words compare something else: text has no size
        dated = kind in TIMED or kind == "text"  # numbers are paired with text only where it holds dates
        if isinstance(value, int) and dated and 1500 <= value <= 2100:
            yield _within_year(value, operator), 0.0
            return
        if operator == "like":
            value = self._pattern(mention)
        yield _on_day(value, operator, kind), 0.0
        # A flag that is denied was read as "no" already.
        negations = self._linking.negations
        if negations and operator in {"=", "like"} and mention.match != "boolean":
            near = any(0 <= mention.span.first - n.end <= 6 for n in negations)
            yield Bound(value, "!=" if operator == "=" else "not like"), (0.3 if near else -1.5)
        if operator == "!=":
            yield Bound(value, "="), -1.5

    def _pattern(self, mention: LinkedValue) -> str:
        """The LIKE pattern for a fragment of text."""
        part = mention.text if mention.match not in {"exact", "quoted"} else str(mention.value)
        before = {t.stem for t in self._linking.tokens[max(0, mention.span.first - 5) : mention.span.first]}
        head = "" if before & {"start", "begin"} else "%"
        tail = "" if before & {"end", "finish"} else "%"
        return f"{head}{part.strip('%')}{tail}"

    def _numeric(self, span: Span) -> list[tuple[ColumnKey, float]]:
        """Columns a number may be compared with: by their role score and how near their words are."""
        options = [
            (column, 0.6 * score + self._nearness(column, span))
            for column, score in self._columns
            if self.kinds[column] in _SIZED or self.kinds[column] == "other"
        ]
        return sorted(options, key=lambda o: -o[1])[:6]

    def _dated(self, span: Span) -> list[tuple[ColumnKey, float]]:
        """Columns a date may be compared with, scored alike."""
        options = [
            (column, 0.6 * score + 1.0 + self._nearness(column, span))
            for column, score in self._columns
            if self.kinds[column] in TIMED or "date" in column.column.casefold()
        ]
        return sorted(options, key=lambda o: -o[1])[:4]

    @cached_property
    def _columns(self) -> list[tuple[ColumnKey, float]]:
        """All columns by how likely a condition is about them (log-odds), likeliest first."""
        chances = zip(self._linking.columns, self._linking.column_scores["where"], strict=True)
        return sorted(((c, log_odds(float(p))) for c, p in chances), key=lambda o: (-o[1], o[0]))

    def _nearness(self, column: ColumnKey, span: Span) -> float:
        """2 for a column mentioned right at the span, falling with distance; 0 where it isn't mentioned."""
        row = self._linking.alignment[self._linking.index[column]]
        best = 0.0
        for place in row.nonzero()[0]:
            gap = max(span.first - place, place - span.end + 1, 1)
            best = max(best, float(row[place]) * 2.0 / (1.0 + 0.25 * (gap - 1)))
        return best


def _one_sided(comparison: str) -> str:
    """The operator for one value where the words asked for a range that has no second one."""
    return ">=" if comparison == "between" else comparison


def _on_day(value: str | int | float | None, operator: str, kind: str) -> Bound:
    """A value to compare with: of a column that also holds times, the whole of a day."""
    whole = operator == "=" and kind == "datetime" and isinstance(value, str) and _DAY.fullmatch(value)
    return Bound(f"{value}%", "like") if whole else Bound(value, operator)


def _within_year(value: float, comparison: str) -> Bound:
    """A date kept as text compared with a year."""
    year = int(value)
    match comparison:
        case ">" | "<=":
            return Bound(f"{year}-12-31 23:59:59", comparison)
        case "<" | ">=":
            return Bound(f"{year}-01-01", comparison)
        case "!=":
            return Bound(f"{year}%", "not like")
    return Bound(f"{year}%", "like")
