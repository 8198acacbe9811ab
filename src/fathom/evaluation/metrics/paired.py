"""Is the difference between two runs on the same questions more than chance? (docs/metrics.md)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeVar

import numpy as np

from fathom.errors import FathomError
from fathom.evaluation.interval import Z95
from fathom.evaluation.metrics.rates import resample_weights

Value = TypeVar("Value")
_Z80 = 0.8416212335729143
"""The 80 % quantile of the normal distribution."""


class NothingInCommon(FathomError):
    """Two runs share no question, so that nothing can be paired."""

    def __init__(self, first: str, second: str) -> None:
        self.first, self.second = first, second
        super().__init__(
            f"The runs {first!r} and {second!r} have no question in common. Runs are paired by question id: "
            "compare runs over the same benchmark."
        )


@dataclass(frozen=True, slots=True)
class PairedRates:
    """Yes/no outcomes of two runs: who was right alone, and the exact McNemar test of the difference.

    `difference` is the first's share minus the second's, `p_value` two-sided.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    p_value: float

    @property
    def n(self) -> int:
        """The questions that both runs have."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def difference(self) -> float:
        """First minus second, as a share of the questions."""
        return (self.only_first - self.only_second) / self.n

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the difference (Agresti and Min 2005: half a question added to each cell)."""
        n, first, second = self.n + 2, self.only_first + 0.5, self.only_second + 0.5
        middle = (first - second) / n
        half = Z95 * sqrt(first + second - (first - second) ** 2 / n) / n
        return max(middle - half, -1.0), min(middle + half, 1.0)

    def smallest_seen(self) -> float:
        """The difference that McNemar's test at 5 % would show four times of five, with as many questions.

        The runs are taken to differ on as many as they do, or on as many as the difference takes (Connor
        1987). 1 where no difference would do.
        """
        differing = (self.only_first + self.only_second) / self.n

        def needed(difference: float) -> float:
            apart = max(differing, difference)
            return ((Z95 * sqrt(apart) + _Z80 * sqrt(apart - difference**2)) / difference) ** 2

        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if needed(middle) <= self.n else (middle, high)
        return high

    def as_json(self) -> dict[str, Any]:
        """The counts, the difference and the test, as JSON values."""
        return {
            "n": self.n,
            "both": self.both,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "neither": self.neither,
            "difference": self.difference,
            "interval": list(self.interval()),
            "smallest_seen": self.smallest_seen(),
            "p_value": self.p_value,
            "test": "exact McNemar, two-sided",
        }


@dataclass(frozen=True, slots=True)
class PairedMeans:
    """The mean difference (first minus second) with its 95 % paired-bootstrap interval and p-value."""

    difference: float
    low: float
    high: float
    p_value: float
    n: int

    def as_json(self) -> dict[str, Any]:
        """The difference and the test, as JSON values."""
        return {
            "n": self.n,
            "difference": self.difference,
            "interval": [self.low, self.high],
            "p_value": self.p_value,
            "test": "paired bootstrap, two-sided",
        }


def pair(
    first: Mapping[str, Value], second: Mapping[str, Value], names: tuple[str, str] = ("first", "second")
) -> list[tuple[Value, Value]]:
    """The values of the questions that both have, joined by id. Raises `NothingInCommon`."""
    shared = [(value, second[key]) for key, value in first.items() if key in second]
    if not shared:
        raise NothingInCommon(*names)
    return shared


def mcnemar(pairs: Sequence[tuple[bool, bool]]) -> PairedRates:
    """The exact McNemar test: of the questions that only one run got right, is the split even?"""
    from scipy.stats import binomtest  # noqa: PLC0415  (0.7 s to import)

    both = sum(a and b for a, b in pairs)
    first = sum(a and not b for a, b in pairs)
    second = sum(b and not a for a, b in pairs)
    p_value = float(binomtest(first, first + second).pvalue) if first + second else 1.0
    return PairedRates(both, first, second, len(pairs) - both - first - second, p_value)


def paired_bootstrap(pairs: Sequence[tuple[float, float]]) -> PairedMeans:
    """Resample the questions; the p-value is twice the smaller share of resampled differences past 0."""
    if not pairs:
        raise NothingInCommon("first", "second")
    differences = np.array([a - b for a, b in pairs], dtype=np.float64)
    drawn = np.concatenate([weights @ differences for weights in resample_weights(len(differences))])
    drawn /= len(differences)
    low, high = np.percentile(drawn, [2.5, 97.5])
    # One is added on both sides so that no finite number of resamples ever claims certainty.
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum()) + 1
    p_value = min(1.0, 2 * float(tail) / (len(drawn) + 1))
    return PairedMeans(float(differences.mean()), float(low), float(high), p_value, len(differences))
