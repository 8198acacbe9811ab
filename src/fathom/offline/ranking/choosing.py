"""Chooses among a question's candidates, and says how sure that choice is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking
from fathom.offline.ranking.confidence import (
    ConfidenceWeights,
    confidence_features,
    load_confidence_weights,
    missing_words,
)
from fathom.offline.ranking.ranker import Entry, RankerWeights, load_ranker_weights, pool_features


@dataclass(frozen=True)
class RankingWeights:
    """What ranking has learned; under `threshold` of confidence an answer had better be declined."""

    ranker: RankerWeights
    confidence: ConfidenceWeights
    threshold: float

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The weights as arrays for an npz file."""
        threshold = {"threshold": np.array(self.threshold, np.float32)}
        return self.ranker.arrays() | self.confidence.arrays() | threshold


def load_ranking_weights(arrays: Mapping[str, npt.NDArray[Any]]) -> RankingWeights:
    """The weights from the arrays that `RankingWeights.arrays` wrote."""
    return RankingWeights(
        load_ranker_weights(arrays), load_confidence_weights(arrays), float(arrays["threshold"])
    )


@cache
def default_ranking_weights() -> RankingWeights:
    """The weights that come with the package, learned from Spider's training split."""
    file = resources.files("fathom.offline") / "weights" / "ranking.npz"
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return load_ranking_weights(arrays)


@dataclass(frozen=True)
class Choice:
    """The candidates in order, best first, each candidate's score, and how sure the best one is.

    `missing` are the content words of the question that nothing in the best candidate or the database
    accounts for.
    """

    order: tuple[int, ...]
    scores: tuple[float, ...]
    confidence: float
    missing: tuple[str, ...]


def choose(
    linking: Linking, entries: Sequence[Entry], planner: JoinPlanner, weights: RankingWeights
) -> Choice:
    """Rank candidates (at least one), and say how sure the best is right."""
    ranker = weights.ranker
    pool = pool_features(linking, entries, planner, forward=ranker.forward, backward=ranker.backward)
    scores = ranker.forest.scores(pool.features)
    order = np.argsort(-scores, kind="stable").tolist()
    explained = pool.explained[order[0]]
    features = confidence_features(linking, pool.features, scores, [e.outcome for e in entries], explained)
    missing = tuple(linking.tokens[i].text for i in missing_words(linking, explained))
    return Choice(tuple(order), tuple(scores.tolist()), weights.confidence.confidence(features), missing)
