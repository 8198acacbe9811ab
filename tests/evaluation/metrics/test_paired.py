import pytest
from scipy.stats import binomtest

from fathom.evaluation.metrics import NothingInCommon, mcnemar, pair, paired_bootstrap


def test_pairs_are_joined_by_id() -> None:
    assert pair({"a": 1, "b": 2}, {"b": 3, "c": 4}) == [(2, 3)]
    with pytest.raises(NothingInCommon, match="'left' and 'right'"):
        pair({"a": 1}, {"b": 1}, ("left", "right"))


def test_mcnemar_counts_and_tests_the_discordant_pairs() -> None:
    pairs = [(True, True)] * 50 + [(True, False)] * 15 + [(False, True)] * 4 + [(False, False)] * 31
    found = mcnemar(pairs)
    assert (found.both, found.only_first, found.only_second, found.neither) == (50, 15, 4, 31)
    assert found.difference == pytest.approx(0.11)
    assert found.p_value == pytest.approx(binomtest(15, 19).pvalue)
    assert mcnemar([(True, True), (False, False)]).p_value == 1.0


def test_paired_bootstrap_sees_a_difference_and_none() -> None:
    base = [float(i % 7) for i in range(200)]
    better = paired_bootstrap([(v + 0.5 + (i % 3) / 10, v) for i, v in enumerate(base)])
    assert better.difference == pytest.approx(0.6, abs=0.01)
    assert better.low > 0.5
    assert 0 < better.p_value < 0.01
    same = paired_bootstrap([(v, v) for v in base])
    assert (same.difference, same.p_value) == (0.0, 1.0)
    with pytest.raises(NothingInCommon):
        paired_bootstrap([])
