"""A relational query without joins: what the offline method builds, compares, learns from and renders.

Columns name their table, and `Query.joins` is empty wherever the join planner would find the same joins;
`tables` holds only tables that nothing else of the query mentions. All values are frozen and hashable.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any
from typing import Literal as Choice

from fathom.errors import FathomError


class Unrepresentable(FathomError):
    """A query that this representation has no place for."""


@dataclass(frozen=True, slots=True, order=True)
class TableRef:
    """One use of a table; `instance` tells apart several uses of the same table in one FROM."""

    name: str
    instance: int = 0


@dataclass(frozen=True, slots=True, order=True)
class ColumnRef:
    """A column of one use of a table."""

    table: TableRef
    name: str


@dataclass(frozen=True, slots=True)
class Star:
    """`*`, or `t.*` with a table."""

    table: TableRef | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; None is NULL."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Items:
    """The list of IN, or the two ends of BETWEEN."""

    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`count`, `sum`, `avg`, `min` or `max` of an argument."""

    function: str
    argument: "Expression"
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+ - * / %` or `||` between two expressions."""

    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """Any other function, in SQLite's spelling; `cast` has the type's name as its second argument."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class CaseWhen:
    """`CASE WHEN condition THEN then ELSE otherwise END`."""

    condition: "Condition"
    then: "Expression"
    otherwise: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Subquery:
    """A query used as a value or as the list of IN."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of `Query.source`, by its place in the source's SELECT."""

    index: int


@dataclass(frozen=True, slots=True)
class Outer:
    """A column of the query around this one: "their own department"."""

    column: ColumnRef


@dataclass(frozen=True, slots=True)
class Over:
    """A window function of the rows alike in `within`, in the order of `by` where one is given: a call of
    `lag`, `rank` or `row_number`, or an aggregate that leaves the rows as they are.
    """

    function: "Aggregate | FunctionCall"
    within: tuple["Expression", ...] = ()
    by: "OrderKey | None" = None


Expression = (
    Over
    | Outer
    | ColumnRef
    | Star
    | Literal
    | Items
    | Aggregate
    | Arithmetic
    | FunctionCall
    | CaseWhen
    | Subquery
    | SourceColumn
)


@dataclass(frozen=True, slots=True)
class ComparisonPredicate:
    """`left operator right`; operators are SQL's in lower case, negated ones with `not` ahead.

    `is null` and `is not null` have no right side; `between` has an `Items` of two.
    """

    left: Expression
    operator: str
    right: Expression | None = None


@dataclass(frozen=True, slots=True)
class Connective:
    """Two or more conditions joined by `and` or `or`."""

    kind: Choice["and", "or"]
    parts: tuple["Condition", ...]


Condition = ComparisonPredicate | Connective


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One key of ORDER BY."""

    key: Expression
    descending: bool = False

    @property
    def direction(self) -> Choice["asc", "desc"]:
        """Which way it orders."""
        return "desc" if self.descending else "asc"


@dataclass(frozen=True, slots=True, order=True)
class Join:
    """An equality that joins two table uses; `outer` keeps the rows of `left` that find no partner."""

    left: ColumnRef
    right: ColumnRef
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Compound:
    """A set operation with a second query: `union`, `union all`, `intersect` or `except`."""

    operator: str
    query: "Query"


@dataclass(frozen=True)
class Query:
    """One SELECT, perhaps continued by a set operation."""

    select: tuple[Expression, ...]
    distinct: bool = False
    where: Condition | None = None
    group: tuple[Expression, ...] = ()
    having: Condition | None = None
    order: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int | None = None
    tables: tuple[TableRef, ...] = ()
    joins: tuple[Join, ...] = ()
    source: "Query | None" = None
    compound: Compound | None = None

    @property
    def cut(self) -> Choice["", "one", "some"]:
        """The rows that its limit leaves: one or some; empty without a limit."""
        return "" if self.limit is None else "one" if self.limit == 1 else "some"

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        """Every expression of this SELECT alone, outer ones before what they hold."""
        return tuple(e for part in _clauses(self) for e in walk(part))


def _clauses(query: "Query") -> Iterator[Expression | None]:
    """Give the expressions in the clauses of a SELECT, in their order."""
    yield from query.select
    for condition in (query.where, query.having):
        for comparison in comparisons(condition):
            yield comparison.left
            yield comparison.right
    yield from query.group
    yield from (ordering.key for ordering in query.order)


NEGATED = {
    "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "like": "not like", "in": "not in", "between": "not between", "is null": "is not null",
    "not like": "like", "not in": "in", "not between": "between", "is not null": "is null",
}  # fmt: skip


def negate(condition: Condition) -> Condition:
    """The opposite condition (De Morgan; nulls aside)."""
    if isinstance(condition, Connective):
        other: Choice["and", "or"] = "or" if condition.kind == "and" else "and"
        return Connective(other, tuple(negate(p) for p in condition.parts))
    return replace(condition, operator=NEGATED[condition.operator])


def conjunction(*conditions: Condition | None) -> Condition | None:
    """All of the conditions at once, flattened; None when there are none."""
    parts = tuple(part for condition in conditions for part in conjuncts(condition))
    if len(parts) < 2:
        return parts[0] if parts else None
    return Connective("and", parts)


def restricted(query: "Query", condition: Condition) -> "Query":
    """The query with a further condition."""
    return replace(query, where=conjunction(query.where, condition))


def restricted_within(query: "Query", comparison: ComparisonPredicate, condition: Condition) -> "Query":
    """The query with a further condition in the subquery that one of its comparisons is with."""
    assert isinstance(comparison.right, Subquery), "it is compared with a subquery"
    inner = replace(comparison, right=Subquery(restricted(comparison.right.query, condition)))
    return replace(query, where=rebuilt(query.where, lambda n: inner if n == comparison else n))


def conjuncts(condition: Condition | None) -> tuple[Condition, ...]:
    """The conditions that have to hold all at once; none where there is no condition."""
    if isinstance(condition, Connective) and condition.kind == "and":
        return condition.parts
    return () if condition is None else (condition,)


def comparisons(condition: Condition | None) -> Iterator[ComparisonPredicate]:
    """The comparisons in a condition, left to right."""
    if isinstance(condition, ComparisonPredicate):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from comparisons(part)


def compared_with(comparison: ComparisonPredicate) -> tuple[Expression, ...]:
    """Give the right side of a comparison, the items of a list one by one; empty where it has none."""
    right = comparison.right
    if right is None:
        return ()
    return right.items if isinstance(right, Items) else (right,)


def walk(expression: Expression | None) -> Iterator[Expression]:
    """An expression and all it holds, without entering subqueries."""
    if expression is None:
        return
    yield expression
    match expression:
        case Aggregate(argument=argument):
            yield from walk(argument)
        case Arithmetic(left=left, right=right):
            yield from walk(left)
            yield from walk(right)
        case Over(function=function, within=within, by=by):
            # Not the function itself: it makes no groups of the rows.
            given = (function.argument,) if isinstance(function, Aggregate) else function.arguments
            for part in (*given, *within, *(() if by is None else (by.key,))):
                yield from walk(part)
        case FunctionCall(arguments=parts) | Items(items=parts):
            for part in parts:
                yield from walk(part)
        case CaseWhen(condition=condition, then=then, otherwise=otherwise):
            for comparison in comparisons(condition):
                yield from walk(comparison.left)
                yield from walk(comparison.right)
            yield from walk(then)
            yield from walk(otherwise)


def is_aggregate(expression: Expression) -> bool:
    """True if an aggregate is computed in an expression."""
    return any(isinstance(e, Aggregate) for e in walk(expression))


def expressions(query: Query) -> tuple[Expression, ...]:
    """Every expression of this SELECT alone: not of subqueries, source or compound."""
    return query.expressions


def columns(query: Query) -> Iterator[ColumnRef]:
    """The columns of this SELECT alone, in the order of its clauses, with repeats."""
    return (e for e in expressions(query) if isinstance(e, ColumnRef))


def subqueries(query: Query) -> Iterator[Query]:
    """The queries directly inside this one: subqueries, source and compound."""
    for expression in expressions(query):
        if isinstance(expression, Subquery):
            yield expression.query
    if query.source is not None:
        yield query.source
    if query.compound is not None:
        yield query.compound.query


_PARTS: dict[type, tuple[str, ...]] = {}


def part_names(kind: type) -> tuple[str, ...]:
    """The names of the parts of a node of queries, by its type; none for constants."""
    if kind not in _PARTS:
        _PARTS[kind] = tuple(f.name for f in fields(kind)) if is_dataclass(kind) else ()
    return _PARTS[kind]


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A query with every part of it changed, from the inside out; the rest stays the same objects."""
    if type(node) is tuple:
        changed = tuple(rebuilt(n, change) for n in node)
        return node if all(a is b for a, b in zip(changed, node, strict=True)) else changed
    names = part_names(type(node))
    if not names:
        return node
    parts = {}
    for name in names:
        old = getattr(node, name)
        new = rebuilt(old, change)
        if new is not old:
            parts[name] = new
    return change(replace(node, **parts) if parts else node)


def all_queries(query: Query) -> Iterator[Query]:
    """This query and all inside it."""
    yield query
    for inner in subqueries(query):
        yield from all_queries(inner)


def all_expressions(query: Query) -> Iterator[Expression]:
    """Every expression of this query and of all inside it."""
    return (e for part in all_queries(query) for e in expressions(part))


def all_comparisons(query: Query) -> Iterator[ComparisonPredicate]:
    """Every comparison that this query and all inside it keep rows or groups by."""
    return (c for part in all_queries(query) for kept in (part.where, part.having) for c in comparisons(kept))


def mentioned_tables(query: Query) -> tuple[TableRef, ...]:
    """The table uses that this SELECT's expressions and `tables` name, in order of first mention."""
    named = [e.table for e in expressions(query) if isinstance(e, ColumnRef | Star) and e.table is not None]
    return tuple(dict.fromkeys((*named, *query.tables)))


def rows_asked(query: Query) -> TableRef | None:
    """The table whose rows a query lists, counts or calculates with; None where that isn't clear."""
    if query.source is not None or query.compound is not None:
        return None
    shown = {e.table for item in query.select for e in walk(item) if isinstance(e, ColumnRef)}
    tables = shown or {*mentioned_tables(query)}
    return tables.pop() if len(tables) == 1 else None
