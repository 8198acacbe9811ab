"""How sure to be of the best candidate: calibrated on databases that nothing was learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.offline.linking import Floats, Linking
from fathom.offline.ranking.presentation import PRESENTED
from fathom.offline.ranking.request_features import asked_features
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.offline.trees import Forest, load_forest

_LIKELY = 0.5


@dataclass(frozen=True)
class ConfidenceWeights:
    """The forest that judges, and the calibration of its scores: a line through `points` and `values`."""

    forest: Forest
    points: Floats
    values: Floats

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """The weights as arrays for an npz file, under a name."""
        found = self.forest.arrays(name)
        return found | {f"{name}.points": self.points, f"{name}.values": self.values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> "ConfidenceWeights":
        """The weights that `arrays` wrote under a name."""
        return cls(load_forest(arrays, name), arrays[f"{name}.points"], arrays[f"{name}.values"])

    def confidence(self, features: Floats) -> float:
        """The probability that the best candidate is right, from its features."""
        score = self.forest.scores(features[None, :])[0]
        return float(np.interp(score, self.points, self.values))


def confidence_features(
    linking: Linking,
    rows: Floats,
    scores: npt.NDArray[np.float64],
    outcomes: Sequence[QueryOutcome],
    explained: Floats,
) -> Floats:
    """Compute the features of the confidence: of the ranking as a whole, the best candidate, and the
    question.

    `rows` (candidates x features) and `scores` are those of the ranker, `explained` (tokens) is how far
    the best candidate accounts for each token.
    """
    best = int(scores.argmax())
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    digest = outcomes[best].digest
    agreeing = np.array([o.digest == digest and bool(digest) for o in outcomes])
    agreeing[best] = True
    rivals = scores[~agreeing]
    margin = float(scores[best] - rivals.max()) if len(rivals) else 10.0
    missing = missing_words(linking, explained)
    ranked = np.sort(scores)[::-1]
    own = [
        float(scores[best]),
        margin,
        float(shares[agreeing].sum()),
        float(shares[best]),
        float(ranked[0] - ranked[min(4, len(ranked) - 1)]),
        float(len(scores)),
        float(len({o.digest for o in outcomes})),
        float(len(missing)),
        float(sum(linking.tokens[i].text[:1].isupper() and i > 0 for i in missing)),
        float(best),
    ]
    learned, presented = np.split(rows[best], [-len(PRESENTED)])
    return np.concatenate(
        [np.array(own, np.float32), learned, asked_features(linking), presented], dtype=np.float32
    )


def missing_words(linking: Linking, explained: Floats) -> tuple[int, ...]:
    """The content words of the question that neither the linking nor the best candidate accounts for."""
    return tuple(
        place
        for place, token in enumerate(linking.tokens)
        if not token.stop
        and not token.evidence
        and token.kind == "word"
        and max(float(explained[place]), float(linking.explained[place])) < _LIKELY
    )
