"""How sure to be of a result: a logistic model of what speaks for it, its coefficients kept as data.

`python -m bench.simulated.confidence` makes them, over the simulated model: a real one needs its own.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fathom.nl2sql.adaptive.evidence import Backed, Evidence

FILE = "confidence.json"
_SMOOTH = 0.02


def features(result: Backed, found: Evidence) -> dict[str, float]:
    """Give the evidence for a result and against it, by name."""
    sure = math.log((found.confidence + _SMOOTH) / (1 - found.confidence + _SMOOTH))
    return {
        "samples": float(min(result.samples, 3)),
        "other samples": float(min(found.samples - result.samples, 4)),
        "results": float(len(found.results)),
        "first": float(result.opens),
        "fits": float(result.fits),
        "some rows": float(result.rows),
        "offline's best": float(result.rank == 0),
        "offline's best, how sure": sure if result.rank == 0 else 0.0,
        "offline's best is another, how sure": 0.0 if result.rank == 0 else sure,
        "offline's next": float(result.close and result.rank != 0),
        "offline's others": float(result.rank is not None and not result.close),
        "found twice": float(result.agreed),
    }


@dataclass(frozen=True)
class Calibration:
    """A logistic model: the log-odds of being right are `constant` plus the weighted features."""

    weights: Mapping[str, float]
    constant: float

    def probability(self, result: Backed, found: Evidence) -> float:
        """How likely a result is right, from 0 to 1."""
        told = features(result, found)
        odds = self.constant + sum(weight * told[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-odds))


@cache
def calibration() -> Calibration:
    """The calibration that comes with the package."""
    content: dict[str, Any] = json.loads((files(__package__) / FILE).read_text(encoding="utf-8"))
    return Calibration(content["weights"], content["constant"])
