"""Candidate queries for a question: likely sketches, their slots filled, their joins planned."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fathom.offline.delexical import features, span_chances
from fathom.offline.filling import SlotFiller
from fathom.offline.joins import JoinPlanner, Plan
from fathom.offline.linking import ColumnKey, Linking, Span, log_odds
from fathom.offline.linking.columns import schema_columns
from fathom.offline.query import (
    Aggregate,
    Arithmetic,
    Column,
    Condition,
    Connective,
    Expression,
    Ordering,
    Query,
    TableRef,
    Unrepresentable,
    all_queries,
    columns,
    expressions,
    mentioned_tables,
    walk,
)
from fathom.offline.rendering import joined, with_plan
from fathom.offline.rows import RowNames, fixed_columns, names_key
from fathom.offline.shapes import Expected, ShapeModel
from fathom.offline.simplifying import simplify
from fathom.offline.sketches import instantiate
from fathom.records.schema import Schema

SKETCHES = 30
FILLINGS = 8
FILLING_WEIGHT = 0.45
VACUOUS = 1.2
SIMPLER = 0.4
EDITED = 25
EDIT_COST = 1.3
IGNORED_EXTREME = 2.5
LIKELY_SHOWN = 0.3
NEW_TABLE = 1.5
MENTIONED_KEY = 1.0
DEARER_PLAN = 0.6
GRAMMARS = ("count", "total", "hierarchy", "period", "ratio")
"""Sources of queries that a grammar makes, since training data hold next to none to learn from; each goes
before those ahead of it. Of counts they hold many: the grammar's stand in where the choice isn't sure."""
NAMES_FOR_KEYS, NAMES_ASKED = 4.0, 3.0
"""What it adds to show names instead of keys that nobody asked for, or of what the question doesn't ask."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate query with the scores it was made by; `score` is their sum and orders candidates.

    `source` says where it comes from: `sketch`, one of `GRAMMARS`, or `example` for the query of a solved
    question, of that `similarity` with this one and with so many of its values `kept`. `unmet` is the weight
    of what outside knowledge said and the query doesn't. `settled` says of what a grammar made that nothing
    in the question leaves another reading open.
    """

    query: Query
    score: float
    sketch_score: float
    filling_score: float
    plan_rank: int = 0
    source: str = "sketch"
    sketch_rank: int = 0
    similarity: float = 0.0
    kept: int = 0
    unmet: float = 0.0
    settled: bool = False


def propose(
    linking: Linking, schema: Schema, planner: JoinPlanner, shapes: ShapeModel, most: int = 60
) -> list[Proposal]:
    """The likeliest candidates, best first, no query twice."""
    filler = SlotFiller(linking, schema, planner)
    flags = {key for key, column in schema_columns(schema) if column.kind == "boolean"}
    found: dict[Query, Proposal] = {}
    for rank, (sketch, sketch_score) in enumerate(
        shapes.propose(features(linking), SKETCHES, _expected(linking))
    ):
        for filled in filler.fill(sketch, FILLINGS):
            score = sketch_score + FILLING_WEIGHT * filled.score
            try:
                query = instantiate(sketch, filled.filling, planner)
            except Unrepresentable:
                continue
            if _adds_up_words(query, linking) or _counts_answers(query, flags):
                continue
            score -= VACUOUS if _vacuous(query) else 0.0
            proposal = Proposal(query, score, sketch_score, filled.score, sketch_rank=rank)
            for option in (proposal, _simpler(proposal, planner)):
                if option.query not in found or found[option.query].score < option.score:
                    found[option.query] = option
    rows = RowNames(schema)
    best = _distinct(sorted(found.values(), key=lambda p: -p.score))
    best = _distinct(sorted([*best, *_edited(best[:EDITED], linking, rows, planner)], key=lambda p: -p.score))
    best = [p for p in best if not _ranks_by_words(p.query, linking)]
    best = ([p for p in best if _shows_measure(p.query, linking)] or best)[:most]
    spread = [variant for proposal in best for variant in plan_variants(proposal, linking, planner)]
    spread = [p for p in spread if not _repeats_itself(p.query, planner)] or spread
    return sorted(spread, key=lambda p: -p.score)[:most]


def _adds_up_words(query: Query, linking: Linking) -> bool:
    """Whether it calculates with text that has no figures in it."""
    return any(
        isinstance(operand, Column) and ColumnKey.of(operand) in linking.wordy
        for select in all_queries(query)
        for part in expressions(select)
        for operand in _operands(part)
    )


def _counts_answers(query: Query, flags: Collection[ColumnKey]) -> bool:
    """Whether it counts the different values of a column that holds yes or no: that tells nothing."""
    return any(
        isinstance(e, Aggregate)
        and e.distinct
        and isinstance(e.argument, Column)
        and ColumnKey.of(e.argument) in flags
        for e in query.select
    )


def _ranks_by_words(query: Query, linking: Linking) -> bool:
    """Whether it picks out extremes of text where the question doesn't speak of the alphabet."""
    if not linking.superlatives or any(t.lower.startswith("alphabet") for t in linking.tokens):
        return False
    keys = [o.key for part in all_queries(query) if part.limit is not None for o in part.order]
    extremes = [
        e.argument
        for part in all_queries(query)
        for e in expressions(part)
        if isinstance(e, Aggregate) and e.function in {"min", "max"}
    ]
    return any(isinstance(e, Column) and ColumnKey.of(e) in linking.wordy for e in (*keys, *extremes))


