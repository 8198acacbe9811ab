"""Learns to rank candidates, and how sure to be of the best, out of fold by database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import Floats, Linking
from fathom.offline.linking.translation import Translation, learn
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.offline.ranking.choice import CandidateJudge
from fathom.offline.ranking.confidence import ConfidenceWeights, confidence_features
from fathom.offline.ranking.presentation import preference
from fathom.offline.ranking.ranker import CandidatePool, pool_features
from fathom.offline.ranking.sql_words import query_words, question_words
from fathom.offline.trees import Forest
from training.attention_model import Example
from training.forests import grow
from training.lessons import FOLDS, fold_of
from training.pools import GradedPool

Doubles = npt.NDArray[np.float64]
_RANKING: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 10,
    "label_gain": [0, 4, 5],
    "min_data_in_leaf": 30,
    "feature_fraction": 0.4,
    "lambda_l2": 5.0,
}
_JUDGING: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 8,
    "learning_rate": 0.05,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.4,
    "lambda_l2": 5.0,
}
_JUDGING_TREES = 150
_TREES = 220


@dataclass(frozen=True)
class Case:
    """A question's linking and its graded candidates; a `planner` of its own where the schema was changed."""

    linking: Linking
    pool: GradedPool
    planner: JoinPlanner | None = None


def learn_translations(cases: Iterable[tuple[Linking, Query]]) -> tuple[Translation, Translation]:
    """Translations from questions to queries, and back."""
    ahead, back = [], []
    for linking, query in cases:
        asked, words = question_words(linking), query_words(query)
        ahead.append((asked, (*words.structure, *words.names)))
        back.append(((*words.structure, *words.names), tuple(w for w in asked if " " not in w)))
    return learn(ahead, rarest=3, smallest=2e-3), learn(back, rarest=3, smallest=2e-3)


def featurise(
    cases: Sequence[Case],
    planners: Mapping[str, JoinPlanner],
    translations: tuple[Translation, Translation],
) -> list[CandidatePool]:
    """The features of each case's candidates."""
    forward, backward = translations
    return [
        pool_features(
            case.linking,
            case.pool.entries,
            case.planner or planners[case.pool.database],
            forward=forward,
            backward=backward,
        )
        for case in cases
    ]


def fit_forest(rows: Sequence[Floats], grades: Sequence[Sequence[int]]) -> Forest:
    """A forest that ranks; pools without a right or without a wrong candidate teach nothing."""
    useful = [i for i, g in enumerate(grades) if any(g) and not all(g)]
    return grow(
        np.concatenate([rows[i] for i in useful]),
        np.concatenate([np.array(grades[i]) for i in useful]),
        _TREES,
        group=[len(grades[i]) for i in useful],
        **_RANKING,
    )


def featurise_out_of_fold(
    cases: Sequence[Case], lessons: Sequence[tuple[Linking, Query, str]], planners: Mapping[str, JoinPlanner]
) -> list[CandidatePool]:
    """The features of each case's candidates, with translations of `lessons` outside the case's fold."""
    found: list[CandidatePool | None] = [None] * len(cases)
    for fold in range(FOLDS):
        inside = [i for i, c in enumerate(cases) if fold_of(c.pool.database) == fold]
        outside = [(linking, query) for linking, query, database in lessons if fold_of(database) != fold]
        pools = featurise([cases[i] for i in inside], planners, learn_translations(outside))
        for i, pool in zip(inside, pools, strict=True):
            found[i] = pool
    return [p for p in found if p is not None]


@dataclass(frozen=True)
class Ranked:
    """Cases, the features of their candidates, the forest that ranks them, one without each fold, and the
    scores out of fold.

    `refused` marks the cases that no query answers: they teach confidence only.
    """

    cases: Sequence[Case]
    pools: Sequence[CandidatePool]
    refused: Sequence[bool]
    forest: Forest
    without: Sequence[Forest]
    scores: Sequence[Doubles]

    def examples(self) -> list[Example]:
        """What the attention network learns from, a case each."""
        return [
            Example(
                case.linking,
                case.pool.database,
                tuple(e.query for e in case.pool.entries),
                pool.features,
                scores,
                np.array(case.pool.grades) > 0,
            )
            for case, pool, scores in zip(self.cases, self.pools, self.scores, strict=True)
        ]


def rank(cases: Sequence[Case], pools: Sequence[CandidatePool], refused: Sequence[bool]) -> Ranked:
    """Learn to rank, on everything and out of fold by database."""
    folds = [fold_of(c.pool.database) for c in cases]
    rows = [p.features for p in pools]
    grades = [c.pool.grades for c in cases]
    answered = [i for i, r in enumerate(refused) if not r]
    scores: list[Doubles] = [np.zeros(0)] * len(cases)
    without = []
    for fold in range(FOLDS):
        outside = [i for i in answered if folds[i] != fold]
        without.append(fit_forest([rows[i] for i in outside], [grades[i] for i in outside]))
        for i in (i for i, f in enumerate(folds) if f == fold):
            scores[i] = without[fold].scores(rows[i])
    forest = fit_forest([rows[i] for i in answered], [grades[i] for i in answered])
    return Ranked(cases, pools, refused, forest, without, scores)


