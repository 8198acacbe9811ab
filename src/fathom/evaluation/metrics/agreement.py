"""Side-by-side preference, and how far people agree (specs/biotool.md, section 5.4)."""

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


def krippendorff_alpha(
    annotations: Sequence[Mapping[str, Hashable]], *, interval: bool = False
) -> float | None:
    """Krippendorff's alpha; `annotations` has one mapping of item to label for each annotator.

    Any number of annotators, each of whom may have left items out. Labels are names, or numbers whose
    distance counts where `interval` is set. None where it isn't defined: no item labelled twice, or only
    one label in use.
    """
    import krippendorff  # noqa: PLC0415, few need it

    items = list(dict.fromkeys(item for annotator in annotations for item in annotator))
    labels = sorted({str(label) for annotator in annotations for label in annotator.values()})
    numbers = {label: float(label) if interval else float(n) for n, label in enumerate(labels)}
    data = np.array(
        [[numbers[str(a[i])] if i in a else np.nan for i in items] for a in annotations], dtype=np.float64
    )
    twice = data[:, (~np.isnan(data)).sum(axis=0) > 1]
    if not twice.size or len(np.unique(twice[~np.isnan(twice)])) < 2:
        return None
    found = krippendorff.alpha(data, level_of_measurement="interval" if interval else "nominal")
    return float(found)
