"""A check for verbs that leave rows out: those who won are fewer than those who raced."""

from collections.abc import Iterator
from contextlib import suppress

from fathom.offline.checks.account import Accounts
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import alike, name_stems, stem
from fathom.offline.linking.wordlists import OUTCOMES, PHRASE_ENDS, TOLD_OUTCOMES
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    Literal,
    Query,
    Unrepresentable,
    all_queries,
    compared_with,
    comparisons,
    expressions,
    mentioned_tables,
)
from fathom.offline.queries.to_sql import joined

_TOLD = frozenset(map(stem, TOLD_OUTCOMES))
_NEAR = 4
_AMOUNTS = frozenset(("more", "less", "fewer", "than"))


def outcomes_left(query: Query, linking: Linking, planner: JoinPlanner) -> tuple[int, ...]:
    """The places of verbs of how it went for which nothing of a query stands: "who won the race in 2010".

    Weights let one word pass where all others fit, and would list whoever was there. What was won may stand
    for it, "the most seats", and so may the column by which rows are told apart that went one way or another.
    """
    said = [i for i, t in enumerate(linking.tokens) if t.lower in OUTCOMES and not t.evidence]
    if not said or _TOLD & {s for q in all_queries(query) for s in _restricting(q)}:
        return ()
    left = {*Accounts(linking).left_over(query)}
    known = {s for q in all_queries(query) for s in _words(q, planner)}
    return tuple(
        i
        for i in said
        if i in left and not _has_object(query, linking, i) and not _is_told(linking.tokens[i].lower, known)
    )


def _is_told(verb: str, known: set[str]) -> bool:
    """True if any of some stems is that of a word that tells of a verb."""
    return any(alike(stem(word), k) for word in OUTCOMES[verb] for k in known)


def _words(query: Query, planner: JoinPlanner) -> Iterator[str]:
    """The stems of what a query's tables, columns, keys and values are called, without those within it."""
    used = [e for e in expressions(query) if isinstance(e, ColumnRef)]
    with suppress(Unrepresentable):
        used += [c for j in joined(query, planner)[1] for c in (j.left, j.right)]
    for name in (*(t.name for t in mentioned_tables(query)), *(c.name for c in used)):
        yield from name_stems(name)
    for condition in (query.where, query.having):
        for item in (i for c in comparisons(condition) for i in compared_with(c)):
            if isinstance(item, Literal) and isinstance(item.value, str):
                yield from map(stem, item.value.casefold().split())


def _restricting(query: Query) -> Iterator[str]:
    """The stems of the columns that a query compares or orders by."""
    compared = [c.left for condition in (query.where, query.having) for c in comparisons(condition)]
    for expression in (*compared, *(o.key for o in query.order)):
        if isinstance(expression, ColumnRef):
            yield from name_stems(expression.name)


def _has_object(query: Query, linking: Linking, place: int) -> bool:
    """True if a column of the query is named right behind a verb, as what was won: "won the most seats"."""
    used = {ColumnKey.of(c) for q in all_queries(query) for c in expressions(q) if isinstance(c, ColumnRef)}
    words = [t.lower for t in linking.tokens[place + 1 : place + 1 + _NEAR]]
    ends = (i for i, w in enumerate(words) if w in PHRASE_ENDS - _AMOUNTS)
    end = place + next(ends, len(words))
    named = [m.span.first for m in linking.column_mentions if m.column in used and m.named]
    return any(place < first <= end for first in named)
