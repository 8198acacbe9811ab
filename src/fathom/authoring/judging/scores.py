"""The arithmetic of BI-Bench's dimensions (docs/metrics.md)."""

from dataclasses import dataclass
from typing import Literal

Conflict = Literal["low", "partial", "total"]
PENALTIES: dict[Conflict, float] = {"low": 0.1, "partial": 0.5, "total": 0.9}
"""The paper's text has 0.9 for total conflict, its prompt 1."""
_RATED = {1: 0.0, 2: 0.5, 3: 1.0}
NONE_JUDGED = "Answerability and relevance aren't judged: no sentence could be."


@dataclass(frozen=True, slots=True)
class Rated:
    """Three dimensions of an answer from 0 to 1, None where one isn't judged, with the reasons."""

    answerability: float | None
    relevance: float | None
    presentation: float | None
    reasons: tuple[str, ...]


def nearest(value: float) -> float:
    """The nearest of 0, 0.5 and 1; half-way it is the lower one, for doubt is no credit."""
    return min((0.0, 0.5, 1.0), key=lambda step: (round(abs(step - value), 9), step))


def conflict_score(right: float, wrong: float, conflict: Conflict) -> float:
    """The score of right sentences, less a penalty for wrong ones that conflict with them."""
    return nearest(right * (1 - PENALTIES[conflict] * wrong))


def presentation_score(clarity: int, coherence: int, narrative: int) -> float:
    """Three ratings from 1 to 3, weighed 0.4, 0.3 and 0.3."""
    return nearest(0.4 * _RATED[clarity] + 0.3 * _RATED[coherence] + 0.3 * _RATED[narrative])
