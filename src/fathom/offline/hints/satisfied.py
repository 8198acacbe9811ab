"""A check that a query holds the content of a hint."""

from collections.abc import Iterable, Sequence

from fathom.offline.hints.records import Hint
from fathom.offline.queries.query import (
    Aggregate,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Expression,
    Query,
    Subquery,
    all_queries,
    comparisons,
    expressions,
    is_aggregate,
    walk,
)
from fathom.records import Assumption

COLUMNS = 0.5
"""The weight of a hint about columns beside one about conditions."""


def missing(query: Query, hints: Iterable[Hint]) -> float:
    """The weight of the hints that a query doesn't meet."""
    every = list(all_queries(query))
    return sum(COLUMNS if h.columns else 1.0 for h in hints if not _held(every, h))


def holds(query: Query, hint: Hint) -> bool:
    """True if the query, or one inside it, meets the hint."""
    return _held(list(all_queries(query)), hint)


def _held(every: Sequence[Query], hint: Hint) -> bool:
    if hint.conditions:
        return all(any(_has(q, c) for q in every) for c in hint.conditions)
    if hint.columns:
        return any(set(hint.columns) <= set(q.select) for q in every) or (
            len(hint.columns) == 1 and any(hint.columns[0] in set(expressions(q)) for q in every)
        )
    if hint.extreme is not None:
        of, largest = hint.extreme
        return any(_extreme(q, of, largest=largest) for q in every)
    return all(any(_shows(q, e) for q in every) for e in hint.expressions)


def told(query: Query, hints: Iterable[Hint]) -> tuple[Assumption, ...]:
    """Give an assumption for each hint that the query rests on."""
    found = (
        Assumption("convention", f"“{h.phrase}” was taken to mean: {h.text}", h.source)
        for h in hints
        if h.phrase and h.spans and holds(query, h)
    )
    return tuple(dict.fromkeys(found))


def _has(query: Query, condition: Condition) -> bool:
    found = {c for clause in (query.where, query.having) for c in comparisons(clause)}
    return all(_among(c, found) for c in comparisons(condition)) or any(
        set(comparisons(condition)) <= set(_within(e)) for e in query.select
    )


def _among(wanted: ComparisonPredicate, found: set[ComparisonPredicate]) -> bool:
    if wanted in found:
        return True
    if wanted.right is not None and is_aggregate(wanted.right):
        return any(
            c.left == wanted.left and c.operator == wanted.operator and isinstance(c.right, Subquery)
            and c.right.query.select == (wanted.right,)
            for c in found
        )  # fmt: skip
    return False


def _within(expression: Expression) -> Iterable[ComparisonPredicate]:
    for part in walk(expression):
        if isinstance(part, CaseWhen):
            yield from comparisons(part.condition)


def _extreme(query: Query, of: Expression, *, largest: bool) -> bool:
    first = query.order[0] if query.order and query.limit is not None else None
    if first is not None and first.descending == largest and _same(first.key, of):
        return True
    function = "max" if largest else "min"
    return any(
        isinstance(e, Aggregate) and e.function == function and _same(e.argument, of) for e in query.select
    )


def _same(one: Expression, other: Expression) -> bool:
    if isinstance(one, Aggregate) and isinstance(other, Aggregate):
        return one.function == other.function and (one.function == "count" or one.argument == other.argument)
    return one == other


def _shows(query: Query, expression: Expression) -> bool:
    if expression in query.select:
        return True
    if isinstance(expression, Aggregate):
        return any(isinstance(e, Aggregate) and _same(e, expression) for e in expressions(query))
    return not isinstance(expression, ColumnRef) and expression in set(expressions(query))
