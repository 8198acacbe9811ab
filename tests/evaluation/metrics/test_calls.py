import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.evaluation.metrics import (
    LABELS,
    Preference,
    argument_errors,
    cohen_kappa,
    exact_agreement,
    krippendorff_alpha,
)
from fathom.evaluation.metrics.alpha import Level


def test_arguments_are_missing_extra_or_wrong() -> None:
    gold = {"species": "human", "id": "rs699", "program": "tblastn", "none": None}
    found = argument_errors({"id": "rs699", "program": "blastp", "canonical": True, "also": None}, gold)
    assert (found.missing, found.extra, found.wrong) == (("species",), ("canonical",), ("program",))
    assert not argument_errors(gold, gold)


@pytest.mark.parametrize(
    ("labels", "win_rate"),
    # The two rows of the paper's Table 6, in per cent (arXiv 2605.05758).
    [((75.3, 6.3, 7.2, 11.2), 84.5), ((90.3, 1.8, 4.5, 3.3), 94.2)],
)
def test_adjusted_win_rates_are_the_published_ones(
    labels: tuple[float, float, float, float], win_rate: float
) -> None:
    found = Preference(*(round(10 * share) for share in labels))
    assert found.win_rate is not None
    assert 100 * found.win_rate == pytest.approx(win_rate, abs=0.1)


@given(st.lists(st.sampled_from(LABELS)))
def test_adjusted_wins_add_up_to_all_judgements(labels: list[str]) -> None:
    found = Preference.of(labels)
    assert sum(found.adjusted) == found.n == len(labels)
    assert (found.win_rate is None) == (not labels)


def test_unknown_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="'C' is no label"):
        Preference.of(["A", "C"])


def test_kappa_has_the_textbook_value() -> None:
    # 50 grant proposals, yes or no by two readers: 20 both yes, 15 both no, 5 and 10 apart. The worked
    # example in the encyclopedia's article on Cohen's kappa: agreement 0.7, chance 0.5, kappa 0.4.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert exact_agreement(first, second) == 0.7
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_kappa_without_variety_is_not_defined() -> None:
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["A"] * 3, ["A"] * 3) is None
    assert cohen_kappa(["A", "B"], ["B", "A"]) == pytest.approx(-1.0)


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C and D: four observers, twelve
# units, some of them not judged: alpha 0.743 nominal and 0.849 interval.
_OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_has_the_published_values(level: Level, published: float) -> None:
    annotations = [
        {str(n): value for n, value in enumerate(row.split()) if value != "."} for row in _OBSERVERS
    ]
    assert krippendorff_alpha(annotations, level=level) == pytest.approx(published, abs=0.0006)


# Examples A and B there: two observers who judged everything.
@pytest.mark.parametrize(
    ("first", "second", "published"),
    [
        ("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0", 0.095),
        ("a a b b d c c c e d d a", "b a b b b c c c e d d d", 0.692),
    ],
)
def test_alpha_of_two_observers_has_the_published_values(first: str, second: str, published: float) -> None:
    annotations = [dict(enumerate_text(labels.split())) for labels in (first, second)]
    assert krippendorff_alpha(annotations) == pytest.approx(published, abs=0.0006)


def test_labels_of_an_interval_count_by_their_distance_and_not_as_text() -> None:
    near, far = ([{"a": 9, "b": 10, "c": 2}, {"a": other, "b": 10, "c": 2}] for other in (10, 2))
    one, two = (krippendorff_alpha(said, level="interval") for said in (near, far))
    assert one is not None
    assert two is not None
    assert one > 0.9 > two
    assert one == krippendorff_alpha([{k: f"{v}.0" for k, v in n.items()} for n in near], level="interval")


def test_alpha_nearly_equals_kappa_for_two_who_label_everything() -> None:
    # Table 7 of the paper reports the same three digits for both on 1,408 items.
    first = (["A"] * 900 + ["B"] * 200 + ["both_good"] * 200 + ["both_bad"] * 108)[:1408]
    second = first[150:] + first[:150]
    kappa = cohen_kappa(first, second)
    alpha = krippendorff_alpha([dict(enumerate_text(first)), dict(enumerate_text(second))])
    assert alpha == pytest.approx(kappa, abs=0.0005)


def enumerate_text(labels: list[str]) -> list[tuple[str, str]]:
    return [(str(n), label) for n, label in enumerate(labels)]


def test_alpha_without_variety_or_overlap_is_not_defined() -> None:
    assert krippendorff_alpha([{"a": "x"}, {"b": "y"}]) is None
    assert krippendorff_alpha([{"a": "x"}, {"a": "x"}]) is None
