"""Figures with their interval and their N (docs/metrics.md).

A share is a `Rate`, which carries its counts; a mean over questions is a `Mean`. Both give 95 % intervals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from fathom.evaluation.interval import SEED, Z95, wilson

_RESAMPLES = 2_000
_MOST_SAMPLED = 300
_MOST_REMEMBERED = 1_600
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of yes/no outcomes. With no trials it is not defined: `value` is None, never 0."""

    hits: int
    trials: int

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> "Rate":
        """Count the outcomes."""
        seen = list(outcomes)
        return cls(sum(seen), len(seen))

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1; None when there were no trials."""
        return self.hits / self.trials if self.trials else None

    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval: honest for few trials, all of 0..1 when there are none."""
        return wilson(self.hits, self.trials)

    def as_json(self) -> dict[str, Any]:
        """The rate with its counts and interval, as JSON values."""
        return {"value": self.value, "interval": list(self.interval()), "hits": self.hits, "n": self.trials}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over `n` questions with its 95 % bootstrap interval; None when there were no questions.

    `missing` counts the questions that had no value (an unknown price, say): they are no part of `n`.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    missing: int = 0

    @classmethod
    def of(cls, values: Sequence[float | None]) -> "Mean":
        """The mean of those values that are there."""
        column = np.array([nan if v is None else v for v in values], dtype=np.float64)
        return means(column.reshape(-1, 1))[0]

    def interval(self) -> tuple[float, float] | None:
        """The 95 % percentile bootstrap interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def as_json(self) -> dict[str, Any]:
        """The mean with its interval, as JSON values."""
        interval = self.interval()
        return {
            "value": self.value,
            "interval": list(interval) if interval else None,
            "n": self.n,
            "missing": self.missing,
        }


def means(columns: Floats) -> list[Mean]:
    """The mean of each column of an array (questions x measures); NaN marks a value that isn't there.

    Up to 300 questions the intervals are sampled, all columns sharing the resampled questions. Above
    that they are computed: the cumulants of the bootstrap distribution of a mean are known, and its
    percentiles follow by Cornish-Fisher expansion (Hall, The Bootstrap and Edgeworth Expansion, 1992) to
    within less than the noise of sampling.
    """
    questions, measures = columns.shape
    present = ~np.isnan(columns)
    counts = present.sum(axis=0)
    filled = np.where(present, columns, 0.0)
    varied = [j for j in range(measures) if counts[j] and np.ptp(columns[present[:, j], j]) > 0]
    sampled = [j for j in varied if counts[j] <= _MOST_SAMPLED]
    limits = {j: _computed(columns[present[:, j], j]) for j in varied if counts[j] > _MOST_SAMPLED}
    if sampled:
        low, high = _bootstrap(filled[:, sampled], present[:, sampled])
        limits |= {j: (float(low[i]), float(high[i])) for i, j in enumerate(sampled)}
    found = []
    for j, n in enumerate(counts):
        value = float(filled[:, j].sum() / n) if n else None
        # Where all values are the same, so is every resampled mean.
        low_j, high_j = limits.get(j, (value, value))
        found.append(Mean(value, low_j, high_j, int(n), int(questions - n)))
    return found


def _computed(values: Floats) -> tuple[float, float]:
    """The percentiles of the bootstrap distribution of a mean, from its first three cumulants."""
    n, mean, spread = len(values), float(values.mean()), float(values.std())
    from_mean = values - mean
    skew = float((from_mean * from_mean * from_mean).mean()) / spread**3 / sqrt(n)
    shift = (Z95 * Z95 - 1) * skew / 6
    error = spread / sqrt(n)
    return mean + error * (shift - Z95), mean + error * (shift + Z95)


def _bootstrap(filled: Floats, present: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The 2.5 and 97.5 percentiles of the resampled column means."""
    gaps = np.flatnonzero(~present.all(axis=0))
    stacked = np.hstack([filled, present[:, gaps].astype(np.float64)])
    draws = np.concatenate([weights @ stacked for weights in resample_weights(len(filled))])
    measures = filled.shape[1]
    sampled, drawn = draws[:, :measures], np.full(measures, float(len(filled)))
    with np.errstate(divide="ignore", invalid="ignore"):
        sampled[:, gaps] /= draws[:, measures:]
        drawn[gaps] = 1.0
        sampled /= drawn
    low, high = np.nanpercentile(sampled, [2.5, 97.5], axis=0)
    return low, high


def resample_weights(questions: int) -> Iterable[Floats]:
    """How often each question is drawn, in batches of resamples: arrays (resamples x questions).

    2,000 resamples in all, from a fixed seed; batches bound the memory to about 30 MB.
    """
    if questions <= _MOST_REMEMBERED:
        yield _remembered(questions).astype(np.float64)
        return
    batch = max(1, 4_000_000 // questions)
    random = np.random.default_rng(SEED)
    for start in range(0, _RESAMPLES, batch):
        yield _drawn(random, min(batch, _RESAMPLES - start), questions).astype(np.float64)


@lru_cache(maxsize=32)
def _remembered(questions: int) -> npt.NDArray[np.uint8]:
    """The same for every measure over as many questions, so drawn once; a byte holds any count of a draw."""
    return _drawn(np.random.default_rng(SEED), _RESAMPLES, questions).astype(np.uint8)


def _drawn(random: np.random.Generator, rows: int, questions: int) -> npt.NDArray[np.intp]:
    drawn = random.integers(0, questions, size=(rows, questions), dtype=np.int32)
    drawn += (np.arange(rows, dtype=np.int32) * questions)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * questions).reshape(rows, questions)
