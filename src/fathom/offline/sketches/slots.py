"""The role of each slot of a sketch: compiled once per sketch, read by the filling."""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from fathom.offline.linking import Role
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    Items,
    Literal,
    Query,
    Star,
    Subquery,
    walk,
)
from fathom.offline.queries.serial import name_of
from fathom.offline.sketches.sketches import ANY

ROLE_OF: dict[str, Role] = {
    "s": "select", "a": "aggregate", "w": "where", "x": "where", "g": "group", "h": "aggregate", "o": "order",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """One place of a slot: the clause, the aggregate around it, and what it is compared or ordered with.

    `detail` is `asc` or `desc` with `one` or `some` in ORDER BY, the operator and kind of the right side in
    conditions.
    """

    clause: str
    function: str = ""
    detail: str = ""
    scope: int = 0


@dataclass(frozen=True, slots=True)
class ColumnSlot:
    """A slot for a column. Slots of one `signature` are interchangeable."""

    name: str
    role: Role
    uses: tuple[Use, ...]
    scopes: tuple[int, ...]
    signature: tuple[Use, ...]
    instance: int = 0


@dataclass(frozen=True, slots=True)
class ValueSlots:
    """A comparison with values: with column slot `column`, or None for `count(*)` and other expressions."""

    column: str | None
    values: tuple[str, ...]
    operator: str
    scope: int
    counted: bool = False
    instance: int = 0


@dataclass(frozen=True, slots=True)
class TableSlot:
    """A table that no column names; `linked` is the slot whose key it must refer to, if any."""

    name: str
    scope: int
    instance: int
    linked: str | None = None


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """All slots of a sketch, in the order in which they are best filled."""

    columns: tuple[ColumnSlot, ...]
    comparisons: tuple[ValueSlots, ...]
    tables: tuple[TableSlot, ...]
    limited: bool
    scopes: int
    linked: tuple[tuple[str, int], ...]
    keyed: frozenset[str]


@lru_cache(8192)
def plan_slots(sketch: Query) -> SlotPlan:
    """The slots of a sketch."""
    return _Compiler().run(sketch)


class _Compiler:
    def __init__(self) -> None:
        self.uses: dict[str, list[Use]] = defaultdict(list)
        self.instances: dict[str, int] = {}
        self.comparisons: list[ValueSlots] = []
        self.tables: list[TableSlot] = []
        self.linked: list[tuple[str, int]] = []
        self.keyed: set[str] = set()
        self.limited = False
        self.scopes = 0

    def run(self, sketch: Query) -> SlotPlan:
        self._query(sketch)
        columns = tuple(
            ColumnSlot(
                name,
                ROLE_OF[name[0]],
                tuple(uses),
                tuple(dict.fromkeys(u.scope for u in uses)),
                tuple(sorted(uses, key=repr)),
                self.instances[name],
            )
            for name, uses in self.uses.items()
        )
        return SlotPlan(
            columns, tuple(self.comparisons), tuple(self.tables), self.limited, self.scopes,
            tuple(self.linked), frozenset(self.keyed),
        )  # fmt: skip

    def _query(self, sketch: Query) -> int:
        scope = self.scopes
        self.scopes += 1
        for item in sketch.select:
            self._expression(item, "select", "", scope)
        self._condition(sketch.where, "where", scope)
        for item in sketch.group:
            self._expression(item, "group", "", scope)
        self._condition(sketch.having, "having", scope)
        for ordering in sketch.order:
            self._expression(ordering.key, "order", f"{ordering.direction} {sketch.cut}".strip(), scope)
        self.limited |= sketch.limit == -1
        named = {t.name for t in self.tables}
        for table in sketch.tables:
            if table.name not in named:
                self.tables.append(TableSlot(table.name, scope, table.instance))
        if sketch.source is not None:
            self._query(sketch.source)
        if sketch.compound is not None:
            self._query(sketch.compound.query)
        return scope

    def _expression(self, expression: Expression, clause: str, detail: str, scope: int) -> None:
        around = ""
        for part in walk(expression):
            match part:
                case Aggregate(function=function, distinct=distinct, argument=argument):
                    around = function + (" distinct" if distinct else "")
                    if isinstance(argument, Star):
                        around = ""
                case ColumnRef():
                    self._use(part, Use(clause, around, detail, scope))
                case Subquery(query=query):
                    self._query(query)

    def _use(self, column: ColumnRef, use: Use) -> None:
        prefix, _, name = column.name.rpartition(":")
        if prefix == "ref":
            self.linked.append((name, use.scope))
            if column.table.name != ANY:
                slot = TableSlot(column.table.name, use.scope, 0, name)
                self.tables.append(slot)
            return
        if prefix == "key":
            self.keyed.add(name)
            return
        self.uses[name].append(use)
        self.instances.setdefault(name, column.table.instance)

    def _condition(self, condition: Condition | None, clause: str, scope: int) -> None:
        if isinstance(condition, Connective):
            for part in condition.parts:
                self._condition(part, clause, scope)
        elif condition is not None:
            self._comparison(condition, clause, scope)

    def _comparison(self, comparison: ComparisonPredicate, clause: str, scope: int) -> None:
        left, right = comparison.left, comparison.right
        values: tuple[str, ...] = ()
        if isinstance(right, Literal) and comparison.operator == ANY:
            values = (str(right.value),)
        elif isinstance(right, Items):
            values = tuple(str(i.value) for i in right.items if isinstance(i, Literal))
        kind = "value" if values else name_of(right).lower() if right is not None else ""
        self._expression(left, clause, f"{comparison.operator} {kind}".strip(), scope)
        if values:
            name = left.name if isinstance(left, ColumnRef) and left.name[0] == "w" else None
            counted = name is None
            instance = self.instances.get(name, 0) if name is not None else 0
            slots = ValueSlots(name, values, comparison.operator, scope, counted, instance)
            self.comparisons.append(slots)
        elif right is not None:
            self._expression(right, clause, f"right {comparison.operator}", scope)
