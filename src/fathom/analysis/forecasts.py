"""The shipped forecaster, and how well it would have done: tested on the past, beside the naive ways."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.analysis.series import Series, Values
from fathom.errors import MissingExtra

HORIZON = 6
"""Months ahead that a forecast is tested on; further ones are told with the error of the sixth."""
ORIGINS = 8
"""Past months that the test forecasts from."""
FEWEST = 12
"""Values that a forecast needs; fewer have no past to test it on."""


@dataclass(frozen=True, slots=True)
class BackTest:
    """Errors of forecasts from past months, scaled by the seasonal-naive error within the past (MASE).

    `errors` holds, for each step ahead, the forecaster's errors; `naive_error` is the mean absolute error of
    the better naive way over the same months.
    """

    mase: float
    naive: float
    seasonal_naive: float
    naive_error: float
    errors: tuple[tuple[float, ...], ...]
    origins: int

    @property
    def beats_naive(self) -> bool:
        """True if the forecaster's error is inside that of the better naive way."""
        return self.mase <= min(self.naive, self.seasonal_naive) * (1 + 1e-9)


@dataclass(frozen=True, slots=True)
class Projection:
    """A forecast of the steps to come with 95 % bounds, and its test on the past."""

    values: Values
    low: Values
    high: Values
    test: BackTest


def forecast(values: Values, steps: int, every: int) -> Values:
    """The mean of Theta, exponential smoothing with a damped trend, and seasonal-naive, step by step.

    A mean of simple ways errs less than any of them alone (Makridakis et al. 2020). Never below 0 where no
    value was. `every` is the season's length, 1 for none. Raises `MissingExtra` without statsmodels.
    """
    if np.ptp(values) == 0:
        return np.full(steps, values[-1])
    season = every if every > 1 and len(values) >= 2 * every else 1
    ways = [_theta(values, steps, season), _smoothed(values, steps, season)]
    ways.append(seasonal_naive(values, steps, season) if season > 1 else naive(values, steps))
    found: Values = np.mean([w for w in ways if np.isfinite(w).all()], axis=0)
    bounded: Values = np.maximum(found, 0.0)
    return bounded if values.min() >= 0 else found


def naive(values: Values, steps: int) -> Values:
    """The last value again."""
    return np.full(steps, values[-1])


def seasonal_naive(values: Values, steps: int, every: int) -> Values:
    """The value of the same month a year before; the last value where there is no year."""
    if len(values) < every:
        return naive(values, steps)
    return values[len(values) - every + np.arange(steps) % every]


def project(series: Series, steps: int) -> Projection:
    """Forecast a series. Raises `MissingExtra` without statsmodels; needs `FEWEST` values."""
    test = back_test(series)
    values = forecast(series.values, steps, series.per_year)
    spread = np.array([np.sqrt(np.mean(np.square(e))) for e in test.errors])
    reach = 1.96 * np.maximum.accumulate(spread)[np.minimum(np.arange(steps), len(spread) - 1)]
    low = np.maximum(values - reach, 0.0) if series.values.min() >= 0 else values - reach
    return Projection(values, low, values + reach, test)


def back_test(series: Series, *, horizon: int = HORIZON, origins: int = ORIGINS) -> BackTest:
    """Forecast the series' own last months from the months before them."""
    values, every = series.values, series.per_year
    horizon = min(horizon, max(1, len(values) // 6))
    origins = max(1, min(origins, len(values) - horizon - FEWEST // 2 + 1))
    errors: list[list[float]] = [[] for _ in range(horizon)]
    ours, last, season = [], [], []
    for origin in range(len(values) - horizon - origins + 1, len(values) - horizon + 1):
        past, actual = values[:origin], values[origin : origin + horizon]
        found = forecast(past, horizon, every)
        scale = _scale(past, every)
        ours.append(np.abs(found - actual) / scale)
        last.append(np.abs(naive(past, horizon) - actual) / scale)
        season.append(np.abs(seasonal_naive(past, horizon, every) - actual) / scale)
        for step, error in enumerate(found - actual):
            errors[step].append(float(error))
    mase = [float(np.mean(e)) for e in (ours, last, season)]
    better = min(mase[1:]) * _scale(values, every)
    return BackTest(mase[0], mase[1], mase[2], better, tuple(map(tuple, errors)), origins)


def _scale(past: Values, every: int) -> float:
    """The mean absolute error of seasonal-naive within the past (Hyndman and Koehler 2006)."""
    lag = every if len(past) > every else 1
    scale = float(np.mean(np.abs(past[lag:] - past[:-lag]))) if len(past) > lag else 0.0
    return scale if scale > 0 else max(float(np.mean(np.abs(past))), 1e-9)


def _theta(values: Values, steps: int, season: int) -> Values:
    model = _statsmodels("statsmodels.tsa.forecasting.theta").ThetaModel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it didn't converge fully shows in the test on the past
        fitted = model(values, period=max(season, 2), deseasonalize=season > 1, method="additive").fit()
        return np.asarray(fitted.forecast(steps), dtype=np.float64)


def _smoothed(values: Values, steps: int, season: int) -> Values:
    model = _statsmodels("statsmodels.tsa.holtwinters").ExponentialSmoothing
    seasonal: dict[str, Any] = {"seasonal": "add", "seasonal_periods": season} if season > 1 else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = model(values, trend="add", damped_trend=True, initialization_method="heuristic", **seasonal)
        return np.asarray(chosen.fit(use_brute=False).forecast(steps), dtype=np.float64)


def _statsmodels(module: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra("forecasting", "statsmodels", "analysis") from error
