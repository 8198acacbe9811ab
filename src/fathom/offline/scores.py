"""How good each candidate is: what was learned elsewhere, with what this database's solved questions say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fathom.offline.checks.trial_runs import Checked
from fathom.offline.engine import OfflineEngine
from fathom.offline.examples.exchanged_values import values_left_out
from fathom.offline.linking import Floats, Linking
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.ranking.choice import RankedCandidates, choose
from fathom.offline.ranking.ranker import RankedCandidate
from fathom.offline.ranking.reranker import CALIBRATION, Doubles, Reranker, agreement, sigmoid
from fathom.offline.ranking.result_features import QueryOutcome

HABIT = 1.0
"""The weight of trusted solved questions against weights learned elsewhere: about the best on GeoQuery's
training questions, held out in turn, those of the same words together."""
LEFT_OUT = 8.0
"""The penalty of each stored value that the question names and a query doesn't hold."""
KEPT = 1.5
"""The penalty of each value that a solved question names and this one doesn't."""
FAILED = 100.0
SURE = 0.78


@dataclass(frozen=True, slots=True)
class WeighedChoice:
    """The choice by what is known of each candidate, and that in numbers (candidates x features).

    `left_out` counts the values that the question surely names and each candidate doesn't hold; zeros where
    nothing was solved before.
    """

    choice: RankedCandidates
    features: Floats
    left_out: tuple[int, ...]
    digests: tuple[str, ...]

    def share(self, digest: str) -> float:
        """How likely it is, by all that was learned, that a question asks for rows of this digest."""
        scores = np.array(self.choice.scores)
        odds = np.exp(scores - scores.max())
        return float(odds[[bool(d) and d == digest for d in self.digests]].sum() / odds.sum())

    def reranked(self, reranker: Reranker) -> RankedCandidates:
        """The choice with what was learned from asking solved questions again."""
        scores = reranker.scores(self.features, np.array(self.choice.scores))
        return _by(self.choice, scores, reranker.confidence(scores, self.digests))


def weigh(
    engine: OfflineEngine, linking: Linking, proposals: Sequence[Proposal], checked: Sequence[Checked]
) -> WeighedChoice:
    """Weigh candidates (at least one) that were run."""
    entries = [_entry(p, c) for p, c in zip(proposals, checked, strict=True)]
    digests = tuple(e.outcome.digest for e in entries)
    choice, features = choose(linking, entries, engine.planner, engine.ranking)
    if not engine.examples.solved:
        return WeighedChoice(choice, features, (0,) * len(entries), digests)
    left_out = np.array(values_left_out(linking, (p.query for p in proposals)))
    if not engine.habits:
        return WeighedChoice(choice, features, tuple(left_out.tolist()), digests)
    learned, trust = np.array(choice.scores), engine.habits.trust
    habits = engine.habits.scores(linking, [p.query for p in proposals]).astype(np.float64)
    usual = habits - LEFT_OUT * left_out - KEPT * np.array([e.kept for e in entries])
    failed = np.array([c.error is not None for c in checked])
    scores = learned + HABIT * trust * usual - FAILED * failed
    told = np.column_stack([learned, habits, scores])
    own = np.column_stack([told, told - told.max(axis=0), left_out])
    return WeighedChoice(
        _by(choice, scores, sigmoid(CALIBRATION[0] + CALIBRATION[1] * agreement(scores, digests))),
        np.concatenate([own, features], axis=1, dtype=np.float32),
        tuple(left_out.tolist()),
        digests,
    )


def _by(choice: RankedCandidates, scores: Doubles, confidence: float) -> RankedCandidates:
    """The choice by other scores."""
    order = tuple(np.argsort(-scores, kind="stable").tolist())
    sure = confidence >= SURE
    return replace(choice, order=order, scores=tuple(scores.tolist()), confidence=confidence, sure=sure)


def _entry(proposal: Proposal, checked: Checked) -> RankedCandidate:
    skipped = checked.result is None and checked.error is None
    return RankedCandidate(
        proposal.query,
        proposal.score,
        proposal.sketch_score,
        proposal.filling_score,
        proposal.plan_rank,
        proposal.sketch_rank,
        from_example=proposal.source == "example",
        similarity=proposal.similarity,
        kept=proposal.kept,
        outcome=QueryOutcome.of(checked.result, skipped=skipped),
        unmet=proposal.unmet,
    )
