"""Checks of claims that a test settles: trends, associations, group differences, forecasts."""

from collections import Counter
from typing import Any

import numpy as np

from fathom.analysis import plots
from fathom.analysis.claims import (
    AssociationClaim,
    CheckedClaim,
    CoMovementClaim,
    DifferenceClaim,
    ForecastClaim,
    TrendClaim,
    Verdict,
)
from fathom.analysis.figures import Figures, numbers
from fathom.analysis.forecasts import HORIZON, Projection
from fathom.analysis.quantities import NotComputable
from fathom.analysis.series import Series, month_after
from fathom.analysis.statistics import (
    ALPHA,
    FEWEST_MONTHS,
    FEWEST_ROWS,
    LEAST_CORRELATION,
    LEAST_EFFECT,
    UNDECIDED,
    AssociationTest,
    DifferenceTest,
    association,
    association_in_time,
    bound_up,
    difference,
)
from fathom.analysis.vocabulary import period_name
from fathom.records import shown_value

_LEAST_BOUND = 0.1
"""A Cramér's V below this is negligible, as a correlation is."""


def trend(claim: TrendClaim, figures: Figures) -> CheckedClaim:
    """Mann-Kendall over whole months, the season taken out."""
    found, series, sql = figures.trend(claim.quantity, claim.since.start if claim.since else None)
    name = figures.vocabulary.name(claim.quantity)
    chart = plots.line(series, name)
    told = {"slope": found.slope, "low": found.low, "high": found.high, "p": found.p, "n": found.n}
    test = "Mann-Kendall, with Theil-Sen's slope" + (
        "; the season taken out" if found.season_p is not None and found.season_p < ALPHA else ""
    )
    if found.n < FEWEST_MONTHS:
        reason = f"A trend needs {FEWEST_MONTHS} {series.unit}s; there are {found.n}."
        return CheckedClaim(claim, "can't be checked", reason, (sql,), told, test, chart)
    sign = int(np.sign(found.tau))
    wanted = {"up": 1, "down": -1, "flat": 0}[claim.direction]
    reason = (
        f"Over {found.n} {series.unit}s the {name} changes by {shown_value(found.slope)} a {series.unit} "
        f"({shown_value(found.low)} to {shown_value(found.high)}), p = {found.p:.2g}."
    )
    return CheckedClaim(claim, _of_sign(found.p, sign, wanted), reason, (sql,), told, test, chart)


def columns_together(claim: AssociationClaim, figures: Figures) -> CheckedClaim:
    """Spearman's correlation over the rows."""
    pairs = figures.pairs(claim.first, claim.second, claim.where)
    one, two = numbers(pairs.first), numbers(pairs.second)
    found = association(one, two)
    names = figures.vocabulary.field_name(claim.first), figures.vocabulary.field_name(claim.second)
    chart = plots.points(one, two, names) if len(one) else None  # type: ignore[arg-type]
    reason = f"Over {found.n:,} rows{_some(pairs.whole)} {_correlated(names, found)}"
    verdict = _of_correlation(found, claim.sign)
    return CheckedClaim(claim, verdict, reason, (pairs.sql,), _told(found), "Spearman's correlation", chart)


def in_time(claim: CoMovementClaim, figures: Figures) -> CheckedClaim:
    """Spearman's correlation of the monthly changes, at lags of up to three months."""
    first, one = figures.series(claim.first)
    second, two = figures.series(claim.second)
    if first.per_year != second.per_year:
        raise NotComputable("One of the two is known by month, the other by year.")
    found = association_in_time(first, second)
    names = figures.vocabulary.name(claim.first), figures.vocabulary.name(claim.second)
    reason = f"Over {found.n} changes from {first.unit} to {first.unit} {_correlated(names, found)}"
    if found.lag:
        ahead, behind = names if found.lag > 0 else names[::-1]
        reason += (
            f" It is strongest where the {behind} comes {abs(found.lag)} {first.unit}s after the {ahead}."
        )
    test = "Spearman's correlation of changes, corrected for the lags looked at"
    verdict = _of_correlation(found, claim.sign)
    return CheckedClaim(claim, verdict, reason, (one, two), {**_told(found), "lag": found.lag}, test)


