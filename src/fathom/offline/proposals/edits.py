"""Likely queries a little otherwise: columns more or fewer, names for keys, extremes that are asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fathom.offline.checks.faults import shows_sought
from fathom.offline.linking import ColumnKey, Linking, log_odds
from fathom.offline.proposals.proposals import EDIT_COST, FILLING_WEIGHT, Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    OrderKey,
    Query,
    TableRef,
    columns,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames, fixed_columns, names_key
from fathom.offline.queries.spare_joins import simplify

VACUOUS = 1.2
"""The penalty of showing a column that the condition fixes already."""
SIMPLER = 0.4
IGNORED_EXTREME = 2.5
LIKELY_SHOWN = 0.3
NEW_TABLE = 1.5
NAMES_FOR_KEYS, NAMES_ASKED = 4.0, 3.0
"""The bonus of names shown instead of keys that nobody asked for, or of things that the question doesn't ask
for."""


def simpler(proposal: Proposal, planner: JoinPlanner) -> Proposal:
    """The proposal without the joins that it can do without, which is then the likelier one."""
    query = simplify(proposal.query, planner)
    if query == proposal.query:
        return proposal
    return replace(proposal, query=query, score=proposal.score + SIMPLER)


def edited(
    proposals: Iterable[Proposal], linking: Linking, rows: RowNames, planner: JoinPlanner
) -> Iterator[Proposal]:
    """The proposals with one more column shown, or one fewer: lists of any length become reachable."""
    scores = linking.column_scores["select"]
    likely = [
        (c, log_odds(float(p))) for c, p in zip(linking.columns, scores, strict=True) if p >= LIKELY_SHOWN
    ]
    for proposal in proposals:
        yield from (simpler(p, planner) for p in _seeking(proposal, linking))
        ranked = [*_with_extremes(proposal, linking), *_summed(proposal, linking, rows)]
        yield from ranked
        for option in (proposal, *ranked):
            yield from _named(option, linking, rows)
        yield from _with_more(proposal, likely)
        yield from _with_fewer(proposal, linking)


def _with_more(proposal: Proposal, likely: Sequence[tuple[ColumnKey, float]]) -> Iterator[Proposal]:
    """The proposal with each likely column shown besides; of another table that costs."""
    query = proposal.query
    if not _shows_columns(query):
        return
    named = {ColumnKey.of(c) for c in columns(query)}
    tables = {t.name for t in mentioned_tables(query)}
    for column, score in likely:
        if column not in named:
            farther = 0.0 if column.table in tables else NEW_TABLE
            yield proposal.edited(replace(query, select=(*query.select, column.in_query())), score - farther)


def _with_fewer(proposal: Proposal, linking: Linking) -> Iterator[Proposal]:
    """The proposal without each column shown that neither groups nor orders it."""
    query = proposal.query
    if not _shows_columns(query) or len(query.select) == 1:
        return
    used = {*query.group, *(o.key for o in query.order)}
    for item in query.select:
        if isinstance(item, ColumnRef) and item not in used:
            fewer = tuple(e for e in query.select if e != item)
            score = -log_odds(linking.score(ColumnKey.of(item), "select"))
            yield proposal.edited(replace(query, select=fewer), score)


def _shows_columns(query: Query) -> bool:
    """True if it is a plain SELECT that shows columns as they are, among others perhaps."""
    plain = query.compound is None and query.source is None
    return plain and any(isinstance(e, ColumnRef) for e in query.select)


def _seeking(proposal: Proposal, linking: Linking) -> Iterator[Proposal]:
    """The proposal with what "how" or "where" asks for instead: a population for "how many people"."""
    query = proposal.query
    if len(query.select) == 1 and not query.group and not shows_sought(query, linking):
        for column in linking.sought:
            shown = column.in_query()
            yield proposal.edited(replace(query, select=(shown,), tables=(), distinct=False), NAMES_ASKED)


def _named(proposal: Proposal, linking: Linking, rows: RowNames) -> Iterator[Proposal]:
    """The proposal with names in place of keys that nobody asked for, and of what its condition says.

    People ask "which artist", and mean the name; the key tells them nothing.
    """
    query = proposal.query
    if query.compound is not None or query.source is not None:
        return
    fixed = fixed_columns(query)
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    unasked = [e for e in shown if rows.is_key(e) and not names_key(linking, e)]
    if unasked:
        # Groups by keys stay: they tell apart what shares a name.
        yield _renamed(proposal, {e: rows.of(e) for e in unasked}, NAMES_FOR_KEYS, regrouped=False)
    if len(query.select) != 1 or not shown:
        return
    own = tuple(c.in_query(shown[0].table.instance) for c in linking.called)
    if own and own[0].table == shown[0].table and set(own) != set(shown):
        yield _renamed(proposal, {shown[0]: own}, NAMES_ASKED)
    elif shown[0] in fixed:
        for table in mentioned_tables(query):
            names = rows.of_table(table)
            if names and set(names) != set(shown):
                yield _renamed(proposal, {shown[0]: names}, VACUOUS / FILLING_WEIGHT + EDIT_COST)


def _renamed(
    proposal: Proposal,
    names: Mapping[ColumnRef, tuple[ColumnRef, ...]],
    gain: float,
    *,
    regrouped: bool = True,
) -> Proposal:
    """The proposal with other columns shown, and grouped by these where it was by those."""
    query = proposal.query
    select = tuple(dict.fromkeys(n for e in query.select for n in _named_as(e, names)))
    group = tuple(dict.fromkeys(n for e in query.group for n in _named_as(e, names if regrouped else {})))
    return proposal.edited(replace(query, select=select, group=group), gain)


def _named_as(item: Expression, names: Mapping[ColumnRef, tuple[ColumnRef, ...]]) -> tuple[Expression, ...]:
    return names.get(item, (item,)) if isinstance(item, ColumnRef) else (item,)


def _summed(proposal: Proposal, linking: Linking, rows: RowNames) -> Iterator[Proposal]:
    """For groups ranked by their size: ranked by the sum of what the superlative speaks of, "spent most"."""
    query = proposal.query
    if not (query.group and query.limit and len(query.order) == 1 and _counts(query.order[0].key)):
        return
    tables = {t.name for t in mentioned_tables(query)}
    for superlative in linking.superlatives:
        for column, direction, score in superlative.columns:
            if column.table in tables and rows.measures(column):
                order = (OrderKey(Aggregate("sum", column.in_query()), direction == "desc"),)
                # The table counted may be named by the count alone.
                tables_left = () if query.tables == (TableRef(column.table),) else query.tables
                changed = replace(query, order=order, tables=tables_left)
                yield proposal.edited(changed, IGNORED_EXTREME + log_odds(score) / 2)


def _counts(expression: Expression) -> bool:
    return isinstance(expression, Aggregate) and expression.function == "count"


def _with_extremes(proposal: Proposal, linking: Linking) -> Iterator[Proposal]:
    """The proposal ordered and cut as a superlative of the question asks, where it does neither yet."""
    query = proposal.query
    plain = all(isinstance(e, ColumnRef) for e in query.select)
    if query.order or query.limit or query.group or query.compound or query.source or not plain:
        return
    tables = {t.name for t in mentioned_tables(query)}
    for superlative in linking.superlatives:
        for column, direction, score in superlative.columns[:4]:
            if column.table in tables:
                order = (OrderKey(column.in_query(), direction == "desc"),)
                changed = replace(query, order=order, limit=superlative.count)
                yield proposal.edited(changed, IGNORED_EXTREME + log_odds(score) / 2)
