"""Abstaining and being sure (docs/metrics.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fathom.evaluation.metrics.rates import Floats, Rate


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions of similar stated confidence: their mean confidence and the share that is right."""

    confidence: float
    right: Rate


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The risk (share wrong) when only the surest part is answered, and the area under that curve.

    `points` are (coverage, risk), one for each distinct confidence; `area` lies in 0..1, lower is better.
    """

    points: tuple[tuple[float, float], ...]
    area: float


def calibration(confidence: npt.ArrayLike, right: npt.ArrayLike, *, bins: int = 10) -> tuple[Bin, ...]:
    """Bins of equal mass, by confidence; fewer when there are fewer questions than bins.

    `confidence` (0 to 1) and `right` (yes or no) have one entry a question.
    """
    stated, correct = _surest_last(confidence, right)
    parts = np.array_split(np.arange(len(stated)), max(1, min(bins, len(stated))))
    return tuple(
        Bin(float(stated[part].mean()), Rate(int(correct[part].sum()), len(part)))
        for part in parts
        if len(part)
    )


def _surest_last(confidence: npt.ArrayLike, right: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_]]:
    stated, correct = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.bool_)
    order = np.argsort(stated, kind="stable")
    return stated[order], correct[order]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error: the mean gap of confidence and correctness; None without questions."""
    total = sum(b.right.trials for b in bins)
    if not total:
        return None
    return sum(abs(b.confidence - (b.right.value or 0.0)) * b.right.trials for b in bins) / total


def risk_coverage(confidence: npt.ArrayLike, right: npt.ArrayLike) -> RiskCoverage | None:
    """Answer from the surest question on; None without questions.

    Questions of equal confidence enter together, since nothing tells which to answer first. The area
    takes each question's risk as that of all those at least as sure.
    """
    stated, correct = _surest_last(confidence, right)
    n = len(stated)
    if not n:
        return None
    last = np.append(np.flatnonzero(np.diff(stated[::-1])), n - 1)
    risk = np.cumsum(~correct[::-1])[last] / (last + 1)
    points = tuple(zip(((last + 1) / n).tolist(), risk.tolist(), strict=True))
    entering = np.diff(np.concatenate([[-1], last]))
    return RiskCoverage(points, float((risk * entering).sum() / n))