def _shows_measure(query: Query, linking: Linking) -> bool:
    """Whether it shows a number that the question asks for and a column holds, if there is one."""
    shown = {e for item in query.select for e in walk(item) if isinstance(e, Column)}
    return not linking.measured or any(ColumnKey.of(e) in linking.measured for e in shown)


def _operands(part: object) -> tuple[object, ...]:
    """What an expression calculates with; empty for what doesn't calculate."""
    match part:
        case Aggregate(function="sum" | "avg", argument=argument):
            return (argument,)
        case Arithmetic(operator=operator, left=left, right=right) if operator != "||":
            return (left, right)
    return ()


def _vacuous(query: Query) -> bool:
    """Whether it shows a column that its own condition leaves only one value."""
    fixed = fixed_columns(query)
    return any(e in fixed for e in query.select)


def _repeats_itself(query: Query, planner: JoinPlanner) -> bool:
    """Whether it shows but what its own condition says, in itself or through joins: nobody asks for that."""
    fixed = fixed_columns(query)
    if not fixed or query.group or query.compound or query.source:
        return False
    _, joins = joined(query, planner)
    for _ in joins:
        for join in joins:
            if not fixed.isdisjoint((join.left, join.right)):
                fixed |= {join.left, join.right}
    return all(e in fixed for e in query.select)


def _simpler(proposal: Proposal, planner: JoinPlanner) -> Proposal:
    """The proposal without the joins that it can do without, which is then the likelier one."""
    query = simplify(proposal.query, planner)
    return (
        proposal
        if query == proposal.query
        else replace(proposal, query=query, score=proposal.score + SIMPLER)
    )


def _expected(linking: Linking) -> Expected:
    """How many values the query likely holds, and whether it singles out extremes."""
    likely = span_chances(linking)
    kept: list[Span] = []
    for span in sorted(likely, key=lambda s: -likely[s]):
        if not any(span.overlaps(k) for k in kept):
            kept.append(span)
    limits = sum(n.limit for n in linking.numbers if n.limit >= 0.5 and n.value != 1)
    return Expected(sum(likely[s] for s in kept) + limits, bool(linking.superlatives))


def _edited(
    proposals: Iterable[Proposal], linking: Linking, rows: RowNames, planner: JoinPlanner
) -> Iterator[Proposal]:
    """The proposals with one more column shown, or one fewer: lists of any length become reachable."""
    scores = linking.column_scores["select"]
    likely = [
        (c, log_odds(float(p))) for c, p in zip(linking.columns, scores, strict=True) if p >= LIKELY_SHOWN
    ]
    for proposal in proposals:
        query = proposal.query
        yield from (_simpler(p, planner) for p in _measured(proposal, linking))
        ranked = [*_with_extremes(proposal, linking), *_summed(proposal, linking, rows)]
        yield from ranked
        for option in (proposal, *ranked):
            yield from _named(option, linking, rows)
        shown = [e for e in query.select if isinstance(e, Column)]
        if query.compound is not None or query.source is not None or not shown:
            continue
        named = {ColumnKey.of(c) for c in columns(query)}
        tables = {t.name for t in mentioned_tables(query)}
        for column, score in likely:
            if column not in named:
                farther = 0.0 if column.table in tables else NEW_TABLE
                more = (*query.select, column.in_query())
                yield _changed(proposal, replace(query, select=more), score - farther)
        used = {*query.group, *(o.key for o in query.order)}
        if len(query.select) > 1:
            for item in shown:
                if item not in used:
                    fewer = tuple(e for e in query.select if e != item)
                    score = -log_odds(linking.score(ColumnKey.of(item), "select"))
                    yield _changed(proposal, replace(query, select=fewer), score)


def _measured(proposal: Proposal, linking: Linking) -> Iterator[Proposal]:
    """The proposal with the number that a column holds, where it counts rows: "how many people live in"."""
    query = proposal.query
    if len(query.select) == 1 and not query.group and not _shows_measure(query, linking):
        for column in linking.measured:
            shown = column.in_query()
            yield _changed(proposal, replace(query, select=(shown,), tables=(), distinct=False), NAMES_ASKED)


def _named(proposal: Proposal, linking: Linking, rows: RowNames) -> Iterator[Proposal]:
    """The proposal with names in place of keys that nobody asked for, and of what its condition says.

    People ask "which artist", and mean the name; the key tells them nothing.
    """
    query = proposal.query
    if query.compound is not None or query.source is not None:
        return
    fixed = fixed_columns(query)
    shown = [e for e in query.select if isinstance(e, Column)]
    unasked = [e for e in shown if rows.is_key(e) and not names_key(linking, e)]
    if unasked:
        yield _renamed(proposal, {e: rows.of(e) for e in unasked}, NAMES_FOR_KEYS)
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


