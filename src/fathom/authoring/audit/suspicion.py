"""How likely a gold query is wrong, by all that the checks found about it.

The log-odds of the kinds add up. `suspicion.json` says where they come from; `python -m training.suspicion`
learns them anew.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

AGREES = "reading_agrees"
"""The offline method's own query gives gold's result."""
MODEL_DOUBTS, MODEL_AGREES = "model_doubts", "model_agrees"
"""The verdicts of a model that judges."""
FOR_GOLD = frozenset({AGREES, MODEL_AGREES})
"""The kinds that speak for gold, and are no suspicion."""
BY_MODEL = frozenset({MODEL_DOUBTS, MODEL_AGREES})


@dataclass(frozen=True, slots=True)
class SuspicionWeights:
    """Log-odds: `base` of a query about which nothing is found, and what each kind of finding adds."""

    base: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, kinds: Iterable[str]) -> float:
        """How likely a query is wrong of which these kinds were found; each counts once."""
        total = self.base + sum(self.weights.get(kind, 0.0) for kind in set(kinds))
        return 1 / (1 + math.exp(-total))

    def suspects(self, kinds: Iterable[str]) -> bool:
        """True if that is likely enough for people to look at it."""
        return self.probability(kinds) >= self.threshold


@cache
def suspicion() -> SuspicionWeights:
    """The weights that Fathom comes with."""
    file = resources.files(__package__).joinpath("suspicion.json")
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    weights = {**content["learned"], **content["set"]}
    return SuspicionWeights(content["base"], weights, content["threshold"])
