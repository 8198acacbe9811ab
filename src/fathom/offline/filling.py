"""Fills a sketch's slots with a database's columns, tables and values: a beam over linking's scores."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from fathom.offline.delexical import span_chances
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import ColumnKey, Linking, Role, Span, ValueMention
from fathom.offline.query import Column, Query, TableRef
from fathom.offline.sketches import Bound, Filling
from fathom.offline.slots import ColumnSlot, SlotPlan, TableSlot, ValueSlots, plan_slots
from fathom.records.schema import Schema

BEAM = 10
OPTIONS = 9
NUMERIC = frozenset(("integer", "number"))
DATED = frozenset(("date", "datetime", "time"))
NOTHING_LINKS = -6.0


@dataclass(frozen=True, slots=True)
class ValueOption:
    """Something the question compares: a column, the operator and values, where the words are, how likely."""

    column: ColumnKey | None
    bounds: tuple[Bound, ...]
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Filled:
    """A filling with the sum of its slots' scores (log-odds)."""

    filling: Filling
    score: float


_Homes = tuple[frozenset[str], ...]
"""The tables that each scope of a query uses."""


class _State(NamedTuple):
    score: float = 0.0
    columns: tuple[tuple[str, Column], ...] = ()
    values: tuple[tuple[str, Bound], ...] = ()
    tables: tuple[tuple[str, TableRef], ...] = ()
    limit: int | None = None
    spans: tuple[Span, ...] = ()
    homes: _Homes = ()

    def column(self, slot: str) -> Column | None:
        return next((c for s, c in self.columns if s == slot), None)


def log_odds(probability: float) -> float:
    """The logarithm of the odds, kept within reason."""
    p = min(max(probability, 0.002), 0.995)
    return math.log(p / (1 - p))


