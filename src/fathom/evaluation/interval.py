"""Intervals of a share; apart from the other statistics, for these are slow to import."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from random import Random
from typing import Any

SEED = 20_240_607
"""Of every bootstrap, so that a figure repeats to the last digit."""
_RESAMPLES = 2_000
_DRAWS = [(i + 0.5) / 256 for i in range(256)]
_ENDS = (0.025, 0.975)
Z95 = 1.959963984540054
"""The normal distribution's 97.5 % point."""


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval: honest for few trials, all of 0..1 when there are none."""
    if not trials:
        return 0.0, 1.0
    share = hits / trials
    middle = share + Z95 * Z95 / (2 * trials)
    half = Z95 * sqrt(share * (1 - share) / trials + Z95 * Z95 / (4 * trials * trials))
    scale = 1 + Z95 * Z95 / trials
    low, high = (middle - half) / scale, (middle + half) / scale
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == trials else min(1.0, high))


@dataclass(frozen=True, slots=True)
class ClusteredInterval:
    """The 95 % interval of a share with databases resampled, then the questions of each.

    `wider` is its width beside that of resampling questions alone; None where that one is 0.
    """

    low: float
    high: float
    databases: int
    wider: float | None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"interval": [self.low, self.high], "databases": self.databases, "wider": self.wider}

    def __str__(self) -> str:
        times = "" if self.wider is None else f", {self.wider:.1f} times as wide"
        return f"{100 * self.low:.2f} to {100 * self.high:.2f} over {self.databases:,} databases{times}"


def clustered(counts: Collection[tuple[int, int]]) -> ClusteredInterval | None:
    """The interval of a share that minds which database questions are about; `counts` has hits and N of each.

    None with fewer than two, where nothing tells how much they differ.
    """
    if len(counts) < 2:
        return None
    # A database's questions are resampled beforehand, into equally likely numbers of hits. Hits and N add up
    # as the two parts of one number.
    drawable = [complex(hits, n) for right, n in sorted(counts) for hits in _binomial(right, n, _DRAWS)]
    size = len(counts)
    drawn = Random(SEED).choices(drawable, k=size * _RESAMPLES)
    sums = (sum(drawn[start : start + size]) for start in range(0, len(drawn), size))
    shares = [total.real / total.imag for total in sums]
    shares.sort()
    low, high = (shares[round(end * (_RESAMPLES - 1))] for end in _ENDS)
    right, n = (sum(column) for column in zip(*counts, strict=True))
    least, most = _binomial(right, n, _ENDS)
    wider = (high - low) * n / (most - least) if most > least else None
    return ClusteredInterval(low, high, len(counts), wider)


def _binomial(hits: int, trials: int, at: Sequence[float]) -> Iterator[int]:
    """Quantiles of the number of hits among so many trials, each as likely as they are in these."""
    if hits in (0, trials):
        yield from [hits] * len(at)
        return
    one, other = log(hits / trials), log(1 - hits / trials)
    below, k = 0.0, -1
    for share in at:
        while below < share and k < trials:
            k += 1
            ways = lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1)
            below += exp(ways + k * one + (trials - k) * other)
        yield k
