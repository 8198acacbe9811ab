"""Against libraries, or plain formulas, that compute the same figures one at a time."""

from collections import Counter
from collections.abc import Mapping
from itertools import permutations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from fathom.evaluation.metrics import cohen_kappa, gwet_ac1, krippendorff_alpha
from fathom.evaluation.metrics.alpha import alphas
from fathom.evaluation.metrics.rates import resample_weights
from fathom.evaluation.metrics.reliability import (
    pair_reliabilities,
    reliability,
    weighted_kappa,
    without_each,
)

Labels = dict[str, dict[str, int]]


def raters(count: int, items: int, error: float, seed: int = 3) -> Labels:
    """Ratings from 1 to 4 of the truth by people who err so often, each of whom leaves some items out."""
    random = np.random.default_rng(seed)
    truth = random.choice([1, 2, 3, 4], size=items, p=[0.5, 0.25, 0.15, 0.1])
    found: Labels = {}
    for number in range(count):
        errs = random.random(items) < error
        said = np.where(errs, random.integers(1, 5, items), truth)
        done = random.random(items) < 0.8
        found[f"A{number + 1}"] = {str(i): int(said[i]) for i in range(items) if done[i]}
    return found


@pytest.mark.parametrize("ordinal", [False, True])
def test_alpha_of_each_resample_is_that_of_its_pairs_one_by_one(ordinal: bool) -> None:
    said = raters(3, 40, 0.3)
    counts = np.zeros((40, 4))
    for one in said.values():
        for item, label in one.items():
            counts[int(item), label - 1] += 1
    counts = counts[counts.sum(axis=1) > 1]
    weights = np.concatenate(list(resample_weights(len(counts))))[:60]
    found = alphas(weights, counts, "ordinal" if ordinal else "nominal")
    for drawn, alpha in zip(weights.astype(int), found, strict=True):
        units = [
            [label for label, n in enumerate(row.astype(int)) for _ in range(n)]
            for row in np.repeat(counts, drawn, axis=0)
        ]
        assert alpha == pytest.approx(by_pairs(units, ordinal=ordinal), abs=1e-12)


def by_pairs(units: list[list[int]], *, ordinal: bool) -> float:
    """Alpha as 1 - observed / expected disagreement, each pair of labels looked at in turn."""
    given = Counter(label for unit in units for label in unit)

    def distance(a: int, b: int) -> float:
        if not ordinal:
            return float(a != b)
        between = sum(given[label] for label in range(min(a, b), max(a, b) + 1))
        return float((between - (given[a] + given[b]) / 2) ** 2)

    n = given.total()
    observed = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / n
    expected = sum(given[a] * given[b] * distance(a, b) for a in given for b in given) / (n * (n - 1))
    return 1 - observed / expected


def test_the_figures_of_all_hold_the_truth_within_their_intervals() -> None:
    found = reliability(raters(3, 400, 0.2))
    again = reliability(raters(3, 4_000, 0.2, seed=4))
    for name in ("exact", "alpha", "ac1"):
        interval, value = getattr(found, name).interval, getattr(again, name).value
        assert interval[0] < value < interval[1], name
        assert 0.02 < interval[1] - interval[0] < 0.15
    assert found.n < 400  # those that only one has labelled don't count
    assert found.alpha.value == krippendorff_alpha(list(raters(3, 400, 0.2).values()))
    assert found.as_json() == reliability(raters(3, 400, 0.2)).as_json()


def test_of_two_who_label_all_the_figures_are_those_for_two() -> None:
    both: Mapping[str, Mapping[str, str]] = {
        "A1": {str(i): "yes" if i % 7 else "no" for i in range(60)},
        "A2": {str(i): "yes" if i % 5 else "no" for i in range(60)},
    }
    first, second = (list(one.values()) for one in both.values())
    assert reliability(both).ac1.value == pytest.approx(gwet_ac1(first, second))
    [pair] = pair_reliabilities(both)
    assert pair.kappa.value == pytest.approx(cohen_kappa(first, second))
    assert pair.labels == ("no", "yes")
    assert sum(map(sum, pair.confusion)) == 60
    assert pair.confusion[0][1] == sum(a == "no" and b == "yes" for a, b in zip(first, second, strict=True))
    assert pair.kappa.interval is not None
    assert pair.kappa.interval[0] < (pair.kappa.value or 0) < pair.kappa.interval[1]


def test_weighted_kappa_is_that_of_statsmodels() -> None:
    said = raters(2, 200, 0.4)
    shared = [i for i in said["A1"] if i in said["A2"]]
    first, second = ([said[name][i] for i in shared] for name in ("A1", "A2"))
    table = np.zeros((4, 4))
    for a, b in zip(first, second, strict=True):
        table[a - 1, b - 1] += 1
    told = cohens_kappa(table, wt="quadratic").kappa
    assert weighted_kappa(first, second, (1, 2, 3, 4)) == pytest.approx(told)
    [pair] = pair_reliabilities(said, ordinal=True)
    assert pair.kappa.value == pytest.approx(told)
    assert weighted_kappa([], [], (1, 2)) is None
    assert weighted_kappa([1, 1], [1, 1], (1, 2)) is None


def test_who_is_off_is_the_one_without_whom_the_others_agree_more() -> None:
    said = raters(3, 200, 0.1) | {"A4": raters(1, 200, 0.9, seed=9)["A1"]}
    left = without_each(said)
    assert max(left, key=lambda name: left[name] or 0) == "A4"
    assert (left["A4"] or 0) > (krippendorff_alpha(list(said.values())) or 0) + 0.1
    assert without_each(raters(2, 20, 0.1)) == {}


def test_without_anything_in_common_or_any_variety_nothing_is_defined() -> None:
    apart = reliability({"A1": {"a": 1}, "A2": {"b": 2}})
    assert (apart.n, apart.alpha.value, apart.exact.value) == (0, None, None)
    same = reliability({"A1": {"a": 1, "b": 1}, "A2": {"a": 1, "b": 1}})
    assert (same.n, same.alpha.value, same.exact.value) == (2, None, 1.0)
    assert pair_reliabilities({"A1": {"a": 1}, "A2": {"b": 2}}) == []
