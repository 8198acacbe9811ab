"""Partial credit for one result against another (docs/metrics.md)."""

from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import zip_longest
from typing import Any

Row = Sequence[Any]


def jaccard(first: Set[Hashable], second: Set[Hashable]) -> float:
    """|A ∩ B| / |A ∪ B|; 1 when both are empty."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def soft_f1(predicted: Iterable[Row], gold: Iterable[Row]) -> float:
    """The soft F1 score of BIRD mini-dev, from 0 to 1.

    Duplicate rows are dropped on each side and row i is paired with row i. A gold row of c columns adds
    its matched values / c to the true positives, the values that only the prediction (only the gold) has
    / c to the false positives (negatives). A row without a partner counts 1. Two empty results give 1.
    """
    ours, theirs = _distinct(predicted), _distinct(gold)
    if not ours and not theirs:
        return 1.0
    hit = extra = lost = 0.0
    for mine, yours in zip_longest(ours, theirs):
        if yours is None:
            extra += 1
        elif mine is None:
            lost += 1
        else:
            width = len(yours)
            hit += sum(value in yours for value in mine) / width
            extra += sum(value not in yours for value in mine) / width
            lost += sum(value not in mine for value in yours) / width
    precision = hit / (hit + extra) if hit + extra else 0.0
    recall = hit / (hit + lost) if hit + lost else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _distinct(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    kept = [tuple(row) for row in rows]
    try:
        return list(dict.fromkeys(kept))
    except TypeError:  # a cell holds a list or a mapping, as DuckDB and PostgreSQL may return
        return list({repr(row): row for row in kept}.values())
