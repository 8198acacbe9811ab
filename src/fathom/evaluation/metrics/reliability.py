"""How far any number of annotators agree on labels, each figure with its bootstrap interval by item.

Intervals resample items, not labels: the labels of one item aren't independent. What is resampled are sums
over items, so that two thousand resamples cost as much as a few evaluations of a library's function.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fathom.evaluation.metrics.agreement import exact_agreement
from fathom.evaluation.metrics.alpha import Annotations, Level, alphas, krippendorff_alpha
from fathom.evaluation.metrics.rates import Floats, resample_weights

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval; None where it isn't defined."""

    value: float | None
    interval: Interval | None

    def as_json(self) -> dict[str, Any]:
        """The figure as JSON values."""
        return {"value": self.value, "interval": list(self.interval) if self.interval else None}


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far annotators agree on the `n` items that two or more of them labelled.

    `exact` is the share of pairs of labels of one item that are the same, `alpha` Krippendorff's, on the
    ordinal scale where labels have an order; `ac1` Gwet's, which holds where one label is frequent.
    """

    n: int
    labels: tuple[Hashable, ...]
    exact: Estimate
    alpha: Estimate
    ac1: Estimate
    ordinal: bool

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "n": self.n,
            "labels": list(self.labels),
            "ordinal": self.ordinal,
            "exact": self.exact.as_json(),
            "alpha": self.alpha.as_json(),
            "ac1": self.ac1.as_json(),
        }


@dataclass(frozen=True, slots=True)
class PairReliability:
    """How far two people agree on the `n` items that both labelled.

    `kappa` is Cohen's, with quadratic weights where labels have an order. `confusion` counts items by the
    first one's label (rows) and the second one's (columns), in the order of `labels`.
    """

    annotators: tuple[str, str]
    n: int
    labels: tuple[Hashable, ...]
    exact: float
    kappa: Estimate
    confusion: tuple[tuple[int, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "annotators": list(self.annotators),
            "n": self.n,
            "labels": list(self.labels),
            "exact": self.exact,
            "kappa": self.kappa.as_json(),
            "confusion": [list(row) for row in self.confusion],
        }


def reliability(annotations: Mapping[str, Mapping[str, Hashable]], *, ordinal: bool = False) -> Reliability:
    """The figures of all annotators together: labels by item, by annotator, any of whom may have gaps."""
    labels = _in_order(annotations, ordinal=ordinal)
    counts = _counts(list(annotations.values()), labels)
    twice = counts[counts.sum(axis=1) > 1]
    level: Level = "ordinal" if ordinal else "nominal"
    alpha = krippendorff_alpha(list(annotations.values()), level=level)
    if not len(twice):
        nothing = Estimate(None, None)
        return Reliability(0, labels, nothing, nothing, nothing, ordinal)
    one = np.ones((1, len(twice)))
    return Reliability(
        len(twice),
        labels,
        Estimate(_number(_exact(one, twice)[0]), _interval(lambda w: _exact(w, twice), len(twice))),
        Estimate(alpha, _interval(lambda w: alphas(w, twice, level), len(twice))),
        Estimate(_number(_ac1(one, twice)[0]), _interval(lambda w: _ac1(w, twice), len(twice))),
        ordinal,
    )


def pair_reliabilities(
    annotations: Mapping[str, Mapping[str, Hashable]], *, ordinal: bool = False
) -> list[PairReliability]:
    """The figures of each two annotators who labelled some of the same items."""
    labels, found = _in_order(annotations, ordinal=ordinal), []
    place = {label: i for i, label in enumerate(labels)}
    for one, other in combinations(annotations, 2):
        items = [item for item in annotations[one] if item in annotations[other]]
        if not items:
            continue
        first, second = ([annotations[name][i] for i in items] for name in (one, other))
        table = np.zeros((len(items), len(labels), len(labels)))
        for row, (a, b) in enumerate(zip(first, second, strict=True)):
            table[row, place[a], place[b]] = 1
        kappa = _number(_kappas(np.ones((1, len(items))), table, ordinal=ordinal)[0])
        interval = _interval(lambda w, t=table: _kappas(w, t, ordinal=ordinal), len(items))
        confusion = tuple(tuple(int(n) for n in row) for row in table.sum(axis=0))
        exact = exact_agreement(first, second) or 0.0
        found.append(
            PairReliability((one, other), len(items), labels, exact, Estimate(kappa, interval), confusion)
        )
    return found


def weighted_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], order: Sequence[Hashable]
) -> float | None:
    """Cohen's kappa with quadratic weights over labels in their order (Cohen 1968).

    None where it isn't defined: no items, or both always give the one same label.
    """
    place = {label: i for i, label in enumerate(order)}
    table = np.zeros((len(first), len(order), len(order)))
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        table[row, place[a], place[b]] = 1
    return _number(_kappas(np.ones((1, len(first))), table, ordinal=True)[0]) if len(first) else None


def without_each(
    annotations: Mapping[str, Mapping[str, Hashable]], *, ordinal: bool = False
) -> dict[str, float | None]:
    """Krippendorff's alpha without each annotator in turn: where it rises, that one is off.

    Empty where no two would be left.
    """
    if len(annotations) < 3:
        return {}
    level: Level = "ordinal" if ordinal else "nominal"
    return {
        name: krippendorff_alpha([a for other, a in annotations.items() if other != name], level=level)
        for name in annotations
    }


def _exact(weights: Floats, counts: Floats) -> Floats:
    """The share of pairs of labels that are the same, each item counting once."""
    found: Floats = (weights @ _agreed(counts)) / weights.sum(axis=1)
    return found


def _agreed(counts: Floats) -> Floats:
    given = counts.sum(axis=1)
    found: Floats = (counts * (counts - 1)).sum(axis=1) / (given * (given - 1))
    return found


def _ac1(weights: Floats, counts: Floats) -> Floats:
    """Gwet's AC1 for any number of annotators (Gwet 2008, section 4)."""
    share = weights @ (counts / counts.sum(axis=1)[:, None]) / weights.sum(axis=1)[:, None]
    used = (share > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (share * (1 - share)).sum(axis=1) / (used - 1)
        found: Floats = (_exact(weights, counts) - chance) / (1 - chance)
    return found


def _kappas(weights: Floats, table: Floats, *, ordinal: bool) -> Floats:
    """Cohen's kappa of each resample; `table` (items x labels x labels) marks what both said."""
    items, width, _ = table.shape
    seen = (weights @ table.reshape(items, -1)).reshape(-1, width, width)
    seen /= seen.sum(axis=(1, 2), keepdims=True)
    expected = seen.sum(axis=2)[:, :, None] * seen.sum(axis=1)[:, None, :]
    places = np.arange(width)
    apart = (places[:, None] - places[None, :]) ** 2 if ordinal else 1 - np.eye(width)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = 1 - (seen * apart).sum(axis=(1, 2)) / (expected * apart).sum(axis=(1, 2))
    return found


def _interval(figure: Any, items: int) -> Interval | None:
    """The percentile interval of a figure over resampled items; None where too few resamples define it."""
    drawn = np.concatenate([figure(weights) for weights in resample_weights(items)])
    defined = drawn[np.isfinite(drawn)]
    if 2 * len(defined) < len(drawn):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _in_order(annotations: Mapping[str, Mapping[str, Hashable]], *, ordinal: bool) -> tuple[Hashable, ...]:
    used = {label for one in annotations.values() for label in one.values()}
    return tuple(sorted(used, key=lambda v: (float(str(v)) if ordinal else 0.0, str(v))))


def _counts(annotations: Annotations, labels: Sequence[Hashable]) -> Floats:
    """How many gave each label, items x labels."""
    items = list(dict.fromkeys(item for one in annotations for item in one))
    row, column = ({name: i for i, name in enumerate(names)} for names in (items, labels))
    found = np.zeros((len(items), len(labels)))
    for one in annotations:
        for item, label in one.items():
            found[row[item], column[label]] += 1
    return found
