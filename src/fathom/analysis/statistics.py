"""The tests behind a verdict: trend, association, difference between groups. SciPy computes, nothing here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fathom.analysis.series import Series, Values

ALPHA = 0.05
UNDECIDED = 0.2
"""Between `ALPHA` and this a p-value neither shows an effect nor speaks against one."""
FEWEST_MONTHS, FEWEST_ROWS, FEWEST_OF_GROUP = 8, 10, 5
LEAST_CORRELATION = 0.1
"""Weaker ones are negligible (Cohen 1988), however many rows make them significant."""
LEAST_EFFECT = 0.01
"""The same for the share of variance that groups explain."""
MOST_LAGS = 3


@dataclass(frozen=True, slots=True)
class TrendTest:
    """A series' slope a step with its 95 % interval, Mann-Kendall's p, and how much season there is."""

    slope: float
    low: float
    high: float
    p: float
    tau: float
    season_p: float | None
    n: int


def trend(series: Series) -> TrendTest:
    """The robust slope (Theil-Sen) of a series, and Mann-Kendall's test of whether there is one.

    Of two years of months or more the season is taken out first: the mean of each calendar month. The test
    corrects for values that follow their neighbours (Hamed and Rao 1998, first lag).
    """
    from scipy import stats  # noqa: PLC0415, slow to import

    values, season_p = _without_season(series)
    at = np.arange(len(values), dtype=np.float64)
    tau, p = stats.kendalltau(at, values)
    sen = stats.theilslopes(values, at, 1 - ALPHA)
    p = _corrected_for_neighbours(float(p), values - sen.slope * at)
    p = 1.0 if np.isnan(tau) else p
    return TrendTest(
        float(sen.slope), float(sen.low_slope), float(sen.high_slope), p, float(np.nan_to_num(tau)),
        season_p, len(values),
    )  # fmt: skip


def _without_season(series: Series) -> tuple[Values, float | None]:
    from scipy import stats  # noqa: PLC0415

    values, every = series.values, series.per_year
    if every == 1 or len(values) < 2 * every:
        return values, None
    place = np.arange(len(values)) % every
    line = np.polyval(np.polyfit(np.arange(len(values)), values, 1), np.arange(len(values)))
    rest = values - line
    groups = [rest[place == n] for n in range(every)]
    p = float(stats.kruskal(*groups).pvalue) if np.ptp(rest) > 0 else 1.0
    if np.isnan(p) or p >= ALPHA:
        return values, p
    means = np.array([g.mean() for g in groups])
    return values - means[place], p


def _corrected_for_neighbours(p: float, rest: Values) -> float:
    """A p-value where each value follows the one before: fewer of them are news."""
    from scipy import stats  # noqa: PLC0415

    n = len(rest)
    if n < 10 or np.ptp(rest) == 0:
        return p
    ranks = stats.rankdata(rest)
    r = float(np.corrcoef(ranks[:-1], ranks[1:])[0, 1])
    if not np.isfinite(r) or abs(r) < 1.96 / np.sqrt(n):
        return p
    more = 1 + 2 * r * (n - 1) / n
    return float(2 * stats.norm.sf(stats.norm.isf(p / 2) / np.sqrt(max(more, 0.25))))


@dataclass(frozen=True, slots=True)
class AssociationTest:
    """Spearman's correlation with its 95 % interval, Pearson's beside it, and the robust slope."""

    rho: float
    low: float
    high: float
    p: float
    pearson: float
    slope: float
    n: int
    lag: int = 0


def association(first: Values, second: Values) -> AssociationTest:
    """How far two columns go together, by rank, so that a few far values don't make it.

    The interval is Fisher's, with the variance of ranks (Bonett and Wright 2000).
    """
    from scipy import stats  # noqa: PLC0415

    n = len(first)
    if n < FEWEST_ROWS or np.ptp(first) == 0 or np.ptp(second) == 0:
        return AssociationTest(0.0, -1.0, 1.0, 1.0, 0.0, 0.0, n)
    rho, p = stats.spearmanr(first, second)
    bound = np.arctanh(np.clip(rho, -0.999999, 0.999999))
    half = stats.norm.isf(ALPHA / 2) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    low, high = float(np.tanh(bound - half)), float(np.tanh(bound + half))
    step = max(1, n // _MOST_SLOPES)
    slope = float(stats.theilslopes(second[::step], first[::step]).slope)
    pearson = float(stats.pearsonr(first, second).statistic)
    return AssociationTest(float(rho), low, high, float(p), pearson, slope, n)


_MOST_SLOPES = 1_000
"""Theil-Sen compares every two points: half a million slopes are enough."""


def association_in_time(first: Series, second: Series) -> AssociationTest:
    """How far the changes of two series go together, at once or up to three steps later either way.

    Changes, for two series that merely both rise would always agree; the p-value is corrected for the lags
    looked at (Bonferroni).
    """
    start = max(first.start, second.start)
    one, two = first.values[first.place(start) :], second.values[second.place(start) :]
    length = min(len(one), len(two))
    one, two = np.diff(one[:length]), np.diff(two[:length])
    lags = [lag for lag in range(-MOST_LAGS, MOST_LAGS + 1) if len(one) - abs(lag) >= FEWEST_ROWS]
    found = []
    for lag in lags:
        ahead, behind = (one[: len(one) - lag], two[lag:]) if lag >= 0 else (one[-lag:], two[:lag])
        found.append((lag, association(ahead, behind)))
    if not found:
        return association(one, two)
    lag, best = min(found, key=lambda pair: (pair[1].p, abs(pair[0])))
    p = min(1.0, best.p * len(lags))
    return AssociationTest(best.rho, best.low, best.high, p, best.pearson, best.slope, best.n, lag)


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """A test of whether groups differ: its name, its p, the effect (share of variance, or Cramér's V)."""

    name: str
    p: float
    effect: float
    groups: int
    n: int


def difference(groups: Mapping[str, Sequence[float]]) -> DifferenceTest:
    """Kruskal-Wallis over groups of five rows or more, with epsilon squared as effect."""
    from scipy import stats  # noqa: PLC0415

    kept = [np.asarray(g, dtype=np.float64) for g in groups.values() if len(g) >= FEWEST_OF_GROUP]
    n = sum(map(len, kept))
    name = "Kruskal-Wallis" if len(kept) > 2 else "Mann-Whitney"
    if len(kept) < 2 or np.ptp(np.concatenate(kept)) == 0:
        return DifferenceTest(name, 1.0, 0.0, len(kept), n)
    h, p = stats.kruskal(*kept)
    if len(kept) == 2:
        p = stats.mannwhitneyu(*kept).pvalue
    effect = max(0.0, float(h - len(kept) + 1) / (n - len(kept)))
    return DifferenceTest(name, float(p), effect, len(kept), n)


def bound_up(table: Sequence[Sequence[int]]) -> DifferenceTest:
    """The chi-squared test of a table of counts, with Cramér's V as effect."""
    from scipy import stats  # noqa: PLC0415

    counts = np.asarray(table)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0] if counts.size else counts
    n, groups = int(counts.sum()), len(counts)
    if counts.ndim < 2 or min(counts.shape) < 2:
        return DifferenceTest("chi-squared", 1.0, 0.0, groups, n)
    p = float(stats.chi2_contingency(counts).pvalue)
    v = float(stats.contingency.association(counts, method="cramer"))
    return DifferenceTest("chi-squared", p, v, groups, n)


def corrected(p_values: Sequence[float]) -> list[float]:
    """P-values of several tests, corrected for their number (Benjamini and Hochberg)."""
    from scipy import stats  # noqa: PLC0415

    return [float(p) for p in stats.false_discovery_control(p_values)] if p_values else []
