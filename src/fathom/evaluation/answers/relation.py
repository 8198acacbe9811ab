"""BioScores against what execution says, and against other judges' (docs/metrics.md)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.evaluation.metrics import Correlation, cramers_v, exact_agreement, pearson, spearman

SCORES = (-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Every BioScore that there can be."""
JACCARD_BINS = ("0", "(0, 0.5)", "[0.5, 1)", "1")


def jaccard_bin(value: float) -> str:
    """The bin that BiomedSQL's heat map puts a Jaccard index into."""
    if value <= 0:
        return JACCARD_BINS[0]
    if value >= 1:
        return JACCARD_BINS[3]
    return JACCARD_BINS[1] if value < 0.5 else JACCARD_BINS[2]


def bound_up(
    labels: Mapping[str, str], scores: Mapping[str, float], order: Sequence[str], *, first: bool = False
) -> dict[str, Any]:
    """How far labels of questions and their BioScores go together: counts, and Cramer's V with its p.

    With `first` V is of the first label against all others, as BiomedSQL's is of an EX of 1 or 0; that of
    all labels stands beside it.
    """
    shared = [q for q in labels if q in scores]
    given = [scores[q] for q in shared]
    found = cramers_v([labels[q] for q in shared], given)
    binary = {"cramers_v_of_all": _as_json(found)} if first else {}
    if first:
        found = cramers_v([labels[q] == order[0] for q in shared], given)
    counts = Counter((labels[q], scores[q]) for q in shared)
    return {
        "n": len(shared),
        "rows": list(order),
        "columns": list(SCORES),
        "counts": [[counts[label, score] for score in SCORES] for label in order],
        "cramers_v": _as_json(found),
        **binary,
    }


def agreement_of(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, Any]:
    """How far two judges' BioScores agree: counts of each pair of scores, exact agreement, correlations."""
    shared = [q for q in first if q in second]
    a, b = [first[q] for q in shared], [second[q] for q in shared]
    counts = Counter(zip(a, b, strict=True))
    return {
        "n": len(shared),
        "rows": list(SCORES),
        "columns": list(SCORES),
        "counts": [[counts[x, y] for y in SCORES] for x in SCORES],
        "exact": exact_agreement(a, b),
        "spearman": _as_json(spearman(a, b)),
        "pearson": _as_json(pearson(a, b)),
    }


def _as_json(found: Correlation | None) -> dict[str, Any] | None:
    return None if found is None else {"value": found.value, "p": found.p, "n": found.n}
