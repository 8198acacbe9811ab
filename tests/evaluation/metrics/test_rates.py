import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap

from fathom.evaluation.metrics import Mean, Rate, means


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (0, 20), (7, 20), (20, 20), (612, 1534)])
def test_wilson_is_scipys(hits: int, trials: int) -> None:
    expected = binomtest(hits, trials).proportion_ci(method="wilson")
    assert Rate(hits, trials).interval() == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_is_not_defined() -> None:
    assert Rate(0, 0).value is None
    assert Rate(0, 0).interval() == (0.0, 1.0)
    assert Rate.of([]).as_json() == {"value": None, "interval": [0.0, 1.0], "hits": 0, "n": 0}


def test_rate_counts_outcomes() -> None:
    assert Rate.of([True, False, True]) == Rate(2, 3)


def test_bootstrap_is_close_to_scipys_and_repeats() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=300)
    expected = bootstrap((values,), np.mean, method="percentile", random_state=1).confidence_interval
    found = Mean.of(values.tolist())
    assert found.interval() == pytest.approx((expected.low, expected.high), abs=0.01)
    assert Mean.of(values.tolist()) == found


def test_missing_values_are_no_part_of_the_mean() -> None:
    mean = Mean.of([1.0, None, 3.0])
    assert (mean.value, mean.n, mean.missing) == (2.0, 2, 1)
    nothing = Mean.of([None, None])
    assert (nothing.value, nothing.interval(), nothing.n, nothing.missing) == (None, None, 0, 2)
    assert Mean.of([]).value is None


def test_columns_share_their_resamples() -> None:
    column = np.random.default_rng(4).normal(size=200)
    one, two = means(np.column_stack([column, column * 2]))
    assert one.low is not None
    assert two.low == pytest.approx(2 * one.low)


def test_computed_intervals_are_those_of_sampling() -> None:
    values = np.random.default_rng(5).gamma(0.3, size=1_500)  # skewed, as costs are
    found = Mean.of(values.tolist())
    assert found.low is not None
    expected = bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, random_state=1)
    width = expected.confidence_interval.high - expected.confidence_interval.low
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=width / 50)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=width / 50)


def test_equal_values_have_no_width() -> None:
    assert means(np.ones((70_000, 5)))[0].interval() == (1.0, 1.0)
