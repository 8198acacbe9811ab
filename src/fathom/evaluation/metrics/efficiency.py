"""How fast right queries are (docs/metrics.md: VES and R-VES).

A ratio is seconds(gold) / seconds(prediction), as measured; None where the prediction is wrong.
"""

from collections.abc import Sequence
from math import sqrt

from fathom.evaluation.metrics.rates import Mean

REWARDS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5), (0.0, 0.25))


def robust_ratio(ratios: Sequence[float]) -> float:
    """The mean of per-run ratios without those outside mean ± 3 standard deviations.

    Raises `ValueError` without a run.
    """
    if not ratios:
        raise ValueError("no timing runs")
    mean = sum(ratios) / len(ratios)
    spread = sqrt(sum((r - mean) ** 2 for r in ratios) / len(ratios))
    kept = [r for r in ratios if abs(r - mean) <= 3 * spread] or list(ratios)
    return sum(kept) / len(kept)


def ves(ratios: Sequence[float | None]) -> Mean:
    """The valid efficiency score in percent: the mean of sqrt(ratio), 0 for wrong predictions."""
    return Mean.of([0.0 if r is None else 100 * sqrt(r) for r in ratios])


def reward(ratio: float) -> float:
    """The reward of R-VES for one right prediction."""
    return next(value for least, value in REWARDS if ratio >= least)


def r_ves(ratios: Sequence[float | None]) -> Mean:
    """The reward-based valid efficiency score: 100 x the mean of sqrt(reward), 0 for wrong predictions."""
    return Mean.of([0.0 if r is None else 100 * sqrt(reward(r)) for r in ratios])
