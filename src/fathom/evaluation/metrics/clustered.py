"""Differences of two runs, tested by resampling databases, then questions, for these aren't independent.

Cameron, Gelbach and Miller, Bootstrap-Based Improvements for Inference with Clustered Errors (2008).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.evaluation.interval import SEED

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Clustered:
    """A mean with its 95 % interval over resampled clusters, and the p of its being 0.

    `wider` is the interval's width beside that of resampling questions alone; NaN where that one is 0.
    """

    value: float
    low: float
    high: float
    p_value: float
    clusters: int
    wider: float

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "value": self.value,
            "interval": [self.low, self.high],
            "p_value": self.p_value,
            "databases": self.clusters,
            "wider": None if np.isnan(self.wider) else self.wider,
        }


def clustered_mean(values: Sequence[int], clusters: Sequence[Hashable]) -> Clustered | None:
    """The mean of values in -1, 0, 1: differences of two outcomes to one question.

    None with fewer than two clusters, where nothing tells how much they differ. Few clusters (below about
    ten) make the interval too narrow still: it is a lower bound of what isn't known.
    """
    names = list(dict.fromkeys(clusters))
    if len(names) < 2:
        return None
    at = {name: i for i, name in enumerate(names)}
    which, what = np.array([at[c] for c in clusters]), np.asarray(values)
    sizes = np.bincount(which)
    up, down = (np.bincount(which[what == v], minlength=len(names)) for v in (1, -1))
    drawn = _resampled(sizes, up, down)
    alone = _resampled(np.array([len(what)]), np.array([up.sum()]), np.array([down.sum()]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    plain = np.ptp(np.percentile(alone, [2.5, 97.5]))
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum()) + 1
    p_value = min(1.0, 2 * float(tail) / (len(drawn) + 1))
    wider = float((high - low) / plain) if plain else float("nan")
    return Clustered(float(what.mean()), float(low), float(high), p_value, len(names), wider)


def _resampled(
    sizes: npt.NDArray[np.intp], up: npt.NDArray[np.intp], down: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Means of resamples: clusters are drawn, and then the questions of each.

    Values of -1, 0 and 1 are drawn as counts: of the questions of a cluster, so many are 1 and -1.
    """
    random = np.random.default_rng(SEED)
    drawn = random.integers(0, len(sizes), size=(_RESAMPLES, len(sizes)))
    rise, fall = up / sizes, down / sizes
    others = 1 - rise
    given = np.divide(fall, others, out=np.zeros_like(fall), where=others > 0)
    ups = random.binomial(sizes[drawn], rise[drawn])
    downs = random.binomial(sizes[drawn] - ups, np.minimum(given, 1.0)[drawn])
    found: npt.NDArray[np.float64] = (ups - downs).sum(axis=1) / sizes[drawn].sum(axis=1)
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm 1979), in the order given: at most 5 % of families err."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    found = [0.0] * len(p_values)
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        found[i] = highest
    return found
