"""Candidate queries for a question: likely sketches, their slots filled, their joins planned."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fathom.offline.delexical import features
from fathom.offline.filling import SlotFiller
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking
from fathom.offline.query import Query, Unrepresentable, all_queries, mentioned_tables
from fathom.offline.rendering import joined, with_plan
from fathom.offline.shapes import ShapeModel
from fathom.offline.sketches import instantiate
from fathom.records.schema import Schema

SKETCHES = 30
FILLINGS = 8
FILLING_WEIGHT = 0.35
PLANS = 3
DEARER_PLAN = 0.8


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
    best = sorted(found.values(), key=lambda p: -p.score)[:most]
    spread = [variant for proposal in best for variant in plan_variants(proposal, planner)]
    return sorted(spread, key=lambda p: -p.score)[:most]


def plan_variants(proposal: Proposal, planner: JoinPlanner) -> Iterator[Proposal]:
    """The proposal with each of the plans that connect its tables; none where nothing connects them."""
    query = proposal.query
    try:
        for part in all_queries(query):
            if part.source is None:
                joined(part, planner)
    except Unrepresentable:
        return
    tables = mentioned_tables(query)
    yield proposal
    if query.source is not None or len(tables) < 2 or query.joins:
        return
    for rank, plan in enumerate(planner.plans(tables)[1:PLANS], start=1):
        penalty = DEARER_PLAN * rank
        yield replace(proposal, query=with_plan(query, plan), score=proposal.score - penalty, plan_rank=rank)