def _renamed(proposal: Proposal, names: Mapping[Column, tuple[Column, ...]], gain: float) -> Proposal:
    """The proposal with other columns shown; groups by keys stay, which tell apart what shares a name."""
    query = proposal.query
    select = tuple(dict.fromkeys(n for e in query.select for n in _named_as(e, names)))
    kept = {} if gain == NAMES_FOR_KEYS else names
    group = tuple(dict.fromkeys(n for e in query.group for n in _named_as(e, kept)))
    return _changed(proposal, replace(query, select=select, group=group), gain)


def _named_as(item: Expression, names: Mapping[Column, tuple[Column, ...]]) -> tuple[Expression, ...]:
    return names.get(item, (item,)) if isinstance(item, Column) else (item,)


def _summed(proposal: Proposal, linking: Linking, rows: RowNames) -> Iterator[Proposal]:
    """For groups ranked by their size: ranked by the sum of what the superlative speaks of, "spent most"."""
    query = proposal.query
    if not (query.group and query.limit and len(query.order) == 1):
        return
    match query.order[0].key:
        case Aggregate(function="count"):
            tables = {t.name for t in mentioned_tables(query)}
            for superlative in linking.superlatives:
                for column, direction, score in superlative.columns:
                    if column.table in tables and rows.measures(column):
                        total = Aggregate("sum", column.in_query())
                        order = (Ordering(total, direction == "desc"),)
                        # The table counted may be named by the count alone.
                        tables_left = () if query.tables == (TableRef(column.table),) else query.tables
                        changed = replace(query, order=order, tables=tables_left)
                        yield _changed(proposal, changed, IGNORED_EXTREME + log_odds(score) / 2)


def _with_extremes(proposal: Proposal, linking: Linking) -> Iterator[Proposal]:
    """The proposal ordered and cut as a superlative of the question asks, where it does neither yet."""
    query = proposal.query
    plain = all(isinstance(e, Column) for e in query.select)
    if query.order or query.limit or query.group or query.compound or query.source or not plain:
        return
    tables = {t.name for t in mentioned_tables(query)}
    for superlative in linking.superlatives:
        for column, direction, score in superlative.columns[:4]:
            if column.table in tables:
                order = (Ordering(column.in_query(), direction == "desc"),)
                changed = replace(query, order=order, limit=superlative.count)
                yield _changed(proposal, changed, IGNORED_EXTREME + log_odds(score) / 2)


def _changed(proposal: Proposal, query: Query, gain: float) -> Proposal:
    return replace(
        proposal,
        query=query,
        score=proposal.score - EDIT_COST + FILLING_WEIGHT * gain,
        sketch_score=proposal.sketch_score - EDIT_COST,
        filling_score=proposal.filling_score + gain,
    )


def _distinct(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals without those that only order a query's parts differently."""
    kept: dict[object, Proposal] = {}
    for proposal in proposals:
        query = proposal.query
        key = (
            frozenset(query.select), query.distinct, _unordered(query.where), frozenset(query.group),
            query.having, query.order, query.limit, frozenset(query.tables), query.source,
            _unordered_compound(query),
        )  # fmt: skip
        kept.setdefault(key, proposal)
    return list(kept.values())


def _unordered(condition: Condition | None) -> object:
    if isinstance(condition, Connective):
        return condition.kind, frozenset(_unordered(p) for p in condition.parts)
    return condition


def _unordered_compound(query: Query) -> object:
    if query.compound is None:
        return None
    other = query.compound.query
    if query.compound.operator == "except":
        return "except", other
    sides = (_unordered(query.where), query.having), (_unordered(other.where), other.having)
    return query.compound.operator, frozenset(sides), other.group, other.tables


def plan_variants(proposal: Proposal, linking: Linking, planner: JoinPlanner) -> Iterator[Proposal]:
    """The proposal with each of the plans that connect its tables; none where nothing connects them.

    Plans that join by columns the question mentions gain.
    """
    query = proposal.query
    try:
        for part in all_queries(query):
            if part.source is None:
                joined(part, planner)
    except Unrepresentable:
        return
    tables = mentioned_tables(query)
    plans = () if query.source is not None or query.joins else planner.plans(tables)
    if len(tables) < 2 or len(plans) < 2:
        yield proposal
        return
    for rank, plan in enumerate(plans):
        bonus = MENTIONED_KEY * _mentioned(plan, linking) - DEARER_PLAN * min(rank, 2)
        changed = query if rank == 0 else with_plan(query, plan)
        yield replace(proposal, query=changed, score=proposal.score + bonus, plan_rank=rank)


def _mentioned(plan: Plan, linking: Linking) -> float:
    """How far the question mentions the columns that a plan joins by, per join."""
    columns = {ColumnKey.of(c) for j in plan.joins for c in (j.left, j.right)}
    best = (float(linking.alignment[linking.index[c]].max(initial=0)) for c in columns)
    return sum(best) / max(len(plan.joins), 1)
