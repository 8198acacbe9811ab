"""Candidate queries for a question: likely sketches, their slots filled, their joins planned."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fathom.offline.checks.faults import (
    adds_up_words,
    contradicts_itself,
    counts_answers,
    ranks_by_words,
    repeats_itself,
    shows_sought,
    vacuous,
)
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.columns import schema_columns
from fathom.offline.proposals.edits import VACUOUS, edited, simpler
from fathom.offline.proposals.proposals import FILLING_WEIGHT, Proposal
from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import (
    Condition,
    Connective,
    Query,
    Unrepresentable,
    all_queries,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.queries.to_sql import joined, with_plan
from fathom.offline.sketches.beam import SlotFiller
from fathom.offline.sketches.delexical import features, span_chances
from fathom.offline.sketches.shapes import Expected, ShapeModel
from fathom.offline.sketches.sketches import instantiate
from fathom.records.schema import Schema

SKETCHES = 30
FILLINGS = 8
LIKELY = 120
"""Filled sketches that may come to anything: of the others none is among those that are run."""
EDITED = 25
MENTIONED_KEY = 1.0
DEARER_PLAN = 0.6


def propose(
    linking: Linking, schema: Schema, planner: JoinPlanner, shapes: ShapeModel, most: int = 60
) -> list[Proposal]:
    """The likeliest candidates, best first, no query twice."""
    found: dict[Query, Proposal] = {}
    filled = sorted(_filled(linking, schema, planner, shapes), key=lambda p: -p.score)
    for made in filled[:LIKELY]:
        for option in (made, simpler(made, planner)):
            if option.query not in found or found[option.query].score < option.score:
                found[option.query] = option
    best = _best_first(found.values())
    best = _best_first([*best, *edited(best[:EDITED], linking, RowNames(schema), planner)])
    best = [p for p in best if not ranks_by_words(p.query, linking)]
    best = ([p for p in best if shows_sought(p.query, linking)] or best)[:most]
    spread = [variant for proposal in best for variant in plan_variants(proposal, linking, planner)]
    spread = [p for p in spread if not repeats_itself(p.query, planner)] or spread
    return sorted(spread, key=lambda p: -p.score)[:most]


def _filled(linking: Linking, schema: Schema, planner: JoinPlanner, shapes: ShapeModel) -> Iterator[Proposal]:
    """Likely sketches with their slots filled, but for queries that tell nothing."""
    filler = SlotFiller(linking, schema, planner)
    flags = {key for key, column in schema_columns(schema) if column.kind == "boolean"}
    likely = shapes.propose(features(linking), SKETCHES, _expected(linking))
    for rank, (sketch, sketch_score) in enumerate(likely):
        for filled in filler.fill(sketch, FILLINGS):
            try:
                query = instantiate(sketch, filled.filling, planner)
            except Unrepresentable:
                continue
            if adds_up_words(query, linking) or counts_answers(query, flags) or contradicts_itself(query):
                continue
            score = sketch_score + FILLING_WEIGHT * filled.score
            score -= VACUOUS if vacuous(query) else 0.0
            yield Proposal(query, score, sketch_score, filled.score, sketch_rank=rank)


def _expected(linking: Linking) -> Expected:
    """How many values the query likely holds, and whether it singles out extremes."""
    likely = span_chances(linking)
    kept: list[Span] = []
    for span in sorted(likely, key=lambda s: -likely[s]):
        if not any(span.overlaps(k) for k in kept):
            kept.append(span)
    limits = sum(n.limit for n in linking.numbers if n.limit >= 0.5 and n.value != 1)
    return Expected(sum(likely[s] for s in kept) + limits, bool(linking.superlatives))


def _best_first(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals, best first, without those that only order a better one's parts differently."""
    kept: dict[object, Proposal] = {}
    for proposal in sorted(proposals, key=lambda p: -p.score):
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


def _mentioned(plan: JoinPlan, linking: Linking) -> float:
    """How far the question mentions the columns that a plan joins by, per join."""
    columns = {ColumnKey.of(c) for j in plan.joins for c in (j.left, j.right)}
    best = (float(linking.alignment[linking.index[c]].max(initial=0)) for c in columns)
    return sum(best) / max(len(plan.joins), 1)
