"""Candidates made to say what the hints say: missing conditions added, formulas and extremes put in."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from fathom.offline.hints.formulas import with_formula
from fathom.offline.hints.records import Hint
from fathom.offline.hints.satisfied import holds, missing
from fathom.offline.linking import Linking
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Expression,
    OrderKey,
    Query,
    Star,
    Subquery,
    comparisons,
    conjunction,
    conjuncts,
    is_aggregate,
    walk,
)

UNMET = 3.0
CHANGED = 0.2
MOST_VARIANTS = 4


def complete(
    proposals: Iterable[Proposal], hints: Sequence[Hint], linking: Linking, planner: JoinPlanner, most: int
) -> list[Proposal]:
    """The proposals with what they miss of the hints, best first; what is missed nevertheless costs."""
    if not hints:
        return list(proposals)[:most]
    found: dict[Query, Proposal] = {}
    for proposal in proposals:
        for query in (proposal.query, *_variants(proposal.query, hints, linking, planner)):
            unmet = missing(query, hints)
            score = proposal.score - UNMET * unmet - CHANGED * (query != proposal.query)
            known = found.get(query)
            if known is None or known.score < score:
                found[query] = replace(proposal, query=query, score=score, unmet=unmet)
    return sorted(found.values(), key=lambda p: -p.score)[:most]


def _variants(query: Query, hints: Sequence[Hint], linking: Linking, planner: JoinPlanner) -> list[Query]:
    """The query changed to meet every hint, in several ways where there are several."""
    if query.compound is not None or query.source is not None:
        return []
    variants = [query]
    for hint in hints:
        changed = [v for q in variants for v in (_met(q, hint, linking, planner) or (q,))]
        variants = list(dict.fromkeys(changed))[:MOST_VARIANTS]
    return [v for v in variants if v != query]


def _met(query: Query, hint: Hint, linking: Linking, planner: JoinPlanner) -> tuple[Query, ...]:
    """The query changed to meet one hint; empty where it can't be."""
    if holds(query, hint):
        return (query,)
    for condition in hint.conditions:
        query = _with_condition(query, condition, hint.conditions)
    if hint.columns:
        return tuple(_with_columns(query, hint.columns))
    for expression in hint.expressions:
        if hint.extreme is not None:
            return tuple(_with_extreme(query, expression, hint.extreme, _count(hint, linking)))
        return tuple(with_formula(query, expression, planner))
    return (query,)


def _with_condition(query: Query, condition: Condition, told: Collection[Condition]) -> Query:
    """The query with one more condition, instead of others than those told that compare the same columns."""
    if isinstance(condition, ComparisonPredicate) and is_aggregate(condition.left):
        if query.having is not None and condition in set(comparisons(query.having)):
            return query
        plain = tuple(e for e in query.select if isinstance(e, ColumnRef))
        return replace(query, having=condition, group=query.group or plain, where=query.where)
    if (
        isinstance(condition, ComparisonPredicate)
        and condition.right is not None
        and is_aggregate(condition.right)
    ):
        inner = Subquery(Query((condition.right,)))
        condition = replace(condition, right=inner)
    parts = conjuncts(query.where)
    if condition in parts:
        return query
    about = _columns(condition)
    kept = [p for p in parts if p in told or not (isinstance(p, ComparisonPredicate) and _columns(p) & about)]
    return replace(query, where=conjunction(*kept, condition))


def _columns(condition: Condition) -> set[ColumnRef]:
    return {
        e
        for c in comparisons(condition)
        for s in (c.left, c.right)
        for e in walk(s)
        if isinstance(e, ColumnRef)
    }


def _with_columns(query: Query, wanted: tuple[ColumnRef, ...]) -> Iterator[Query]:
    """The columns shown: beside their siblings where one is shown already, else instead of what is shown."""
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    if any(c in shown for c in wanted):
        place = min(query.select.index(c) for c in wanted if c in shown)
        rest = [e for e in query.select if e not in wanted]
        place = min(place, len(rest))
        yield replace(query, select=(*rest[:place], *wanted, *rest[place:]))
    elif not any(is_aggregate(e) for e in query.select):
        grouped = tuple(wanted) if query.group else ()
        yield replace(query, select=wanted, group=grouped, distinct=query.distinct)
        yield replace(query, select=(*query.select, *wanted), group=(*query.group, *grouped))


def _with_extreme(
    query: Query, shown: Expression, extreme: tuple[Expression, bool], count: int
) -> Iterator[Query]:
    """The rows with the extreme first, and the extreme itself where it is that of a column."""
    of, largest = extreme
    order = (OrderKey(of, descending=largest),)
    plain = tuple(e for e in query.select if not is_aggregate(e) and e != of)
    if plain and not any(isinstance(e, Star) for e in plain):
        group = plain if is_aggregate(of) else ()
        group = tuple(e for e in query.group if e in group) or group
        yield replace(query, select=plain, order=order, limit=count, offset=None, group=group, having=None)
    if not is_aggregate(of):
        yield replace(query, select=(shown,), order=(), limit=None, offset=None, group=(), having=None)


def _count(hint: Hint, linking: Linking) -> int:
    """How many rows the words of an extreme ask for: "the first two"."""
    for number in linking.numbers:
        near = any(s.first - 3 <= number.span.first < s.end + 2 for s in hint.spans)
        if near and isinstance(number.value, int) and 1 < number.value <= 1000 and not number.ordinal:
            return number.value
    return 1
