"""Where the audit does best when most of its suspects have to be wrong indeed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fathom.evaluation.metrics import Rate

PRECISION = 0.8
"""The share of suspects that have to be wrong: the mark on NL2SQL-BUGs."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The rates of suspecting what is so likely wrong or more; the threshold is chosen on the same labels."""

    threshold: float
    accuracy: Rate
    precision: Rate
    recall: Rate

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        rates = {"accuracy": self.accuracy, "precision": self.precision, "recall": self.recall}
        return {"threshold": self.threshold, **{name: rate.as_json() for name, rate in rates.items()}}


def best_point(scored: Sequence[tuple[float, bool]], least: float = PRECISION) -> OperatingPoint | None:
    """The most accurate point with a precision of at least `least`; None where no threshold reaches it.

    `scored` has, for each pair, how likely it is wrong and whether it is right.
    """
    wrong = sum(not right for _, right in scored)
    points = []
    for threshold in sorted({likely for likely, _ in scored}):
        suspected = [right for likely, right in scored if likely >= threshold]
        hits = suspected.count(False)
        missed = wrong - hits
        accuracy = Rate(len(scored) - missed - suspected.count(True), len(scored))
        points.append(OperatingPoint(threshold, accuracy, Rate(hits, len(suspected)), Rate(hits, wrong)))
    return max(
        (p for p in points if p.precision.hits >= least * p.precision.trials),
        key=lambda p: p.accuracy.hits,
        default=None,
    )
