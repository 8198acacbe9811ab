"""What validates a judge: hand-worked cases, the published counts, and a judge whose error is known."""

from random import Random

import pytest

from fathom.evaluation.metrics import (
    accuracy_where_agreed,
    cohen_kappa,
    cramers_v,
    exact_agreement,
    gwet_ac1,
    pearson,
    spearman,
)


def test_ac1_stays_near_agreement_where_a_label_is_rare() -> None:
    """Gwet's paradox: 118 of 125 alike, one label rare. Chance is 2 * 0.956 * 0.044 = 0.0841."""
    first = ["+"] * 118 + ["+"] * 5 + ["-"] * 2
    second = ["+"] * 118 + ["-"] * 5 + ["+"] * 2
    share = (123 + 120) / 250
    chance = 2 * share * (1 - share)

    assert gwet_ac1(first, second) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert cohen_kappa(first, second) == pytest.approx(-0.0234, abs=1e-4)
    assert gwet_ac1([], []) is None
    assert gwet_ac1(["+"], ["+"]) is None


def test_accuracy_counts_what_people_agree_on() -> None:
    """As published: 16 of 20 of 22 answers, two of which the people judged differently."""
    one = {str(n): 1 for n in range(22)}
    other = one | {"20": 0, "21": 0}
    judge = {str(n): int(n >= 4) for n in range(22)}

    assert exact_agreement(list(one.values()), list(other.values())) == pytest.approx(0.909, abs=5e-4)
    assert accuracy_where_agreed(judge, [one, other]) == (16, 20)
    assert accuracy_where_agreed(judge, [one, {}]) == (0, 0)


def test_correlations_come_with_p() -> None:
    found = pearson([1, 2, 3, 4], [2, 4, 6, 8.5])
    ranked = spearman([1, 2, 3, 4], [1, 2, 4, 100])
    bound = cramers_v(["a", "a", "b", "b"] * 10, ["x", "x", "y", "y"] * 10)

    assert found is not None
    assert (found.value > 0.99, found.p < 0.01, found.n) == (True, True, 4)
    assert ranked is not None
    assert ranked.value == pytest.approx(1.0)
    assert bound is not None
    assert bound.value == pytest.approx(1.0)
    assert bound.p < 1e-8
    assert pearson([1, 1, 1], [1, 2, 3]) is None
    assert cramers_v(["a", "a"], ["x", "y"]) is None


@pytest.mark.parametrize("error", [0.0, 0.1, 0.3])
def test_a_judge_of_known_error_is_recovered(error: float) -> None:
    random = Random(3)
    truth = {str(n): random.choice((0, 0.5, 1)) for n in range(4_000)}
    judge = {
        k: v if random.random() >= error else random.choice([o for o in (0, 0.5, 1) if o != v])
        for k, v in truth.items()
    }

    right, n = accuracy_where_agreed(judge, [truth, truth])
    chance = 1 / 3
    assert right / n == pytest.approx(1 - error, abs=0.02)
    expected = (1 - error - chance) / (1 - chance)
    assert gwet_ac1(list(judge.values()), list(truth.values())) == pytest.approx(expected, abs=0.03)
    assert cohen_kappa(list(judge.values()), list(truth.values())) == pytest.approx(expected, abs=0.03)
