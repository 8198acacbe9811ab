"""How sure it is said to be of what is settled: as was learned, or by what speaks for and against it.

What was learned of a choice says itself how sure that is. For what rules settle, a logistic model weighs
the evidence that is at hand once all is settled; what speaks against a query never makes it surer.
`python -m training.stated_confidence` makes its weights.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.checks.account import Accounts
from fathom.offline.checks.rules import CONTRADICTIONS, SHORTFALLS
from fathom.offline.engine import OfflineEngine
from fathom.offline.linking.records import log_odds
from fathom.offline.proposals.proposals import GRAMMARS
from fathom.offline.queries.query import all_comparisons
from fathom.offline.ranking.coverage import COVERAGE, CoverageJudge, parts_of
from fathom.offline.ranking.reranker import sigmoid
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.settled import Settled
from fathom.offline.solution import Solution
from fathom.offline.weight_files import read_weights

EVIDENCE: Mapping[str, int] = {
    "answered": 0,
    "words": -1,
    "words passed over": -1,
    "words that nothing accounts for": -1,
    "conditions": -1,
    "likelihood of the values": 1,
    "rows": -1,
    "checks that object": -1,
    "what was learned, of its own choice": 1,
    "what was learned, of such rows": 1,
    "rules that give other rows": -1,
    "settled rules that give other rows": -1,
    "leaves nothing open": 1,
    "repeats a solved question": 0,
}
"""Properties of a query by name. Those marked 1 may only speak for it, those marked -1 only against it: their
weights are bounded when they are learned. For 0 either may come out."""


def with_confidence(engine: OfflineEngine, settled: Settled) -> Settled:
    """The same with how sure it is said to be, and so the other ways."""
    sure = settled.standing
    if settled.by_rule:
        sure = stated_confidence().probability(evidence(engine, settled))
    return replace(
        settled, confidence=sure, others=tuple(with_confidence(engine, other) for other in settled.others)
    )


def evidence(engine: OfflineEngine, settled: Settled) -> dict[str, float]:
    """The evidence for a settled query and against it, by the names of `EVIDENCE`; counts as logarithms."""
    solution, query, linking = settled.solution, settled.query, settled.linking
    best = solution.verdict.choice.order[0]
    proposal, ran = solution.proposals[best], solution.checked[best]
    result = ran.result if settled.result is None else settled.result
    checked, weighed = engine.checked(query, linking), solution.verdict.weighed
    covered = dict(zip(COVERAGE, CoverageJudge(linking).judge(parts_of(query)).features, strict=True))
    digest = QueryOutcome.of(ran.result).digest
    differing = _differing(solution, digest)
    counts = {
        "words": sum(not t.stop and not t.evidence and t.kind != "sign" for t in linking.tokens),
        "words passed over": len(Accounts(linking).passed_over(query, checked.said_by_form)),
        "words that nothing accounts for": len(settled.missing),
        "conditions": sum(1 for _ in all_comparisons(query)),
        "rows": len(result.rows) if result else 0,
        "rules that give other rows": len({d for d, _ in differing}),
        "settled rules that give other rows": len({d for d, sure in differing if sure}),
    }
    return {name: math.log1p(count) for name, count in counts.items()} | {
        "answered": float(settled.sure),
        "likelihood of the values": float(covered["values_worst"]),
        "checks that object": float(engine.rules.says_any((*CONTRADICTIONS, *SHORTFALLS), checked)),
        "what was learned, of its own choice": log_odds(weighed.choice.confidence),
        "what was learned, of such rows": weighed.share(digest),
        "leaves nothing open": float(proposal.settled),
        "repeats a solved question": float(settled.source == "example"),
    }


def _differing(solution: Solution, digest: str) -> list[tuple[str, bool]]:
    """The digests of other rows that rules give, and whether they leave nothing open."""
    made = [
        (QueryOutcome.of(c.result).digest, p.settled)
        for p, c in zip(solution.proposals, solution.checked, strict=True)
        if p.source in GRAMMARS and c.result is not None
    ]
    return [(other, sure) for other, sure in made if other != digest]


@dataclass(frozen=True)
class StatedConfidence:
    """A logistic model: the log-odds of being right are `constant` plus the weighted evidence."""

    weights: Mapping[str, float]
    constant: float

    def probability(self, told: Mapping[str, float]) -> float:
        """How likely a query is right for which this speaks, from 0 to 1."""
        return sigmoid(self.constant + sum(weight * told[name] for name, weight in self.weights.items()))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The model as arrays for an npz file."""
        weights = np.array([*self.weights.values()])
        return {
            "names": np.array("\n".join(self.weights)),
            "weights": weights,
            "constant": np.array(self.constant),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "StatedConfidence":
        """The model that `arrays` wrote."""
        names = str(arrays["names"]).split("\n")
        return cls(dict(zip(names, arrays["weights"].tolist(), strict=True)), float(arrays["constant"]))


@cache
def stated_confidence() -> StatedConfidence:
    """The model that comes with the package."""
    return StatedConfidence.from_arrays(read_weights("stated"))
