"""Ranks candidate queries: trees grown by LambdaRank over features of question, query and result.

Burges, "From RankNet to LambdaRank to LambdaMART" (2010). Trees are grown in training only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.offline.linking import Floats, Linking
from fathom.offline.linking.translation import NULL, Translation
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, mentioned_tables
from fathom.offline.ranking.coverage import COVERAGE, CoverageJudge, parts_of
from fathom.offline.ranking.cues import CUES, CueJudge
from fathom.offline.ranking.presentation import PRESENTED, PresentationJudge
from fathom.offline.ranking.request_features import ASKED, asked_features
from fathom.offline.ranking.result_features import (
    OUTCOME,
    SHAPE,
    QueryOutcome,
    outcome_features,
    shape_features,
)
from fathom.offline.ranking.sql_words import QueryWords, query_words, question_words

TRANSLATED = (
    *("names_given_question", "names_worst", "structure_given_question", "structure_worst"),
    *("question_given_query", "question_worst", "question_total", "structure_total"),
)
PROPOSED = (
    *("score", "sketch_score", "filling_score", "plan_rank", "sketch_rank", "place", "from_example"),
    *("similarity", "kept"),
)
_UNSEEN = 1e-4
# Features that are also given as the gap to the best of the pool.
_COMPARED = (
    *PROPOSED[:3], "similarity", *TRANSLATED, *COVERAGE, *CUES,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """One candidate to rank.

    `similarity` is that of the solved question it comes from, 0 without one; `kept` how many of that
    question's values it keeps. `unmet` weighs what evidence or glossary say and the query leaves out.
    """

    query: Query
    score: float
    sketch_score: float = 0.0
    filling_score: float = 0.0
    plan_rank: int = 0
    sketch_rank: int = 0
    from_example: bool = False
    similarity: float = 0.0
    outcome: QueryOutcome = QueryOutcome(None, skipped=True)
    kept: int = 0
    unmet: float = 0.0


@dataclass(frozen=True)
class CandidatePool:
    """A question's candidates as features (candidates x features)."""

    features: Floats
    explained: tuple[Floats, ...]


def pool_features(
    linking: Linking,
    entries: Sequence[RankedCandidate],
    planner: JoinPlanner,
    *,
    forward: Translation,
    backward: Translation,
) -> CandidatePool:
    """The features of a question's candidates."""
    judge, cues = CoverageJudge(linking), CueJudge(linking, planner.schema)
    presented = PresentationJudge(linking, planner.schema)
    asked = question_words(linking)
    words = [query_words(e.query) for e in entries]
    translated = _translated(asked, words, forward, backward)
    shares = _softmax([e.score for e in entries])
    outcomes = outcome_features([e.outcome for e in entries], shares)
    rows = []
    explained = []
    for place, entry in enumerate(entries):
        parts = parts_of(entry.query)
        coverage = judge.judge(parts)
        explained.append(coverage.explained)
        tables, joins, cost = _path(entry.query, planner)
        rows.append(
            [
                entry.score,
                entry.sketch_score,
                entry.filling_score,
                entry.plan_rank,
                entry.sketch_rank,
                place,
                float(entry.from_example),
                entry.similarity,
                entry.kept,
                *translated[place],
                *coverage.features,
                *cues.features(entry.query),
                *outcomes[place],
                *shape_features(entry.query, tables, joins, len(words[place].structure)),
                cost,
            ]
        )
    own = np.array(rows, np.float32).reshape(len(entries), len(_NAMES))
    compared = own[:, [_NAMES.index(n) for n in _COMPARED]]
    gaps = compared - compared.max(axis=0, initial=-1e9)
    whole = asked_features(linking)
    around = np.broadcast_to(whole, (len(entries), len(whole)))
    shown = np.array([presented.features(e.query) for e in entries], np.float32)
    return CandidatePool(
        np.concatenate([own, gaps, around, shown], axis=1, dtype=np.float32), tuple(explained)
    )


_NAMES = (*PROPOSED, *TRANSLATED, *COVERAGE, *CUES, *OUTCOME, *SHAPE, "path_cost")
FEATURES = (*_NAMES, *(f"{n} gap" for n in _COMPARED), *ASKED, *PRESENTED)
"""All features of a candidate in the order of the columns of `Pool.features`."""


def _softmax(scores: Sequence[float]) -> list[float]:
    if not scores:
        return []
    shifted = np.exp(np.array(scores) - max(scores))
    return [float(s) for s in shifted / shifted.sum()]


def _path(query: Query, planner: JoinPlanner) -> tuple[int, int, float]:
    """Tables, joins and cost of the main query's join path."""
    tables = mentioned_tables(query)
    if query.joins:
        return len(tables), len(query.joins), float(len(query.joins)) + 1
    plans = planner.plans(tables)
    if not plans:
        return len(tables), 0, 10.0
    return len(plans[0].tables), len(plans[0].joins), plans[0].cost


def _translated(
    asked: Sequence[str], words: Sequence[QueryWords], forward: Translation, backward: Translation
) -> list[tuple[float, ...]]:
    """How likely each query's words are given the question's, and back; in the order of TRANSLATED."""
    known = sorted({w for q in words for w in (*q.structure, *q.names)})
    number = {w: i for i, w in enumerate(known)}
    source = [NULL, *asked]
    ahead = forward.matrix(source, known)
    single = [w for w in asked if " " not in w]
    copied = np.array([[float(a == k) for k in known] for a in source], np.float32).reshape(ahead.shape)
    ahead = np.maximum(ahead, 0.5 * copied).max(axis=0, initial=0)
    back = backward.matrix([NULL, *known], single)
    back = np.maximum(
        back, np.array([[0.5 * float(w == k) for w in single] for k in ("", *known)]).reshape(back.shape)
    )
    found: list[tuple[float, ...]] = []
    for query in words:
        names = np.log(np.maximum(ahead[[number[w] for w in query.names]], _UNSEEN))
        structure = np.log(np.maximum(ahead[[number[w] for w in query.structure]], _UNSEEN))
        rows = [0, *(1 + number[w] for w in (*query.names, *query.structure))]
        given = np.log(np.maximum(back[rows].max(axis=0, initial=0), _UNSEEN))
        found.append(
            (
                *(
                    _mean(names),
                    float(names.min(initial=0)),
                    _mean(structure),
                    float(structure.min(initial=0)),
                ),
                *(_mean(given), float(given.min(initial=0)), float(given.sum()), float(structure.sum())),
            )
        )
    return found


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
