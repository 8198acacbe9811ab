"""Abstaining and being sure (specs/metrics.md, section 6)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.evaluation.metrics.rates import Rate


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


def calibration(stated: Sequence[tuple[float, bool]], *, bins: int = 10) -> tuple[Bin, ...]:
    """Bins of equal mass, by confidence; fewer when there are fewer questions than bins."""
    ordered = sorted(stated, key=lambda pair: pair[0])
    parts = np.array_split(np.arange(len(ordered)), min(bins, len(ordered)) or 1)
    return tuple(
        Bin(
            sum(ordered[i][0] for i in part) / len(part),
            Rate(sum(ordered[i][1] for i in part), len(part)),
        )
        for part in parts
        if len(part)
    )


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error: the mean gap of confidence and correctness; None without questions."""
    total = sum(b.right.trials for b in bins)
    if not total:
        return None
    return sum(abs(b.confidence - (b.right.value or 0.0)) * b.right.trials for b in bins) / total


def risk_coverage(stated: Sequence[tuple[float, bool]]) -> RiskCoverage | None:
    """Answer from the surest question on; None without questions.

    Questions of equal confidence enter together, since nothing tells which to answer first. The area
    takes each question's risk as that of all those at least as sure.
    """
    if not stated:
        return None
    confidence = np.array([c for c, _ in stated])
    wrong = np.array([not right for _, right in stated], dtype=np.float64)
    order = np.argsort(-confidence, kind="stable")
    confidence, wrong = confidence[order], wrong[order]
    last = np.append(np.flatnonzero(np.diff(confidence)), len(wrong) - 1)
    risk = np.cumsum(wrong)[last] / (last + 1)
    points = tuple((float((i + 1) / len(wrong)), float(r)) for i, r in zip(last, risk, strict=True))
    group = np.diff(np.concatenate([[-1], last]))
    return RiskCoverage(points, float((risk * group).sum() / len(wrong)))
