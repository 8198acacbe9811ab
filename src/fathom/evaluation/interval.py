"""The interval of a share; apart from the other statistics, for these are slow to import."""

from math import sqrt

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
