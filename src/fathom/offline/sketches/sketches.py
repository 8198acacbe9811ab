"""Sketches: the shapes of queries, with slots where a database's own columns, tables and values go.

A sketch is itself a `Query` whose columns belong to the table `?` and are named after what they are for:

    s0 s1   shown plainly              w0 w1   compared with a value      key:s0  the key of s0's table
    a0      aggregated                 x0      compared with anything else   ref:s0  this query's reference to
    g0      grouped by                 o0      ordered by                            s0's table
    h0      aggregated in HAVING

A column that a query uses again keeps its slot, so `ORDER BY s0` and `ORDER BY o0` are different sketches.
Values become `v0`, `v1`; a table that no column mentions becomes `t0`; comparison operators with values
become `?`, since words near the value tell them better; a limit other than 1 becomes -1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Compound,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Items,
    Literal,
    Query,
    SourceColumn,
    Star,
    Subquery,
    TableRef,
    Unrepresentable,
    columns,
)

ANY = "?"


@dataclass(frozen=True, slots=True)
class Bound:
    """A value put into a sketch, with the operator that compares it."""

    value: str | int | float | bool | None
    operator: str = "="


@dataclass(frozen=True, slots=True)
class SlotValues:
    """The fillings of a sketch's slots, by slot name."""

    columns: Mapping[str, ColumnRef]
    tables: Mapping[str, TableRef]
    values: Mapping[str, Bound]
    limit: int | None = None


def rebuild(
    expression: Expression,
    change: Callable[[Expression], Expression],
    condition: Callable[[Condition], Condition | None],
) -> Expression:
    """The expression with its parts changed. Raises `Unrepresentable` for a CASE without a condition."""
    match expression:
        case Aggregate(function=function, argument=argument, distinct=distinct):
            return Aggregate(function, change(argument), distinct)
        case Arithmetic(operator=operator, left=left, right=right):
            return Arithmetic(operator, change(left), change(right))
        case FunctionCall(name=name, arguments=arguments):
            return FunctionCall(name, tuple(change(a) for a in arguments))
        case Items(items=items):
            return Items(tuple(change(i) for i in items))
        case CaseWhen(condition=test, then=then, otherwise=otherwise):
            changed = condition(test)
            if changed is None:
                raise Unrepresentable("CASE without a condition.")
            return CaseWhen(changed, change(then), None if otherwise is None else change(otherwise))
    return expression


def instantiate(sketch: Query, filling: SlotValues, planner: JoinPlanner) -> Query:
    """The query of a sketch with its slots filled. Raises `Unrepresentable` where a link is missing."""
    return _Instance(filling, planner).query(sketch, None)


class _Instance:
    def __init__(self, filling: SlotValues, planner: JoinPlanner) -> None:
        self.filling, self.planner = filling, planner

    def query(self, sketch: Query, outer: ColumnRef | None) -> Query:
        source = None if sketch.source is None else self.query(sketch.source, None)
        select = tuple(self._expression(e, outer, sketch) for e in sketch.select)
        first = select[0] if len(select) == 1 else None
        compound = sketch.compound
        if compound is not None:
            key = first if isinstance(first, ColumnRef) else None
            compound = Compound(compound.operator, self.query(compound.query, key))
        group: list[Expression] = []
        for item in sketch.group:
            group.extend(self._keys(item) if _is(item, "key:") else (self._expression(item, outer, sketch),))
        return Query(
            select=select, distinct=sketch.distinct,
            where=self._condition(sketch.where, sketch), group=tuple(dict.fromkeys(group)),
            having=self._condition(sketch.having, sketch),
            order=tuple(replace(o, key=self._expression(o.key, outer, sketch)) for o in sketch.order),
            limit=self.filling.limit if sketch.limit == -1 else sketch.limit, offset=sketch.offset,
            tables=tuple(self.filling.tables[t.name] for t in sketch.tables),
            source=source, compound=compound,
        )  # fmt: skip

    def _keys(self, expression: Expression) -> tuple[Expression, ...]:
        assert isinstance(expression, ColumnRef)
        column = self.filling.columns[expression.name.removeprefix("key:")]
        key = self.planner.schema.table(column.table.name).primary_key
        return tuple(ColumnRef(column.table, k) for k in key) or (column,)

    def _expression(self, expression: Expression, outer: ColumnRef | None, sketch: Query) -> Expression:
        match expression:
            case ColumnRef(name=name) if name.startswith("ref:"):
                return self._reference(expression, outer, sketch)
            case ColumnRef(name=name) if name.startswith("key:"):
                return self._keys(expression)[0]
            case ColumnRef(name=name):
                return self.filling.columns[name]
            case Subquery(query=query):
                return Subquery(self.query(query, None))
            case Star() | Literal() | SourceColumn():
                return expression
        return rebuild(
            expression,
            lambda e: self._expression(e, outer, sketch),
            lambda c: self._condition(c, sketch),
        )

    def _reference(self, slot: ColumnRef, outer: ColumnRef | None, sketch: Query) -> ColumnRef:
        """The column of the inner query's table that a key links to the column outside."""
        if outer is None:
            raise Unrepresentable("A link with nothing to link to.")
        if slot.table.name != ANY:
            inside = [self.filling.tables[slot.table.name]]
        else:
            inside = list(
                dict.fromkeys(self.filling.columns[c].table for c in slots(replace(sketch, select=())))
            )
        exact = [
            (table, b)
            for table in inside
            for e in self.planner.neighbours(outer.table.name)
            if e.right == table.name
            for a, b in e.pairs
            if a == outer.name
        ]
        if not exact:
            raise Unrepresentable("No key links the subquery to the column outside.")
        return ColumnRef(*exact[0])

    def _condition(self, condition: Condition | None, sketch: Query) -> Condition | None:
        if condition is None:
            return None
        if isinstance(condition, Connective):
            parts = (self._condition(p, sketch) for p in condition.parts)
            return Connective(condition.kind, tuple(p for p in parts if p is not None))
        left = self._expression(condition.left, None, sketch)
        right, operator = condition.right, condition.operator
        if isinstance(right, Literal) and operator == ANY:
            bound = self.filling.values[str(right.value)]
            return ComparisonPredicate(left, bound.operator, Literal(bound.value))
        if isinstance(right, Items) and all(isinstance(i, Literal) for i in right.items):
            values = (self.filling.values[str(i.value)].value for i in right.items if isinstance(i, Literal))
            return ComparisonPredicate(left, operator, Items(tuple(Literal(v) for v in values)))
        if isinstance(right, Subquery):
            key = left if isinstance(left, ColumnRef) else None
            return ComparisonPredicate(left, operator, Subquery(self.query(right.query, key)))
        return ComparisonPredicate(
            left, operator, None if right is None else self._expression(right, None, sketch)
        )


def _is(expression: Expression, prefix: str) -> bool:
    return isinstance(expression, ColumnRef) and expression.name.startswith(prefix)


def slots(sketch: Query) -> tuple[str, ...]:
    """The column slots of this SELECT alone that need filling, in order, without repeats."""
    return tuple(dict.fromkeys(c.name for c in columns(sketch) if ":" not in c.name))
