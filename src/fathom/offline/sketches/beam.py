"""Fills a sketch's slots with a database's columns, tables and values: a beam over linking's scores."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fathom.offline.linking import ColumnKey, Linking, Role, Span, log_odds
from fathom.offline.linking.columns import key_columns
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import ColumnRef, Query, TableRef
from fathom.offline.sketches.comparisons import Comparisons, ValueOption
from fathom.offline.sketches.sketches import Bound, SlotValues
from fathom.offline.sketches.slots import ColumnSlot, SlotPlan, TableSlot, ValueSlots, plan_slots
from fathom.records.schema import NUMERIC, Schema

BEAM = 10
OPTIONS = 9
NOTHING_LINKS = -6.0


@dataclass(frozen=True, slots=True)
class Filled:
    """A filling with the sum of its slots' scores (log-odds)."""

    filling: SlotValues
    score: float


_Homes = tuple[frozenset[str], ...]
"""The tables that each scope of a query uses."""


class _State(NamedTuple):
    score: float = 0.0
    columns: tuple[tuple[str, ColumnRef], ...] = ()
    values: tuple[tuple[str, Bound], ...] = ()
    tables: tuple[tuple[str, TableRef], ...] = ()
    limit: int | None = None
    spans: tuple[Span, ...] = ()
    homes: _Homes = ()

    def column(self, slot: str) -> ColumnRef | None:
        return next((c for s, c in self.columns if s == slot), None)


class SlotFiller:
    """Fills sketches for one question. Scores are log-odds, so that sketches of different sizes compare."""

    def __init__(self, linking: Linking, schema: Schema, planner: JoinPlanner) -> None:
        self.linking, self.schema, self.planner = linking, schema, planner
        self._compared = Comparisons(linking, schema)
        self._kinds = self._compared.kinds
        self._keys = key_columns(schema)
        self._table_odds = {t: log_odds(linking.table_score(t)) for t in linking.tables}
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
            Filled(SlotValues(dict(s.columns), dict(s.tables), dict(s.values), s.limit), s.score)
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
        """Bring a table into the scopes: gives the cost, and the scopes' content then."""
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
            (o, tuple(zip(slot.values, o.bounds, strict=True)), o.column and o.column.in_query(slot.instance))
            for o in self._compared.for_slot(slot)
        ]
        for state in states:
            fixed = state.column(slot.column) if slot.column else None
            for option, bounds, column in options:
                if state.spans and _is_said(option, state):
                    continue
                if fixed is not None and option.column != ColumnKey.of(fixed):
                    continue
                score, columns, homes = state.score + option.score, state.columns, state.homes
                if column is not None and slot.column is not None:
                    cost, homes = self._enter(homes, column.table.name, (slot.scope,))
                    columns = columns if fixed else (*columns, (slot.column, column))
                    score += cost
                values, spans = state.values + bounds, (*state.spans, option.span)
                yield _State(score, columns, values, state.tables, state.limit, spans, homes)

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
        own = [(k, k.in_query(slot.instance), score) for k, score in self._options(slot)]
        linked = any(name == slot.name for name, _ in plan.linked)
        for state in states:
            after = state.column(twin) if twin else None
            least = self.linking.index[ColumnKey.of(after)] if after else -1
            taken = [c for name, c in state.columns if name[0] == slot.name[0]]
            keys = self._link_columns(state) if linked else []
            links = [(k, k.in_query(slot.instance), -0.5) for k in keys]
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

    def _refers(self, table: str, column: ColumnRef | None) -> bool:
        return column is not None and any(
            e.right == table and any(a == column.name for a, _ in e.pairs)
            for e in self.planner.neighbours(column.table.name)
        )


def _is_said(option: ValueOption, state: _State) -> bool:
    """True if its words stand for something else already, or its value is there: it may be said twice."""
    if any(option.span.overlaps(s) for s in state.spans):
        return True
    said = {str(b.value).casefold() for b in option.bounds}
    return any(str(b.value).casefold() in said for _, b in state.values)
