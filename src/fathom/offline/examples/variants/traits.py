"""Traits of a query: by these, solved queries of one database are told apart."""

from collections import Counter
from collections.abc import Iterator

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
    Query,
    SourceColumn,
    Star,
    Subquery,
    comparisons,
    expressions,
    mentioned_tables,
    walk,
)
from fathom.offline.queries.serial import name_of


def traits(query: Query) -> frozenset[str]:
    """The traits of a query, whichever values it holds; one of them is all the others together."""
    found = Counter(_of(query, ""))
    twice = {f"{trait} twice" for trait, times in found.items() if times > 1}
    return frozenset({*found, *twice, "whole " + " | ".join(sorted(found.elements()))})


def _of(query: Query, place: str) -> Iterator[str]:
    for item in query.select:
        yield f"{place}select {_text(item)}"
        for part in walk(item):
            if isinstance(part, Aggregate):
                yield f"{place}select {part.function}"
            elif isinstance(part, ColumnRef):
                yield f"{place}of {_text(part)}"
    if len(query.select) > 1:
        yield f"{place}selects {len(query.select)}"
    for table in mentioned_tables(query):
        yield f"{place}table {table.name}"
    for join in query.joins:
        yield f"{place}join {join.left.name} = {join.right.name}"
    if query.distinct:
        yield f"{place}distinct"
    yield from _condition(query, query.where, f"{place}where")
    yield from _condition(query, query.having, f"{place}having")
    for key in query.group:
        yield f"{place}group"
        yield f"{place}group {_text(key)}"
    for ordering in query.order:
        yield f"{place}order {ordering.direction}"
        yield f"{place}order {_text(ordering.key)} {ordering.direction}"
    if query.cut:
        yield f"{place}limit {query.cut}"
    yield from _inside(query, place)


def _condition(query: Query, condition: Condition | None, clause: str) -> Iterator[str]:
    parts = list(comparisons(condition))
    yield f"{clause} {len(parts)}"
    if isinstance(condition, Connective):
        yield f"{clause} {condition.kind}"
    for part in parts:
        yield from _comparison(part, clause)
        yield from (f"{clause} {_text(item)} by {_text(part.left)} {part.operator}" for item in query.select)


def _comparison(part: ComparisonPredicate, clause: str) -> Iterator[str]:
    left = _text(part.left)
    yield f"{clause} {left}"
    yield f"{clause} {left} {part.operator} {_text(part.right)}"
    yield f"{clause} {part.operator} {name_of(part.right)}"


def _inside(query: Query, place: str) -> Iterator[str]:
    for expression in expressions(query):
        if isinstance(expression, Subquery):
            yield f"{place}query"
            for trait in _of(expression.query, ""):
                yield f"{place}inner {trait}"
                if "max(" in trait or "min(" in trait:
                    yield f"extreme {trait}"  # the same however deep it stands
    if query.source is not None:
        yield f"{place}source"
        yield from _of(query.source, f"{place}source ")
    if query.compound is not None:
        yield f"{place}{query.compound.operator}"
        yield from _of(query.compound.query, f"{place}other ")


def _text(expression: Expression | None) -> str:
    """An expression in short, without its values."""
    text = ""
    match expression:
        case ColumnRef(table=table, name=name):
            text = f"{table.name}{table.instance or ''}.{name}"
        case Star():
            text = "*"
        case Literal(value=value):
            text = "number" if isinstance(value, int | float) else "value"
        case Items(items=parts):
            text = f"{len(parts)} items"
        case Aggregate(function=function, argument=argument, distinct=distinct):
            text = f"{function}({'distinct ' if distinct else ''}{_text(argument)})"
        case Arithmetic(operator=operator, left=left, right=right):
            text = f"({_text(left)} {operator} {_text(right)})"
        case FunctionCall(name=name, arguments=parts):
            text = f"{name}({', '.join(map(_text, parts))})"
        case SourceColumn(index=index):
            text = f"source {index}"
        case CaseWhen():
            text = "case"
        case Subquery():
            text = "query"
    return text
