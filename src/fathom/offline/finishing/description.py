"""Says in a few words what a query would give, to ask which of two was meant."""

from dataclasses import replace

from fathom.offline.grammars.calendars import begun_in, moves_of
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Items,
    Literal,
    Outer,
    Over,
    Query,
    SourceColumn,
    Star,
    Subquery,
    Unrepresentable,
    rebuilt,
)
from fathom.offline.queries.to_sql import joined

_AGGREGATES = {"avg": "average", "sum": "total", "min": "lowest", "max": "highest"}
_PARTS = {"%Y": "year", "%m": "month", "%Y-%m": "month", "%d": "day", "%w": "weekday"}
_OF_FORM = frozenset(("cast", "lower", "coalesce", "nullif", "round", "date", "julianday"))
_OPERATORS = {
    "=": "is", "!=": "is not", "<": "is below", ">": "is above", "<=": "is at most", ">=": "is at least",
    "like": "matches", "not like": "doesn't match", "is null": "is missing", "is not null": "is there",
    "in": "is among", "not in": "is not among", "between": "is between", "not between": "is not between",
}  # fmt: skip


def describe(query: Query, planner: JoinPlanner) -> str:
    """One line, without a full stop: what is shown, of which tables, under which conditions."""
    if (source := query.source) is not None:
        select = rebuilt(query.select, lambda e: source.select[e.index] if isinstance(e, SourceColumn) else e)
        query = replace(query, select=select)
    parts = [", ".join(shown(e) for e in query.select)]
    if source is not None:
        parts.append(f"over {describe(source, planner)}")
    try:
        tables = joined(query, planner)[0] if query.source is None else ()
    except Unrepresentable:
        tables = ()
    if tables:
        parts.append("of " + " with ".join(dict.fromkeys(t.name for t in tables)))
    if query.where is not None:
        parts.append("where " + describe_condition(query.where))
    if query.group:
        parts.append("for each " + ", ".join(shown(e) for e in query.group))
    if query.having is not None:
        parts.append("having " + describe_condition(query.having))
    if query.order:
        keys = (f"{shown(o.key)} {'descending' if o.descending else 'ascending'}" for o in query.order)
        parts.append("ordered by " + ", ".join(keys))
    if query.limit is not None:
        parts.append(f"(the first {query.limit if query.limit > 1 else 'one'})")
    if query.compound is not None:
        word = {"except": "but not", "intersect": "that are also"}.get(query.compound.operator, "or")
        parts.append(f"{word} {describe(query.compound.query, planner)}")
    return " ".join(parts)


def dotted(column: ColumnRef) -> str:
    """A column as SQL names it: `table.column`."""
    return f"{column.table.name}.{column.name}"


def shown(expression: Expression) -> str:  # noqa: PLR0911
    """Describe an expression in words."""
    match expression:
        case (ColumnRef() as column) | Outer(column=column):
            return dotted(column)
        case Star():
            return "all columns"
        case Aggregate(function="count", argument=Star()):
            return "the number of rows"
        case Aggregate(function="count", argument=argument, distinct=distinct):
            return f"the number of {'different ' if distinct else ''}{shown(argument)}"
        case Aggregate(function=function, argument=argument):
            return f"the {_AGGREGATES[function]} {shown(argument)}"
        case Arithmetic(operator=operator, left=left, right=right):
            return f"{shown(left)} {operator} {shown(right)}"
        case Over(function=FunctionCall(name="lag", arguments=(value,)), by=by) if by is not None:
            return f"{shown(value)} of the {shown(by.key)} before"
        case Over(function=Aggregate() as total, by=by) if by is not None:
            return f"{shown(total)} up to the {shown(by.key)}"
        case Literal(value=value):
            return "nothing" if value is None else str(value)
        case Items(items=items):
            return " and ".join(shown(i) for i in items)
        case Subquery(query=query):
            return "those of (" + ", ".join(shown(e) for e in query.select) + " elsewhere)"
        case CaseWhen(condition=condition, then=then):
            return f"{shown(then)} if {describe_condition(condition)}"
    return _called(expression) if isinstance(expression, FunctionCall) else "a calculation"


def _called(call: FunctionCall) -> str:
    """Describe a function by what it takes: one that changes only the form of a value says nothing more."""
    match call:
        case FunctionCall(name="date", arguments=(Literal(value="now"), *_)):
            return _day(call)
        case FunctionCall(name="strftime", arguments=(Literal(value=str(parts)), value, *_)) if (
            parts in _PARTS
        ):
            return f"the {_PARTS[parts]} of {shown(value)}"
        case FunctionCall(name="median", arguments=(value,)):
            return f"the median {shown(value)}"
        case FunctionCall(name=function, arguments=(value, *_)) if function in _OF_FORM:
            return shown(value)
    return "a calculation"


def _day(call: FunctionCall) -> str:
    """A day that is told by steps from today: "1 year before the start of this year"."""
    start = begun_in(call)
    day = f"the start of this {start}" if start else "today"
    for change in moves_of(call):
        steps, _, of = change.partition(" ")
        count, side = steps.lstrip("+-"), "before" if steps.startswith("-") else "after"
        of = of.rstrip("s") if count == "1" else of
        day = f"{count} {of} {side} {day}"
    return day


def describe_condition(condition: Condition) -> str:
    """A condition in words, without a full stop."""
    if isinstance(condition, Connective):
        return f" {condition.kind} ".join(describe_condition(p) for p in condition.parts)
    return _comparison(condition)


def _comparison(comparison: ComparisonPredicate) -> str:
    left, operator = shown(comparison.left), _OPERATORS.get(comparison.operator, comparison.operator)
    return f"{left} {operator}" + ("" if comparison.right is None else f" {shown(comparison.right)}")