@dataclass(frozen=True)
class FittedJudge:
    """The judge of all cases, and for each fold the one that never saw it."""

    full: CandidateJudge
    without: tuple[CandidateJudge, ...]


def fit_judge(ranked: Ranked, corrections: Sequence[Doubles], *, accuracy: float) -> FittedJudge:
    """Learn to be sure of what the forest and the attention network's `corrections` rank first, out of fold.

    The threshold is the lowest confidence from which `accuracy` of the answerable cases' answers were right.
    """
    scores = [
        own + corrected + preference(pool.features)
        for own, corrected, pool in zip(ranked.scores, corrections, ranked.pools, strict=True)
    ]
    right = [bool(c.pool.grades[int(s.argmax())]) for c, s in zip(ranked.cases, scores, strict=True)]
    features = [
        confidence_features(
            c.linking, p.features, s, [e.outcome for e in c.pool.entries], p.explained[int(s.argmax())]
        )
        for c, p, s in zip(ranked.cases, ranked.pools, scores, strict=True)
    ]
    fitted = fit_confidence(features, right, [c.pool.database for c in ranked.cases])
    answered = [i for i, r in enumerate(ranked.refused) if not r]
    threshold = threshold_for(fitted.sure[answered], [right[i] for i in answered], accuracy)
    without = tuple(
        CandidateJudge(f, c, threshold) for f, c in zip(ranked.without, fitted.without, strict=True)
    )
    return FittedJudge(CandidateJudge(ranked.forest, fitted.full, threshold), without)


@dataclass(frozen=True)
class FittedConfidence:
    """How sure to be: learned from all cases, without each fold, and of each case out of fold."""

    full: ConfidenceWeights
    without: tuple[ConfidenceWeights, ...]
    sure: Doubles


def fit_confidence(
    features: Sequence[Floats], right: Sequence[bool], databases: Sequence[str]
) -> FittedConfidence:
    """Learn how sure to be of the best candidates.

    The calibration is isotonic, over scores out of fold, smoothed by pooling neighbours.
    """
    rows, labels = np.stack(features), np.array(right, np.float64)
    folds = np.array([fold_of(d) for d in databases])
    forests = [_sure(rows[folds != fold], labels[folds != fold]) for fold in range(FOLDS)]
    scores = np.zeros(len(rows))
    for fold, forest in enumerate(forests):
        scores[folds == fold] = forest.scores(rows[folds == fold])
    lines = [_isotonic(scores[folds != fold], labels[folds != fold]) for fold in range(FOLDS)]
    points, values = _isotonic(scores, labels)
    return FittedConfidence(
        ConfidenceWeights(_sure(rows, labels), points, values),
        tuple(ConfidenceWeights(f, *line) for f, line in zip(forests, lines, strict=True)),
        np.interp(scores, points, values),
    )


def _sure(rows: Floats, labels: Doubles) -> Forest:
    return grow(rows, labels, _JUDGING_TREES, **_JUDGING)


def _isotonic(scores: Doubles, labels: Doubles, bins: int = 40) -> tuple[Floats, Floats]:
    """A rising line through the shares of right ones in bins of scores (pool adjacent violators)."""
    order = np.argsort(scores, kind="stable")
    groups = [g for g in np.array_split(order, bins) if len(g)]
    blocks = [[float(scores[g].mean()), float(labels[g].sum()), float(len(g))] for g in groups]
    merged: list[list[float]] = []
    for block in blocks:
        merged.append(block)
        while len(merged) > 1 and merged[-2][1] / merged[-2][2] >= merged[-1][1] / merged[-1][2]:
            (a, right_a, n_a), (b, right_b, n_b) = merged[-2:]
            merged[-2:] = [[(a * n_a + b * n_b) / (n_a + n_b), right_a + right_b, n_a + n_b]]
    points = np.array([m[0] for m in merged], np.float32)
    values = np.maximum.accumulate(np.array([(m[1] + 0.5) / (m[2] + 1) for m in merged], np.float32))
    return points, values


def threshold_for(confidence: Doubles, right: Sequence[bool], accuracy: float = 0.93) -> float:
    """The lowest confidence from which at least this share of the answers was right."""
    order = np.argsort(-confidence, kind="stable")
    share = np.cumsum(np.array(right, np.float64)[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share >= accuracy)
    return float(confidence[order[enough[-1]]]) if len(enough) else 1.0