def groups_differ(claim: DifferenceClaim, figures: Figures) -> CheckedClaim:
    """Kruskal-Wallis over the groups, or the chi-squared test where both are names."""
    by = figures.vocabulary.field_name(claim.by)
    measured = claim.measure.field
    if measured is None:
        raise NotComputable("A count alone has no spread within groups to test against.")
    name = figures.vocabulary.field_name(measured)
    if measured in figures.vocabulary.groups:
        pairs = figures.pairs(measured, claim.by, claim.where)
        found, chart, least = _of_names(pairs.first, pairs.second), None, _LEAST_BOUND
    else:
        groups, pairs = figures.by_group(measured, claim.by, claim.where)
        found, chart, least = difference(groups), plots.spreads(groups, by, name), LEAST_EFFECT
    reason = (
        f"The {name} of {found.n:,} rows{_some(pairs.whole)} in {found.groups} groups by {by}: "
        f"p = {found.p:.2g}, effect {found.effect:.3f}."
    )
    told = {"p": found.p, "effect": found.effect, "groups": found.groups, "n": found.n}
    if found.groups < 2 or found.n < FEWEST_ROWS:
        few = f"There aren't two groups by {by} with rows enough to compare."
        return CheckedClaim(claim, "can't be checked", few, (pairs.sql,), told, found.name, chart)
    verdict = _of_effect(found, least, claim.differs)
    if claim.caused and verdict == "supported":
        verdict, reason = (
            "can't be checked",
            f"{reason} They go together; that one is due to the other no row says.",
        )
    return CheckedClaim(claim, verdict, reason, (pairs.sql,), told, found.name, chart)


def forecast(claim: ForecastClaim, figures: Figures) -> CheckedClaim:
    """The forecaster's own figure, with its error on the past beside that of the naive ways.

    A stated figure is supported within the naive error of the forecast, and contradicted beyond the 95 %
    bounds as well; between, and where the forecaster did worse than the naive ways, nobody can tell.
    """
    series, sql = figures.series(claim.quantity)
    name = figures.vocabulary.name(claim.quantity)
    test = f"back-tested on held-out {series.unit}s against naive and seasonal-naive"
    steps = claim.months if claim.period is None else _steps(claim, series)
    if steps <= 0:
        return _already_known(claim, series, sql, name)
    if steps > _MOST_STEPS:
        reason = (
            f"That is {steps} {series.unit}s ahead; beyond {_MOST_STEPS} no test on the past speaks for it."
        )
        return CheckedClaim(claim, "can't be checked", reason, (sql,), test=test)
    found = figures.projection(claim.quantity, max(steps, HORIZON))
    chart = plots.line(series, name, found)
    told: dict[str, Any] = {
        "MASE": found.test.mase,
        "MASE of naive": found.test.naive,
        "MASE of seasonal-naive": found.test.seasonal_naive,
        "naive error": found.test.naive_error,
    }
    if claim.stated is not None:
        verdict, reason = _of_figure(claim, found, (steps, series.per_year), name, told)
    else:
        verdict, reason = _of_direction(claim, series, found, name, told)
    return CheckedClaim(claim, verdict, reason, (sql,), told, test, chart)


_MOST_STEPS = 24


def _steps(claim: ForecastClaim, series: Series) -> int:
    """How many steps after the last whole one the claimed span ends."""
    assert claim.period is not None
    if series.per_year == 12 and claim.period.grain == "day":
        raise NotComputable("A forecast is checked of a month, a quarter or a year.")
    if series.per_year == 12 and claim.period.grain != "month":
        if not claim.quantity.measure.adds_up:
            raise NotComputable("A forecast of an average is checked by month; say it by month.")
        first = series.place(claim.period.start) - len(series)
        if first < 0:
            raise NotComputable("A part of that time is in the data already.")
        return series.place(month_after(claim.period.end, -1)) - len(series) + 1
    return series.place(claim.period.start) - len(series) + 1


def _already_known(claim: ForecastClaim, series: Series, sql: str, name: str) -> CheckedClaim:
    assert claim.period is not None
    place = series.place(claim.period.start)
    if place < 0 or claim.stated is None:
        return CheckedClaim(claim, "can't be checked", "The data starts later.", (sql,))
    value = float(series.values[place])
    told = f"{period_name(claim.period)} is in the data already: the {name} was {shown_value(value)}."
    verdict: Verdict = "supported" if claim.stated.fits(value) else "contradicted"
    return CheckedClaim(claim, verdict, told, (sql,), {"value": value, "stated": claim.stated.value})


