"""Corrects the ranking for one database: a linear model of what tells right candidates from wrong ones there.

Listwise softmax regression (Cao et al., "Learning to Rank: From Pairwise Approach to Listwise Approach",
2007) over the candidates' features, on top of the scores they have already, drawn to no correction at all.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import Floats

Doubles = npt.NDArray[np.float64]

SHRINKAGE = 10.0
FURTHEST, FURTHEST_BEHIND = 4.0, 30.0
"""Standard deviations to which a feature is cut, and how far a score may lag behind the best one's."""
FOLDS = 3
STEPS = 200
CALIBRATION = (-0.4, 0.6)
"""From the log-odds of the agreeing candidates' share to those of being right, before anything was tried.
GeoQuery's training questions give the same, held out at random or with all questions of the same words."""
CAUTION = 5.0
"""How strongly the calibration is drawn to that."""


@dataclass(frozen=True)
class SolvedTrial:
    """A solved question that was asked as if it were new: its candidates' features (candidates x features),
    the scores they had, which are right, the digests of their results, and how sure the best one was."""

    features: Floats
    scores: Doubles
    right: npt.NDArray[np.bool_]
    digests: tuple[str, ...]
    confidence: float = 0.0

    @property
    def teaches(self) -> bool:
        """True if it has right candidates and wrong ones."""
        return bool(self.right.any() and not self.right.all())


@dataclass(frozen=True)
class Reranker:
    """A linear change of scores: `weights` of the features, each less its `mean` and over its `spread`.

    `calibration` turns the log-odds of the best candidate's share into those of its being right: (added,
    factor).
    """

    mean: Doubles
    spread: Doubles
    weights: Doubles
    calibration: tuple[float, float] = CALIBRATION

    def scores(self, features: Floats, scores: Doubles) -> Doubles:
        """The corrected scores of a question's candidates."""
        return _offset(scores) + _centred(features, self.mean, self.spread) @ self.weights

    def confidence(self, scores: Doubles, digests: Sequence[str]) -> float:
        """How sure to be of the best candidate, from the share of all that gives the same result."""
        return sigmoid(self.calibration[0] + self.calibration[1] * agreement(scores, digests))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The reranker as arrays for an npz file."""
        return {
            "mean": self.mean,
            "spread": self.spread,
            "weights": self.weights,
            "calibration": np.array(self.calibration),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """The reranker that `arrays` wrote."""
        added, factor = arrays["calibration"].tolist()
        return cls(arrays["mean"], arrays["spread"], arrays["weights"], (added, factor))


def agreement(scores: Doubles, digests: Sequence[str]) -> float:
    """The log-odds of the share of candidates, weighed by score, that give the best one's result."""
    best = int(scores.argmax())
    shares = np.exp(scores - scores.max())
    agreeing = np.array([bool(d) and d == digests[best] for d in digests])
    agreeing[best] = True
    share = float(np.clip(shares[agreeing].sum() / shares.sum(), 0.01, 0.99))
    return math.log(share / (1 - share))


def fit_and_try(trials: Sequence[SolvedTrial]) -> tuple[Reranker, list[Doubles]]:
    """Learn from trials (at least as many as folds); also the scores of each trial's candidates by weights
    that had not seen that trial, on which the confidence is calibrated.
    """
    tried: list[Doubles] = [trial.scores for trial in trials]
    for fold in range(FOLDS):
        learned = _fit([t for i, t in enumerate(trials) if i % FOLDS != fold])
        for place in range(fold, len(trials), FOLDS):
            tried[place] = learned.scores(trials[place].features, trials[place].scores)
    reached = [
        (agreement(s, t.digests), bool(t.right[int(s.argmax())])) for t, s in zip(trials, tried, strict=True)
    ]
    return replace(_fit(trials), calibration=_calibrated(reached)), tried


def _fit(trials: Sequence[SolvedTrial]) -> Reranker:
    from scipy.optimize import minimize  # noqa: PLC0415, slow to import and needed here alone

    useful = [t for t in trials if t.teaches]
    columns = (useful or trials)[0].features.shape[1]
    if not useful:
        return Reranker(np.zeros(columns), np.ones(columns), np.zeros(columns))
    rows = np.concatenate([t.features for t in useful]).astype(np.float64)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    rows = np.concatenate([_centred(t.features, mean, spread) for t in useful])
    prior = np.concatenate([_offset(t.scores) for t in useful])
    right = np.concatenate([t.right for t in useful]).astype(np.float64)
    sizes = [len(t.right) for t in useful]
    starts, owner = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        scores = rows @ weights + prior
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        shares /= np.add.reduceat(shares, starts)[owner]
        hit = np.add.reduceat(shares * right, starts)
        slope = rows.T @ (shares - shares * right / (hit[owner] + 1e-12)) + SHRINKAGE * weights
        return float(-np.log(hit + 1e-12).sum() + 0.5 * SHRINKAGE * weights @ weights), slope

    found = minimize(loss, np.zeros(columns), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return Reranker(mean, spread, found.x)


def _centred(features: Floats, mean: Doubles, spread: Doubles) -> Doubles:
    """Features in standard deviations, less their mean over the question's candidates."""
    rows = np.clip((features - mean) / spread, -FURTHEST, FURTHEST)
    return np.asarray(rows - rows.mean(axis=0), np.float64)


def _offset(scores: Doubles) -> Doubles:
    return np.asarray(np.clip(scores - scores.max(), -FURTHEST_BEHIND, 0.0), np.float64)


def _calibrated(reached: Iterable[tuple[float, bool]]) -> tuple[float, float]:
    """The logistic line through (agreement, right): `CALIBRATION` where they say little."""
    from scipy.optimize import minimize  # noqa: PLC0415, slow to import and needed here alone

    odds, right = np.array([(o, r) for o, r in reached], np.float64).T
    first = np.array(CALIBRATION)

    def loss(line: Doubles) -> float:
        away = np.where(right > 0, 1.0, -1.0) * (line[0] + line[1] * odds)
        return float(np.logaddexp(0.0, -away).sum() + 0.5 * CAUTION * ((line - first) ** 2).sum())

    added, factor = minimize(loss, first, method="L-BFGS-B", bounds=[(None, None), (0.1, None)]).x
    return float(added), float(factor)


def sigmoid(odds: float) -> float:
    """The probability of log-odds."""
    return 1 / (1 + math.exp(-odds))