class SlotFiller:
    """Fills sketches for one question. Scores are log-odds, so that sketches of different sizes compare."""

    def __init__(self, linking: Linking, schema: Schema, planner: JoinPlanner) -> None:
        self.linking, self.schema, self.planner = linking, schema, planner
        self._kinds = {ColumnKey(t.name, c.name): c.kind for t in schema.tables for c in t.columns}
        self._keys = {ColumnKey(t.name, k) for t in schema.tables for k in t.primary_key} | {
            ColumnKey(k.table, c) for k in schema.foreign_keys for c in k.columns
        }
        self._table_odds = {t: log_odds(linking.table_score(t)) for t in linking.tables}
        self._chances = span_chances(linking)
        self._best_of_span: dict[Span, float] = {}
        for value in linking.values:
            self._best_of_span[value.span] = max(self._best_of_span.get(value.span, 0.0), value.probability)
        self._cache: dict[tuple[object, ...], list[tuple[ColumnKey, float]]] = {}
        self._valued: dict[tuple[object, ...], list[_State]] = {}
        self._entered: dict[tuple[_Homes, str, tuple[int, ...]], tuple[float, _Homes]] = {}

    def fill(self, sketch: Query, most: int = BEAM) -> list[Filled]:
        """The likeliest fillings of a sketch, best first."""
        plan = plan_slots(sketch)
        states = self._with_values(plan)
        filled: set[str] = {c.column for c in plan.comparisons if c.column}
        previous: list[ColumnSlot] = []
        for slot in plan.columns:
            if slot.name in filled:
                continue
            twin = next((p.name for p in reversed(previous) if p.signature == slot.signature), None)
            states = self._best(self._column(states, slot, twin, plan))
            previous.append(slot)
        for table in plan.tables:
            states = self._best(self._table(states, table))
        return [
            Filled(Filling(dict(s.columns), dict(s.tables), dict(s.values), s.limit), s.score)
            for s in states[:most]
        ]

    def _with_values(self, plan: SlotPlan) -> list[_State]:
        """States with the values in place: the same for all sketches that hold alike values."""
        key = (plan.comparisons, plan.limited, plan.scopes)
        if key not in self._valued:
            states = [_State(homes=(frozenset(),) * plan.scopes)]
            for comparison in plan.comparisons:
                states = self._best(self._compare(states, comparison))
            if plan.limited:
                states = self._best(s for state in states for s in self._limit(state))
            self._valued[key] = states
        return self._valued[key]

    @staticmethod
    def _best(states: Iterator[_State]) -> list[_State]:
        return sorted(states, key=lambda s: -s.score)[:BEAM]

    def _enter(self, homes: _Homes, table: str, scopes: tuple[int, ...]) -> tuple[float, _Homes]:
        """What it costs to bring a table into the scopes, and what they hold then."""
        key = (homes, table, scopes)
        if (known := self._entered.get(key)) is None:
            known = self._entered[key] = self._entrance(homes, table, scopes)
        return known

    def _entrance(self, homes: _Homes, table: str, scopes: tuple[int, ...]) -> tuple[float, _Homes]:
        cost, after = 0.0, list(homes)
        for scope in scopes:
            if table in after[scope]:
                continue
            if after[scope]:
                distance = min(self.planner.distance(h, table) for h in after[scope])
                cost += NOTHING_LINKS if math.isinf(distance) else -0.9 * distance
            cost += 0.35 * self._table_odds[table] if scope == 0 else 0.0
            after[scope] |= {table}
        return cost, tuple(after)

    # Values

    def _compare(self, states: Sequence[_State], slot: ValueSlots) -> Iterator[_State]:
        options = [
            (o, tuple(zip(slot.values, o.bounds, strict=True)), o.column and _use(o.column, slot.instance))
            for o in self._value_options(slot)
        ]
        for state in states:
            fixed = state.column(slot.column) if slot.column else None
            for option, bounds, column in options:
                if state.spans and _is_said(option, state):
                    continue
                if fixed is not None and option.column != ColumnKey(fixed.table.name, fixed.name):
                    continue
                score, columns, homes = state.score + option.score, state.columns, state.homes
                if column is not None and slot.column is not None:
                    cost, homes = self._enter(homes, column.table.name, (slot.scope,))
                    columns = columns if fixed else (*columns, (slot.column, column))
                    score += cost
                values, spans = state.values + bounds, (*state.spans, option.span)
                yield _State(score, columns, values, state.tables, state.limit, spans, homes)

    def _value_options(self, slot: ValueSlots) -> list[ValueOption]:
        if slot.counted:
            return self._counted if len(slot.values) == 1 else self._counted_ranges
        if len(slot.values) == 2 and slot.operator.endswith("between"):
            return self.ranges
        if len(slot.values) == 1:
            return self.single
        return []

    @cached_property
    def single(self) -> list[ValueOption]:
        """Comparisons of a column with one value: of values found, of numbers and of dates."""
        linking = self.linking
        options = [
            ValueOption(v.column, (bound,), v.span, self._odds(v) + cost)
            for v in linking.values
            if v.upper is None
            for bound, cost in self._readings(v)
        ]
        known = {(v.span, v.column) for v in linking.values}
        for number in linking.numbers:
            for column, score in self._numeric(number.span):
                if (number.span, column) in known or number.upper is not None:
                    continue
                dated = self._kinds[column] in DATED
                bound = _within_year(number.value, number.comparison) if dated and number.year else None
                weight = 0.5 * log_odds(1 - number.limit) - (4.0 if dated and not number.year else 1.0)
                bound = bound or Bound(number.value, _one_sided(number.comparison))
                options.append(ValueOption(column, (bound,), number.span, weight + score))
        for date in linking.dates:
            for column, score in self._dated(date.span) if date.first is not None else ():
                if (date.span, column) not in known:
                    first, operator = date.first, _one_sided(date.comparison)
                    if operator in {"<=", ">"} and date.last:
                        first = date.last
                    options.append(ValueOption(column, (Bound(first, operator),), date.span, score))
        options.sort(key=lambda o: -o.score)
        return options[: 3 * OPTIONS]

    def _odds(self, mention: ValueMention) -> float:
        """The odds that the words are a value at all, less what this column lacks to the likeliest one."""
        best = self._best_of_span[mention.span]
        return log_odds(self._chances[mention.span]) + math.log((mention.probability + 0.01) / (best + 0.01))

    def _readings(self, mention: ValueMention) -> Iterator[tuple[Bound, float]]:
        """How a value may be compared, each with its cost: as the words around it say, or negated."""
        value: str | int | float = mention.value
        operator = _one_sided(mention.comparison)
        kind = self._kinds[mention.column]
        sized = kind in DATED | NUMERIC or mention.match == "date" or not isinstance(value, str)
        if operator in {"<", "<=", ">", ">="} and not sized:
            operator = "="  # the words compare something else: text has no size
        dated = kind in DATED or kind == "text"  # numbers are paired with text only where it holds dates
        if isinstance(value, int) and dated and 1500 <= value <= 2100:
            yield _within_year(value, operator), 0.0
            return
        if operator == "like":
            value = self._pattern(mention)
        yield Bound(value, operator), 0.0
        # A flag that is denied was read as "no" already.
        if self.linking.negations and operator in {"=", "like"} and mention.match != "boolean":
            near = any(0 <= mention.span.first - n.end <= 6 for n in self.linking.negations)
            yield Bound(value, "!=" if operator == "=" else "not like"), (0.3 if near else -1.5)
        if operator == "!=":
            yield Bound(value, "="), -1.5

    def _pattern(self, mention: ValueMention) -> str:
        """The LIKE pattern for a fragment of text."""
        part = mention.text if mention.match not in {"contains", "exact", "quoted"} else str(mention.value)
        before = {t.stem for t in self.linking.tokens[max(0, mention.span.first - 5) : mention.span.first]}
        head = "" if before & {"start", "begin"} else "%"
        tail = "" if before & {"end", "finish"} else "%"
        return f"{head}{part.strip('%')}{tail}"

    @cached_property
    def ranges(self) -> list[ValueOption]:
        """Comparisons of a column with two values, from and to, best first."""
        options = [
            ValueOption(v.column, (Bound(v.value), Bound(v.upper)), v.span, 1.0 + log_odds(v.probability))
            for v in self.linking.values
            if v.upper is not None
        ]
        known = {(o.span, o.column) for o in options}
        for number in self.linking.numbers:
            for column, score in self._numeric(number.span) if number.upper is not None else ():
                if (number.span, column) not in known:
                    ends = (Bound(number.value), Bound(number.upper))
                    options.append(ValueOption(column, ends, number.span, 1.0 + score))
        for date in self.linking.dates:
            if date.first is not None and date.last is not None:
                ends = (Bound(date.first), Bound(date.last))
                options += [ValueOption(c, ends, date.span, s) for c, s in self._dated(date.span)]
        return sorted(options, key=lambda o: -o.score)[:OPTIONS]

    @cached_property
    def _counted(self) -> list[ValueOption]:
        """Numbers that a count or another aggregate may be compared with."""
        return [
            ValueOption(None, (Bound(n.value, _one_sided(n.comparison)),), n.span, log_odds(1 - n.limit))
            for n in self.linking.numbers
            if not n.year and n.upper is None
        ]

    @cached_property
    def _counted_ranges(self) -> list[ValueOption]:
        return [
            ValueOption(None, (Bound(n.value), Bound(n.upper)), n.span, 2.0)
            for n in self.linking.numbers
            if n.upper is not None
        ]

    def _numeric(self, span: Span) -> list[tuple[ColumnKey, float]]:
        """Columns a number may be compared with: by their role score and how near their words are."""
        options = []
        for column, score in self._ranked("where", ()):
            if self._kinds[column] in NUMERIC | DATED or self._kinds[column] == "other":
                options.append((column, 0.6 * score + self._nearness(column, span)))
        return sorted(options, key=lambda o: -o[1])[:6]

    def _dated(self, span: Span) -> list[tuple[ColumnKey, float]]:
        options = []
        for column, score in self._ranked("where", ()):
            if self._kinds[column] in DATED or "date" in column.column.casefold():
                options.append((column, 0.6 * score + 1.0 + self._nearness(column, span)))
        return sorted(options, key=lambda o: -o[1])[:4]

    def _nearness(self, column: ColumnKey, span: Span) -> float:
        """1 for a column mentioned right at the span, falling with distance; 0 where it isn't mentioned."""
        row = self.linking.alignment[self.linking.index[column]]
        best = 0.0
        for place in row.nonzero()[0]:
            gap = max(span.first - place, place - span.end + 1, 1)
            best = max(best, float(row[place]) * 2.0 / (1.0 + 0.25 * (gap - 1)))
        return best

    def _limit(self, state: _State) -> Iterator[_State]:
        for number in self.linking.numbers:
            whole = isinstance(number.value, int) and 1 < number.value <= 1000
            if whole and not any(number.span.overlaps(s) for s in state.spans):
                score = state.score + log_odds(number.limit)
                yield state._replace(limit=int(number.value), score=score, spans=(*state.spans, number.span))

    # Columns and tables

    def _column(
        self, states: Sequence[_State], slot: ColumnSlot, twin: str | None, plan: SlotPlan
    ) -> Iterator[_State]:
        own = [(k, _use(k, slot.instance), score) for k, score in self._options(slot)]
        linked = any(name == slot.name for name, _ in plan.linked)
        for state in states:
            after = state.column(twin) if twin else None
            least = self.linking.index[ColumnKey(after.table.name, after.name)] if after else -1
            taken = [c for name, c in state.columns if name[0] == slot.name[0]]
            links = [(k, _use(k, slot.instance), -0.5) for k in self._link_columns(state)] if linked else []
            for key, column, score in (*own, *links):
                if column in taken or self.linking.index[key] <= least:
                    continue
                cost, homes = self._enter(state.homes, key.table, slot.scopes)
                if linked and key not in self._keys:
                    cost -= 2.0
                columns = (*state.columns, (slot.name, column))
                score_now = state.score + cost + score
                yield _State(score_now, columns, state.values, state.tables, state.limit, state.spans, homes)

    def _link_columns(self, state: _State) -> list[ColumnKey]:
        """The keys of the tables already shown: what a subquery most likely links to."""
        return [ColumnKey(t, k) for t in sorted(state.homes[0]) for k in self.schema.table(t).primary_key[:1]]

    def _options(self, slot: ColumnSlot) -> list[tuple[ColumnKey, float]]:
        needs = tuple(sorted({(u.clause, u.function, u.detail) for u in slot.uses}))
        return self._ranked(slot.role, needs)[:OPTIONS]

    def _ranked(self, role: Role, needs: tuple[tuple[str, str, str], ...]) -> list[tuple[ColumnKey, float]]:
        """The columns for a role, best first, with what aggregates and orderings ask of them."""
        key = (role, needs)
        if key not in self._cache:
            scores = self.linking.column_scores[role]
            options = [
                (c, log_odds(float(p)) + self._fitness(c, needs))
                for c, p in zip(self.linking.columns, scores, strict=True)
            ]
            self._cache[key] = sorted(options, key=lambda o: (-o[1], o[0]))
        return self._cache[key]

    def _fitness(self, column: ColumnKey, needs: tuple[tuple[str, str, str], ...]) -> float:
        score = 0.0
        for clause, function, detail in needs:
            numeric = self._kinds[column] in NUMERIC
            if function in {"sum", "avg"}:
                score -= (0.0 if numeric else 2.5) + (1.5 if column in self._keys else 0.0)
            if function in {"min", "max"} and self._kinds[column] == "text":
                score -= 1.0
            direction = {"min": "asc", "max": "desc"}.get(function) or detail.partition(" ")[0]
            if direction in {"asc", "desc"} and (clause == "order" or function):
                score += self._implied(column, direction)
        return score

    def _implied(self, column: ColumnKey, direction: str) -> float:
        """How a superlative word speaks for ordering by this column in this direction."""
        best = 0.0
        for superlative in self.linking.superlatives:
            for candidate, towards, score in superlative.columns:
                if candidate == column:
                    best = max(best, 2.0 * score if towards == direction else -score, key=abs)
        return best

    def _table(self, states: Sequence[_State], slot: TableSlot) -> Iterator[_State]:
        for state in states:
            linked = state.column(slot.linked) if slot.linked is not None else None
            for table in self.schema.tables:
                if slot.linked is not None and not self._refers(table.name, linked):
                    continue
                if slot.linked is None and table.name in state.homes[slot.scope]:
                    continue
                cost, homes = self._enter(state.homes, table.name, (slot.scope,))
                score = state.score + cost + self._table_odds[table.name]
                tables = (*state.tables, (slot.name, TableRef(table.name, slot.instance)))
                yield state._replace(score=score, tables=tables, homes=homes)

    def _refers(self, table: str, column: Column | None) -> bool:
        return column is not None and any(
            e.right == table and any(a == column.name for a, _ in e.pairs)
            for e in self.planner.neighbours(column.table.name)
        )


def _use(column: ColumnKey, instance: int) -> Column:
    """A column of one use of its table."""
    return Column(TableRef(column.table, instance), column.column)


def _is_said(option: ValueOption, state: _State) -> bool:
    """Whether its words stand for something else already, or its value is there: it may be said twice."""
    if any(option.span.overlaps(s) for s in state.spans):
        return True
    said = {str(b.value).casefold() for b in option.bounds}
    return any(str(b.value).casefold() in said for _, b in state.values)


def _one_sided(comparison: str) -> str:
    """The operator for one value where the words asked for a range that has no second one."""
    return ">=" if comparison == "between" else comparison


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
