import pytest
from scipy.stats import binomtest

from fathom.evaluation.interval import ClusteredInterval, clustered
from fathom.evaluation.metrics import (
    NothingInCommon,
    clustered_mean,
    holm,
    mcnemar,
    pair,
    paired_bootstrap,
)


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


def test_holm_corrects_as_its_paper_does() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_databases_that_differ_widen_the_interval_and_alike_ones_do_not() -> None:
    """Ten databases of forty questions: all of one right or wrong together, or half of each."""
    apart, alike = clustered([(40, 40), (0, 40)] * 5), clustered([(20, 40)] * 10)
    assert apart is not None
    assert alike is not None
    # The standard error of ten coins beside that of four hundred: sqrt(40) times as wide.
    assert apart.wider == pytest.approx(40**0.5, rel=0.1)
    assert alike.wider == pytest.approx(1.0, abs=0.1)
    assert (alike.low + alike.high) / 2 == pytest.approx(0.5, abs=0.01)
    assert clustered([(2, 3)]) is None
    assert clustered([(0, 3), (0, 9)]) == ClusteredInterval(0.0, 0.0, 2, None)


def test_the_interval_over_databases_is_that_of_drawing_each_question() -> None:
    counts = [(3, 20), (18, 20), (11, 30), (25, 40), (7, 9), (30, 60), (2, 12), (90, 120)]
    values = [int(i < right) for right, n in counts for i in range(n)]
    drawn = clustered_mean(values, [c for c, (_, n) in enumerate(counts) for _ in range(n)])
    found = clustered(counts)
    assert found is not None
    assert drawn is not None
    assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.02)
    assert found.wider == pytest.approx(drawn.wider, rel=0.05)
    assert found == clustered(counts[::-1])


def test_a_difference_in_every_database_is_told_from_one_in_a_single_one() -> None:
    clusters = [c for c in range(12) for _ in range(20)]
    everywhere = clustered_mean([int(i % 5 == 0) for i in range(240)], clusters)
    once = clustered_mean([int(c == 3) for c in clusters], clusters)
    assert everywhere is not None
    assert once is not None
    assert everywhere.p_value < 0.01
    assert once.p_value > 0.3
    assert everywhere.low > 0 >= once.low