def _of_figure(
    claim: ForecastClaim, found: Projection, ahead: tuple[int, int], name: str, told: dict[str, Any]
) -> tuple[Verdict, str]:
    """The figure against the forecast. `ahead` are the steps, and how many of them make a year."""
    steps, per_year = ahead
    assert claim.stated is not None
    assert claim.period is not None
    # The months of a quarter or a year together; their errors at worst all lie on one side.
    months = {"month": 1, "quarter": 3, "year": 12}[claim.period.grain] if per_year == 12 else 1
    value, low, high = (float(v[steps - months : steps].sum()) for v in (found.values, found.low, found.high))
    error = found.test.naive_error * months
    told |= {"forecast": value, "low": low, "high": high, "stated": claim.stated.value}
    reason = (
        f"For {period_name(claim.period)} the {name} is forecast at {shown_value(value)} "
        f"({shown_value(low)} to {shown_value(high)}); the naive error is {shown_value(error)}."
    )
    off = abs(claim.stated.value - value)
    near = max(error, claim.stated.unit / 2)
    if off > near and not low <= claim.stated.value <= high:
        return "contradicted", reason
    if off <= near and found.test.beats_naive:
        return "supported", reason
    if off <= near:
        return "can't be checked", f"{reason} The forecaster did no better on the past than the naive ways."
    return "can't be checked", f"{reason} The stated figure is within the bounds, yet off by more than that."


def _of_direction(
    claim: ForecastClaim, series: Series, found: Projection, name: str, told: dict[str, Any]
) -> tuple[Verdict, str]:
    """The mean of the steps to come against that of as many before, of the same season where there is one."""
    every = series.per_year
    lag = every if every > 1 and len(series) >= 2 * every else min(claim.months, len(series))
    past = series.values[len(series) - lag :][: claim.months]
    ahead = found.values[: len(past)]
    rise = float(np.mean(ahead) - np.mean(past))
    # Errors of several steps partly cancel out; that they hang together keeps half of the error.
    enough = found.test.naive_error / 2
    told |= {"mean before": float(np.mean(past)), "mean ahead": float(np.mean(ahead)), "enough": enough}
    reason = (
        f"The {name} is forecast at {shown_value(float(np.mean(ahead)))} a {series.unit}, after "
        f"{shown_value(float(np.mean(past)))}; a change counts from {shown_value(enough)} on."
    )
    sign = 0 if abs(rise) < enough else int(np.sign(rise))
    wanted = {"up": 1, "down": -1, "flat": 0}[claim.direction or "flat"]
    if sign == wanted and found.test.beats_naive:
        return "supported", reason
    if sign == -wanted != 0 or (wanted == 0 and abs(rise) > 2 * enough):
        return "contradicted", reason
    return "can't be checked", reason


def _of_sign(p: float, sign: int, wanted: int) -> Verdict:
    """A direction found by a test against the one claimed; 0 claims none."""
    if p < ALPHA:
        return "supported" if sign == wanted else "contradicted"
    if p < UNDECIDED:
        return "can't be checked"
    return "supported" if wanted == 0 else "contradicted"


def _of_correlation(found: AssociationTest, wanted: int | None) -> Verdict:
    if found.n < FEWEST_ROWS:
        return "can't be checked"
    negligible = max(abs(found.low), abs(found.high)) < LEAST_CORRELATION
    if negligible:
        return "supported" if wanted == 0 else "contradicted"
    if abs(found.rho) < LEAST_CORRELATION and found.p < ALPHA:
        return "can't be checked"
    sign = int(np.sign(found.rho))
    return _of_sign(found.p, sign, sign if wanted is None else wanted)


def _of_effect(found: DifferenceTest, least: float, differs: bool) -> Verdict:
    if found.p < ALPHA and found.effect >= least:
        return "supported" if differs else "contradicted"
    if found.p < UNDECIDED and not (found.p < ALPHA and found.effect < least / 2):
        return "can't be checked"
    return "contradicted" if differs else "supported"


def _of_names(first: Any, second: Any) -> DifferenceTest:
    counts = Counter(zip(first, second, strict=True))
    rows, columns = sorted({a for a, _ in counts}), sorted({b for _, b in counts})
    return bound_up([[counts[a, b] for b in columns] for a in rows])


def _correlated(names: tuple[str, str], found: AssociationTest) -> str:
    return (
        f"the {names[0]} and the {names[1]} correlate with {found.rho:.2f} "
        f"({found.low:.2f} to {found.high:.2f}), p = {found.p:.2g}."
    )


def _told(found: AssociationTest) -> dict[str, Any]:
    return {
        "Spearman": found.rho, "low": found.low, "high": found.high, "p": found.p, "Pearson": found.pearson,
        "Theil-Sen slope": found.slope, "n": found.n,
    }  # fmt: skip


def _some(whole: bool) -> str:
    return "" if whole else " (the first ones; there are more)"


TESTED: dict[type, Any] = {
    TrendClaim: trend,
    AssociationClaim: columns_together,
    CoMovementClaim: in_time,
    DifferenceClaim: groups_differ,
    ForecastClaim: forecast,
}
