from math import sqrt

import pytest

from fathom.evaluation.metrics import (
    Rate,
    calibration,
    calibration_error,
    condition_on_recall,
    correct_at_budget,
    failure_overlap,
    jaccard,
    overlap,
    pareto_front,
    pass_at,
    r_ves,
    reward,
    risk_coverage,
    robust_ratio,
    soft_f1,
    solved_by,
    transitions,
    ves,
)
from fathom.evaluation.outcome import Outcome

C, I, E = Outcome.CORRECT, Outcome.INCORRECT, Outcome.ERROR  # noqa: E741


@pytest.mark.parametrize(
    ("predicted", "gold", "score"),
    [
        ([], [], 1.0),
        ([(1,)], [], 0.0),
        ([], [(1,)], 0.0),
        ([(1, 2)], [(2, 1)], 1.0),  # within a row the order doesn't count
        ([(1, 2), (1, 2)], [(1, 2)], 1.0),  # duplicates drop
        ([(1, 3)], [(1, 2)], 0.5),  # tp 1/2, fp 1/2, fn 1/2
        ([(1, 2, 3)], [(1, 2)], 2 * (2 / 3) / (2 / 3 + 1)),  # fp 1/2 of two columns: precision 2/3
        ([("a",), ("b",)], [("b",), ("a",)], 0.0),  # rows pair by position
        ([("a",)], [("a",), ("b",)], 2 / 3),
        ([([1],)], [([1],)], 1.0),  # a cell that can't be hashed
    ],
)
def test_soft_f1(predicted: list[tuple[object, ...]], gold: list[tuple[object, ...]], score: float) -> None:
    assert soft_f1(predicted, gold) == pytest.approx(score)


def test_jaccard() -> None:
    assert jaccard(set(), set()) == 1.0
    assert jaccard({1, 2}, {2, 3}) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(2, 1.25), (1.99, 1.0), (1, 1.0), (0.99, 0.75), (0.5, 0.75), (0.25, 0.5), (0.1, 0.25)],
)
def test_reward_steps(ratio: float, expected: float) -> None:
    assert reward(ratio) == expected


def test_ves_counts_wrong_predictions_as_zero() -> None:
    assert ves([4.0, None]).value == pytest.approx(100.0)
    assert r_ves([4.0, None]).value == pytest.approx(50 * sqrt(1.25))


def test_robust_ratio_drops_outliers() -> None:
    assert robust_ratio([1.0] * 30 + [100.0]) == 1.0
    assert robust_ratio([2.0]) == 2.0
    with pytest.raises(ValueError, match="no timing"):
        robust_ratio([])


def test_selection_overlap() -> None:
    found = overlap({"a", "b", "c"}, {"b", "c", "d", "e"})
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == 0.5
    assert found.f1 == pytest.approx(4 / 7)
    assert overlap(set(), set()).f1 == 1.0
    assert overlap(set(), {"a"}).f1 == overlap({"a"}, {"b"}).f1 == 0.0
    assert overlap({"a"}, set()).recall == 1.0


def test_pass_at() -> None:
    questions = {(I, C): 2, (C,): 1, (): 1, (E, I): 1}
    assert pass_at(questions, 1) == Rate(1, 5)
    assert pass_at(questions, 5) == Rate(3, 5)


def test_transitions() -> None:
    found = transitions({(C, C): 50, (C, I): 3, (C, E): 2, (I, C): 8, (I, I): 22, (E, C): 5, (E, E): 10})
    assert found.gain == pytest.approx((63 - 55) / 55)
    assert found.incorrect_to_correct == Rate(8, 30)
    assert found.error_to_correct == Rate(5, 15)
    assert found.correct_to_incorrect == Rate(3, 55)
    assert found.correct_to_error == Rate(2, 55)


def test_an_empty_base_is_not_defined() -> None:
    found = transitions({(I, C): 2})
    assert found.gain is None
    assert found.error_to_correct.value is None
    assert found.as_json()["C2I"]["value"] is None


def test_conditioning_on_recall() -> None:
    found = condition_on_recall([(1.0, True), (1.0, False), (0.5, False), (0.75, True)])
    assert (found.full_recall, found.partial_recall) == (Rate(1, 2), Rate(1, 2))
    assert found.recall_when_right.value == pytest.approx(0.875)
    assert found.recall_when_wrong.value == pytest.approx(0.75)


def test_over_budget_and_unknown_cost_count_as_wrong() -> None:
    curve = correct_at_budget([(10, True), (200, True), (None, True), (5, False)], [50, 500])
    assert curve == [(50, Rate(1, 4)), (500, Rate(2, 4))]


def test_pareto_front() -> None:
    points = {"cheap": (1.0, 0.4), "dear": (9.0, 0.7), "beaten": (9.5, 0.6), "twin": (1.0, 0.4)}
    assert pareto_front(points) == ["cheap", "twin", "dear"]


def test_failures_overlap() -> None:
    asked = {"a": {"1", "2", "3", "4"}, "b": {"2", "3", "4", "5"}}
    (found,) = failure_overlap({"a": {"1", "2", "3"}, "b": {"3", "4", "5"}}, asked)
    assert found.share == Rate(1, 2)  # of 2 and 3, and 3 and 4: the others were asked of one of them
    (none,) = failure_overlap({"a": set(), "b": {"3"}}, asked)
    assert none.share.value is None


def test_solved_by_exactly_m() -> None:
    assert solved_by({"a": {"1", "2", "9"}, "b": {"2"}}, {"1", "2", "3"}) == [1, 1, 1]


def test_calibration_bins_have_equal_mass() -> None:
    bins = calibration([i / 100 for i in range(100)], [i % 2 == 0 for i in range(100)])
    assert [b.right.trials for b in bins] == [10] * 10
    nine_of_ten = [True] * 9 + [False]
    assert calibration_error(calibration([0.9] * 10, nine_of_ten)) == pytest.approx(0.18)
    assert calibration_error(calibration([0.9] * 10, nine_of_ten, bins=1)) == pytest.approx(0.0)
    assert calibration_error(calibration([], [])) is None


def test_risk_coverage() -> None:
    curve = risk_coverage([0.9, 0.8, 0.3, 0.3], [True, True, False, True])
    assert curve is not None
    assert curve.points == ((0.25, 0.0), (0.5, 0.0), (1.0, 0.25))
    assert curve.area == pytest.approx(0.125)  # the two ties enter together
    assert risk_coverage([], []) is None
