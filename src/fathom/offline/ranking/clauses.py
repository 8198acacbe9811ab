"""The clauses of a query, each by itself: what the attention network holds against the question's words."""

from collections.abc import Iterator
from typing import NamedTuple

from fathom.offline.linking import ColumnKey
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Literal,
    Query,
    SourceColumn,
    Subquery,
    compared_with,
    comparisons,
    mentioned_tables,
    walk,
)
from fathom.offline.ranking.sql_words import comparison_word, limit_word, order_word, shown_word


class Clause(NamedTuple):
    """One thing that a query does. `kind` says it without names ("where avg > query"), the rest with what.

    `value` is the first constant that is compared.
    """

    kind: str
    column: ColumnKey | None = None
    table: str | None = None
    value: object = None


def clauses_of(query: Query) -> tuple[Clause, ...]:
    """The clauses of a query and of all queries inside it, each once, in the order of SQL."""
    return tuple(dict.fromkeys(_clauses(query, "")))


def _clauses(query: Query, place: str) -> Iterator[Clause]:
    yield Clause(f"{place}{shown_word(query)}")
    for item in query.select:
        yield from _uses(item, f"{place}select")
    if query.distinct:
        yield Clause(f"{place}distinct")
    for name, condition in (("where", query.where), ("having", query.having)):
        yield from _conditions(condition, f"{place}{name}")
    for key in query.group:
        yield from _uses(key, f"{place}group")
    yield from _order(query, place)
    for table in mentioned_tables(query):
        yield Clause(f"{place}table", table=table.name)
    if query.source is not None:
        yield Clause(f"{place}from")
        yield from _clauses(query.source, "source ")
    if query.compound is not None:
        yield Clause(f"{place}{query.compound.operator}")
        yield from _clauses(query.compound.query, "compound ")


def _conditions(condition: Condition | None, place: str) -> Iterator[Clause]:
    if isinstance(condition, Connective):
        yield Clause(f"{place} {condition.kind}")
    for comparison in comparisons(condition):
        yield from _comparison(comparison, place)


def _comparison(comparison: ComparisonPredicate, place: str) -> Iterator[Clause]:
    right = comparison.right
    constants = [c.value for c in compared_with(comparison) if isinstance(c, Literal)]
    value = constants[0] if constants else None
    yield from _uses(comparison.left, place, comparison_word(comparison), value)
    if right is not None:
        yield from _uses(right, f"{place} right")
    if isinstance(right, Subquery):
        yield from _clauses(right.query, "inner ")


def _order(query: Query, place: str) -> Iterator[Clause]:
    for ordering in query.order:
        yield from _uses(ordering.key, f"{place}{order_word(ordering, query)}")
    if query.cut:
        yield Clause(f"{place}{limit_word(query)}")


def _uses(expression: Expression, before: str, after: str = "", value: object = None) -> Iterator[Clause]:
    """Give the uses of each column in an expression, and its uses without one."""
    aggregated: set[ColumnRef] = set()
    for part in walk(expression):
        if isinstance(part, Aggregate):
            columns = [c for c in walk(part.argument) if isinstance(c, ColumnRef)]
            aggregated.update(columns)
            done = f"{part.function} distinct" if part.distinct else part.function
            yield from (_clause(before, done, after, c, value) for c in columns)
            if not columns:
                yield _clause(before, f"{part.function} *", after, None, value)
    for part in walk(expression):
        match part:
            case ColumnRef() if part not in aggregated:
                yield _clause(before, "", after, part, value)
            case SourceColumn():
                yield _clause(before, "source", after, None, value)
            case Arithmetic(operator=operator):
                yield _clause(before, operator, after, None, value)
            case FunctionCall(name=name):
                yield _clause(before, name, after, None, value)


def _clause(before: str, done: str, after: str, column: ColumnRef | None, value: object) -> Clause:
    kind = " ".join(f"{before} {done} {after}".split())
    if column is None:
        return Clause(kind, value=value)
    return Clause(kind, ColumnKey.of(column), column.table.name, value)
