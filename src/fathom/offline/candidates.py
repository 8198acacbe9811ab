"""Candidate queries for a question: likely sketches, their slots filled, their joins planned."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fathom.offline.delexical import features
from fathom.offline.filling import SlotFiller
from fathom.offline.joins import JoinPlanner, Plan
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.query import (
    Condition,
    Connective,
    Query,
    Unrepresentable,
    all_queries,
    mentioned_tables,
)
from fathom.offline.rendering import joined, with_plan
from fathom.offline.shapes import ShapeModel
from fathom.offline.sketches import instantiate
from fathom.records.schema import Schema

SKETCHES = 30
FILLINGS = 8
FILLING_WEIGHT = 0.35
MENTIONED_KEY = 1.0
DEARER_PLAN = 0.6


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate query with the scores it was made by; `score` is their sum and orders candidates.

    `source` says where it comes from: `sketch`, or `example` for the query of a solved question.
    """

    query: Query
    score: float
    sketch_score: float
    filling_score: float
    plan_rank: int = 0
    source: str = "sketch"
    sketch_rank: int = 0


def propose(
    linking: Linking, schema: Schema, planner: JoinPlanner, shapes: ShapeModel, most: int = 60
) -> list[Proposal]:
    """The likeliest candidates, best first, no query twice."""
    filler = SlotFiller(linking, schema, planner)
    found: dict[Query, Proposal] = {}
    for rank, (sketch, sketch_score) in enumerate(shapes.propose(features(linking), SKETCHES)):
        for filled in filler.fill(sketch, FILLINGS):
            score = sketch_score + FILLING_WEIGHT * filled.score
            try:
                query = instantiate(sketch, filled.filling, planner)
            except Unrepresentable:
                continue
            proposal = Proposal(query, score, sketch_score, filled.score, sketch_rank=rank)
            if query not in found or found[query].score < score:
                found[query] = proposal
    best = _distinct(sorted(found.values(), key=lambda p: -p.score))[:most]
    spread = [variant for proposal in best for variant in plan_variants(proposal, linking, planner)]
    return sorted(spread, key=lambda p: -p.score)[:most]


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
    columns = {ColumnKey(c.table.name, c.name) for j in plan.joins for c in (j.left, j.right)}
    best = (float(linking.alignment[linking.index[c]].max(initial=0)) for c in columns)
    return sum(best) / max(len(plan.joins), 1)
