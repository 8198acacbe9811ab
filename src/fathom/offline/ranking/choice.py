"""Chooses among a question's candidates, and says how sure that choice is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import Floats, Linking
from fathom.offline.linking.translation import Translation, learn
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query
from fathom.offline.ranking.attention import Attention
from fathom.offline.ranking.confidence import (
    ConfidenceWeights,
    confidence_features,
    missing_words,
)
from fathom.offline.ranking.presentation import preference
from fathom.offline.ranking.ranker import FEATURES, RankedCandidate, pool_features
from fathom.offline.ranking.sql_words import all_words, query_words
from fathom.offline.trees import Forest, load_forest
from fathom.offline.weight_files import read_weights

ANSWERED = 0.82
"""The confidence from which to answer at least. Of databases that the weights never saw (`bench unseen`) nine
answers in ten are right from less on; of twenty of them drawn at random, with four questions in ten answered,
that holds in nine draws of ten from here on, and from more on in fewer, since too few are answered."""
ANSWERED_TOLD = 0.71
"""The same where evidence was given. From 0.85 down to here as many answers are right on BIRD's questions,
and of those that gold calls wrong on the two databases that were read most are right."""


@dataclass(frozen=True)
class CandidateJudge:
    """A forest that ranks, and how sure to be of the choice: under `threshold` an answer is declined.

    Where evidence says what words mean it is `answers_from` that decides.
    """

    forest: Forest
    confidence: ConfidenceWeights
    threshold: float

    def answers_from(self, linking: Linking) -> float:
        """The confidence under which an answer to a question is declined."""
        return min(self.threshold, ANSWERED_TOLD) if linking.told else self.threshold

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The judge as arrays for an npz file, under a name."""
        threshold = {f"{name}.threshold": np.array(self.threshold, np.float32)}
        return self.forest.arrays(f"{name}.ranker") | self.confidence.arrays(f"{name}.confidence") | threshold

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> "CandidateJudge":
        """The judge that `arrays` wrote under a name."""
        return cls(
            load_forest(arrays, f"{name}.ranker"),
            ConfidenceWeights.from_arrays(arrays, f"{name}.confidence"),
            max(float(arrays[f"{name}.threshold"]), ANSWERED),
        )


@dataclass(frozen=True)
class RankingWeights:
    """Translations from questions to queries and back, networks that hold them together, and a judge.

    `recalling` judges where some candidates come from solved questions of the same database.
    """

    forward: Translation
    backward: Translation
    attention: Attention
    alone: CandidateJudge
    recalling: CandidateJudge

    def judge(self, entries: Sequence[RankedCandidate]) -> CandidateJudge:
        """The judge for these candidates."""
        return self.recalling if any(e.from_example for e in entries) else self.alone

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The weights as arrays for an npz file."""
        found = self.forward.arrays("forward") | self.backward.arrays("backward")
        found["features"] = np.array("\n".join(FEATURES))
        found |= self.attention.arrays("attention")
        return found | self.alone.arrays("alone") | self.recalling.arrays("recalling")


def load_ranking_weights(arrays: Mapping[str, npt.NDArray[Any]]) -> RankingWeights:
    """The weights from the arrays that `RankingWeights.arrays` wrote."""
    return RankingWeights(
        Translation.from_arrays(arrays, "forward"),
        Translation.from_arrays(arrays, "backward"),
        Attention.from_arrays(arrays, "attention"),
        CandidateJudge.from_arrays(arrays, "alone"),
        CandidateJudge.from_arrays(arrays, "recalling"),
    )


_PRECEDENT = 0.8
_FEW = 20


def taught(weights: RankingWeights, solved: Sequence[tuple[Sequence[str], Query]]) -> RankingWeights:
    """The weights with what a database's solved questions (words, query) say about what its words mean."""
    if len(solved) < _FEW:
        return weights
    ahead = [(words, all_words(query_words(query))) for words, query in solved]
    back = [(target, tuple(w for w in words if " " not in w)) for words, target in ahead]
    return replace(
        weights,
        forward=_joined(weights.forward, learn(ahead, smallest=0.02)),
        backward=_joined(weights.backward, learn(back, smallest=0.02)),
    )


def _joined(known: Translation, local: Translation) -> Translation:
    """Both tables in one: the greater weight of each pair, with what is local a little discounted."""
    pairs = {
        (local.sources[s], local.targets[t]): _PRECEDENT * w
        for (s, t), w in zip(local.pairs.tolist(), local.weights.tolist(), strict=True)
    }
    return known.with_pairs({p: max(w, known.given(p[0]).get(p[1], 0.0)) for p, w in pairs.items()})


@cache
def default_ranking_weights() -> RankingWeights:
    """The weights that come with the package, learned from Spider's training split."""
    return load_ranking_weights(read_weights("ranking"))


UNMET = 4.0
"""The penalty of a candidate, per weight, that leaves out evidence or terms of the glossary."""


@dataclass(frozen=True)
class RankedCandidates:
    """The candidates in order, best first, each candidate's score, and how sure the best one is.

    `sure` says that this is sure enough to answer. Where the choice is `by_rule`, `confidence` only says how
    far it stands against others: nothing was learned of it.
    `missing` are the content words of the question that nothing in the best candidate or the database
    accounts for; `doubts` are the names of the rules that found such words.
    """

    order: tuple[int, ...]
    scores: tuple[float, ...]
    confidence: float
    sure: bool
    missing: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    by_rule: bool = False

    def doubted(self, most: float) -> "RankedCandidates":
        """The same as not sure, at most so much."""
        return replace(self, sure=False, confidence=min(self.confidence, most), by_rule=True)

    def with_first(self, first: int) -> "RankedCandidates":
        """The same with one candidate ahead of all others."""
        order = (first, *(i for i in self.order if i != first))
        top = max(self.scores) + 1.0
        scores = tuple(top if i == first else s for i, s in enumerate(self.scores))
        return replace(self, order=order, scores=scores)


def choose(
    linking: Linking, entries: Sequence[RankedCandidate], planner: JoinPlanner, weights: RankingWeights
) -> tuple[RankedCandidates, Floats]:
    """Rank candidates (at least one), and say how sure the best is right; with their features."""
    judge = weights.judge(entries)
    pool = pool_features(linking, entries, planner, forward=weights.forward, backward=weights.backward)
    attended = weights.attention.scores(linking, [e.query for e in entries], pool.features)
    scores = judge.forest.scores(pool.features) + attended + preference(pool.features)
    # All that has learned without evidence: what is told comes on top of it.
    scores -= UNMET * np.array([e.unmet for e in entries])
    order = np.argsort(-scores, kind="stable").tolist()
    explained = pool.explained[order[0]]
    features = confidence_features(linking, pool.features, scores, [e.outcome for e in entries], explained)
    missing = tuple(linking.tokens[i].text for i in missing_words(linking, explained))
    confidence = judge.confidence.confidence(features)
    sure = confidence >= judge.answers_from(linking)
    choice = RankedCandidates(tuple(order), tuple(scores.tolist()), confidence, sure, missing)
    return choice, pool.features
