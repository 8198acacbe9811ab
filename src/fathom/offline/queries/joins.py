"""The join planner: which keys connect a set of tables, several plans with the likeliest first."""

import heapq
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from fathom.databases.join_graph import GUESSED_COST, JoinEdge, JoinGraph
from fathom.offline.linking.row_names import naming_columns
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.query import ColumnRef, Join, TableRef
from fathom.records.schema import Schema

MOST_PLANS = 6
SLACK = 1.01
"""How much dearer than the cheapest path an alternative path may be."""


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """Joins that connect the tables asked for; `tables` holds bridges too, in joining order."""

    tables: tuple[TableRef, ...]
    joins: tuple[Join, ...]
    cost: float


class JoinPlanner:
    """Plans over the keys of one schema. Plans are kept, so asking twice costs nothing."""

    def __init__(
        self,
        schema: Schema,
        uniform: Collection[tuple[str, str]] = (),
        apart: Collection[frozenset[tuple[str, str]]] = (),
    ) -> None:
        """`uniform` and `apart` are as in `JoinGraph.guessing`."""
        self.schema = schema
        self._uniform, self._apart = frozenset(uniform), frozenset(apart)
        self._graph = JoinGraph.guessing(schema, self._uniform, self._apart)
        self._keys = {t.name: {frozenset(t.primary_key)} for t in schema.tables}
        for key in schema.foreign_keys:
            self._keys.setdefault(key.target_table, set()).add(frozenset(key.target_columns))
        self._things = {
            t.name for t in schema.tables if naming_columns(t.name, tuple(c.name for c in t.columns))
        }
        self._plans = lru_cache(4096)(self._search)
        self._distances: dict[tuple[str, str], float] = {}

    def __reduce__(self) -> tuple[type["JoinPlanner"], tuple[object, ...]]:
        """Pickled as its schema: the plans that are kept belong to one process."""
        return JoinPlanner, (self.schema, self._uniform, self._apart)

    def neighbours(self, table: str) -> tuple[JoinEdge, ...]:
        """The joins that leave a table."""
        return self._graph.neighbours(table)

    def plans(self, tables: tuple[TableRef, ...]) -> tuple[JoinPlan, ...]:
        """Plans that connect the tables, cheapest first; empty when nothing connects them."""
        if len(tables) < 2:
            return (JoinPlan(tables, (), 0.0),)
        return self._plans(tuple(sorted(set(tables))))

    def best(self, tables: tuple[TableRef, ...]) -> tuple[JoinPlan, ...]:
        """The plans than which none is cheaper or more direct: one where it is clear how to join."""
        asked = tuple(sorted(set(tables)))
        found = [((p.cost, *self._detours(p, asked)), p) for p in self.plans(asked)]
        return tuple(p for cost, p in found if cost == found[0][0])

    def clear(self, plans: Sequence[JoinPlan], tables: tuple[TableRef, ...], margin: float) -> bool:
        """True if of some plans, cheapest first, the second is dearer by a margin or less direct."""
        if len(plans) < 2 or plans[1].cost - plans[0].cost >= margin:
            return True
        near = [p for p in plans[1:] if p.cost - plans[0].cost < margin]
        return all(self._detours(p, tables) > self._detours(plans[0], tables) for p in near)

    def distance(self, left: str, right: str) -> float:
        """The cost of the cheapest path between two tables; infinite without one, 0 for the same table."""
        if left == right:
            return 0.0
        if (known := self._distances.get((left, right))) is None:
            plans = self.plans((TableRef(left), TableRef(right)))
            known = plans[0].cost if plans else float("inf")
            self._distances[left, right] = self._distances[right, left] = known
        return known

    def one_each(self, counted: TableRef, tables: tuple[TableRef, ...]) -> bool:
        """True if the cheapest join of tables gives each row of one of them once at most."""
        if len(tables) < 2:
            return tables in {(), (counted,)}
        plans = self.plans(tables)
        return bool(plans) and self._keeps_rows(plans[0], counted)

    def plans_once(self, counted: TableRef, tables: tuple[TableRef, ...]) -> tuple[JoinPlan, ...]:
        """The plans that connect tables and give each row of one of them once at most, cheapest first."""
        return tuple(p for p in self.plans(tables) if self._keeps_rows(p, counted))

    def _keeps_rows(self, plan: JoinPlan, counted: TableRef) -> bool:
        """True if a plan repeats no row of a table that it holds.

        That is so where every join, seen from there, leads to what tells the next table's rows apart: its
        primary key, or what a foreign key refers to.
        """
        reached, left = {counted}, list(plan.joins)
        while left:
            step = next((j for j in left if (j.left.table in reached) != (j.right.table in reached)), None)
            if step is None:
                return False
            target = step.right.table if step.left.table in reached else step.left.table
            on = [j for j in left if {j.left.table, j.right.table} <= reached | {target}]
            keys = frozenset(c.name for j in on for c in (j.left, j.right) if c.table == target)
            if keys not in self._keys[target.name]:
                return False
            reached.add(target)
            left = [j for j in left if j not in on]
        return counted in plan.tables

    def tied(self, table: str, column: str) -> frozenset[tuple[str, str]]:
        """The columns (table, column) that hold the same things as a column, itself among them.

        They are those that joins set equal to it, or to one of these.
        """
        found, left = {(table, column)}, [(table, column)]
        while left:
            here, name = left.pop()
            for edge in self.neighbours(here):
                for own, theirs in edge.pairs:
                    if own == name and (edge.right, theirs) not in found:
                        found.add((edge.right, theirs))
                        left.append((edge.right, theirs))
        return frozenset(found)

    def _search(self, tables: tuple[TableRef, ...]) -> tuple[JoinPlan, ...]:
        # Best-first growth of a tree: each step links one more wanted table by a cheapest path.
        order = count()
        best: dict[frozenset[frozenset[ColumnRef]], JoinPlan] = {}
        for start in tables[:3]:
            heap = [(0.0, next(order), JoinPlan((start,), (), 0.0))]
            seen: set[frozenset[Join]] = set()
            done = 0
            while heap and done < MOST_PLANS:
                cost, _, plan = heapq.heappop(heap)
                missing = [t for t in tables if t not in plan.tables]
                if not missing:
                    best.setdefault(frozenset(frozenset((j.left, j.right)) for j in plan.joins), plan)
                    done += 1
                    continue
                for path in self._paths(plan.tables, missing):
                    joins = plan.joins + path
                    if (key := frozenset(joins)) in seen:
                        continue
                    seen.add(key)
                    added = tuple(dict.fromkeys(j.right.table for j in path))
                    price = cost + self._price(path)
                    heapq.heappush(heap, (price, next(order), JoinPlan(plan.tables + added, joins, price)))
                if len(seen) > 200:
                    break
        cheapest = sorted(best.values(), key=lambda p: (p.cost, *self._detours(p, tables), p.joins))
        return tuple(cheapest[:MOST_PLANS])

    def _detours(self, plan: JoinPlan, asked: tuple[TableRef, ...]) -> tuple[int, int]:
        """How many tables that nobody asked for aren't called after those they link, and are things with a
        name.

        Customers have the addresses of customer_address rather than those of their orders; students take
        courses by enrolling rather than by their advisors.
        """
        stems = {t: set(name_stems(t.name)) for t in plan.tables}
        between = [t for t in plan.tables if t not in asked]
        linking = [t for t in between if sum(bool(stems[t] & s) for o, s in stems.items() if o != t) > 1]
        return len(between) - len(linking), sum(t.name in self._things for t in between)

    def _price(self, path: tuple[Join, ...]) -> float:
        steps: dict[tuple[TableRef, TableRef], set[tuple[str, str]]] = defaultdict(set)
        for join in path:
            steps[join.left.table, join.right.table].add((join.left.name, join.right.name))
        price = 0.0
        for (left, right), pairs in steps.items():
            edges = self.neighbours(left.name)
            price += min(
                (e.cost for e in edges if e.right == right.name and set(e.pairs) == pairs),
                default=GUESSED_COST,
            )
        return price

    def _paths(self, have: tuple[TableRef, ...], wanted: list[TableRef]) -> list[tuple[Join, ...]]:
        """The cheapest paths from what is joined to the nearest wanted tables, and near ties."""
        order = count()
        # Few of the steps are ever looked at, so what a step leads to is made when it is taken up.
        heap: list[_Step] = [(0.0, next(order), t, None, ()) for t in have]
        names = {t.name: t for t in reversed(wanted)}
        had = {t.name for t in have}
        found: list[tuple[Join, ...]] = []
        limit = float("inf")
        steps = 0
        while heap and steps < 400 and len(found) < MOST_PLANS:
            cost, _, at, edge, path = heapq.heappop(heap)
            if cost > limit:
                break
            if edge is not None:
                before, at = at, names.get(edge.right) or TableRef(edge.right)
                path += tuple(Join(ColumnRef(before, a), ColumnRef(at, b)) for a, b in edge.pairs)
                if at.name in names:
                    found.append(path)
                    limit = min(limit, cost + SLACK)
                    continue
            visited = had | {j.right.table.name for j in path}
            for step in self._graph.neighbours(at.name):
                if step.right in names or step.right not in visited:
                    steps += 1
                    heapq.heappush(heap, (cost + step.cost, next(order), at, step, path))
        return found


_Step = tuple[float, int, TableRef, JoinEdge | None, tuple[Join, ...]]
"""A step of a search: its cost with those before, a number, the table it leaves by an edge, joins so far."""
