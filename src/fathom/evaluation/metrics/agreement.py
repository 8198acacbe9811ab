"""Side-by-side preference, and how far people agree (arXiv 2605.05758)."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LABELS = ("A", "B", "both_good", "both_bad")


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of two answers people prefer: each wins some, both are good at others, both bad at the rest."""

    first: int
    second: int
    both_good: int
    both_bad: int

    @classmethod
    def of(cls, labels: Sequence[str]) -> "Preference":
        """Count labels of `LABELS`. Raises `ValueError` for any other."""
        counts = Counter(labels)
        if unknown := counts.keys() - set(LABELS):
            raise ValueError(f"{sorted(unknown)[0]!r} is no label; there is: {', '.join(LABELS)}")
        return cls(*(counts[label] for label in LABELS))

    @property
    def n(self) -> int:
        """All judgements."""
        return self.first + self.second + self.both_good + self.both_bad

    @property
    def adjusted(self) -> tuple[float, float]:
        """Wins of the first and of the second with the ties split evenly; they add up to `n`."""
        ties = self.both_good + self.both_bad
        return self.first + ties / 2, self.second + ties / 2

    @property
    def win_rate(self) -> float | None:
        """The first's adjusted share of all judgements; None when there are none."""
        return self.adjusted[0] / self.n if self.n else None

    def as_json(self) -> dict[str, Any]:
        """Counts and rates as JSON values."""
        first, second = self.adjusted
        return {
            "n": self.n,
            "A": self.first,
            "B": self.second,
            "both_good": self.both_good,
            "both_bad": self.both_bad,
            "adjusted": [first, second],
            "win_rate": self.win_rate,
        }


def exact_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """The share of items that two annotators label alike; None for no items."""
    pairs = list(zip(first, second, strict=True))
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two annotators beyond chance, chance from each one's own margins (Cohen 1960).

    None where it isn't defined: no items, or both always give the one same label.
    """
    observed = exact_agreement(first, second)
    if observed is None:
        return None
    n, ours, theirs = len(first), Counter(first), Counter(second)
    expected = sum(count * theirs[label] for label, count in ours.items()) / n**2
    return (observed - expected) / (1 - expected) if expected < 1 else None


def gwet_ac1(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two annotators beyond chance, chance from how even the labels are (Gwet 2008).

    Unlike kappa it stays near the agreement seen where one label is rare. None for no items, or one label.
    """
    observed = exact_agreement(first, second)
    labels = {*first, *second}
    if observed is None or len(labels) < 2:
        return None
    counts, n = Counter([*first, *second]), 2 * len(first)
    chance = sum(c / n * (1 - c / n) for c in counts.values()) / (len(labels) - 1)
    return (observed - chance) / (1 - chance)


def accuracy_where_agreed(
    judge: Mapping[str, Hashable], people: Sequence[Mapping[str, Hashable]]
) -> tuple[int, int]:
    """How many labels of a judge are right where all people agree, and on how many items they do."""
    shared = [i for i in judge if all(i in p for p in people)]
    agreed = {i: people[0][i] for i in shared if people and len({p[i] for p in people}) == 1}
    return sum(judge[i] == label for i, label in agreed.items()), len(agreed)


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient with its p-value over `n` items."""

    value: float
    p: float
    n: int


def pearson(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """Pearson's correlation; None with fewer than three items, or where one side never varies."""
    return _correlation("pearsonr", first, second)


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """Spearman's rank correlation; None as for Pearson's."""
    return _correlation("spearmanr", first, second)


def cramers_v(first: Sequence[Hashable], second: Sequence[Hashable]) -> Correlation | None:
    """How far two labels are bound up, 0 to 1, with the chi-squared test's p; None where one never varies."""
    from scipy import stats  # noqa: PLC0415, slow to import

    counts = Counter(zip(first, second, strict=True))
    rows, columns = list(dict.fromkeys(first)), list(dict.fromkeys(second))
    if min(len(rows), len(columns)) < 2:
        return None
    table = np.array([[counts[a, b] for b in columns] for a in rows])
    p = float(stats.chi2_contingency(table, correction=False).pvalue)
    return Correlation(float(stats.contingency.association(table, method="cramer")), p, len(first))


def _correlation(name: str, first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    from scipy import stats  # noqa: PLC0415

    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    found = getattr(stats, name)(first, second)
    return Correlation(float(found.statistic), float(found.pvalue), len(first))
