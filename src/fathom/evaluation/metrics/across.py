"""Measures of several runs over the same questions (docs/metrics.md)."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

from fathom.evaluation.metrics.rates import Rate


def correct_at_budget(
    spent: Sequence[tuple[float | None, bool]], budgets: Sequence[float]
) -> list[tuple[float, Rate]]:
    """CR@budget: the correct rate when a question over budget counts as wrong.

    Each question gives (what it cost, right); an unknown cost, None or NaN, is over every budget.
    """
    return [(b, Rate.of(right and cost is not None and cost <= b for cost, right in spent)) for b in budgets]


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names of the (cost, correct rate) points that no other one beats, cheapest first.

    A point is beaten by one that is no dearer and no worse, and better in one of both.
    """

    def beaten(name: str) -> bool:
        cost, rate = points[name]
        return any(
            c <= cost and r >= rate and (c, r) != (cost, rate) for n, (c, r) in points.items() if n != name
        )

    return sorted((n for n in points if not beaten(n)), key=lambda n: (points[n], n))


@dataclass(frozen=True, slots=True)
class FailureOverlap:
    """Questions that both got wrong, as a share of the fewer failures on what both were asked."""

    first: str
    second: str
    share: Rate


def failure_overlap(wrong: Mapping[str, Set[str]], asked: Mapping[str, Set[str]]) -> list[FailureOverlap]:
    """Each pair of runs; `asked` holds the ids that each was judged on, `wrong` those that it got wrong."""
    found = []
    for a, b in combinations(wrong, 2):
        ours, theirs = wrong[a] & asked[b], wrong[b] & asked[a]
        found.append(FailureOverlap(a, b, Rate(len(ours & theirs), min(len(ours), len(theirs)))))
    return found


def solved_by(right: Mapping[str, Set[str]], questions: Set[str]) -> list[int]:
    """How many of the questions exactly m runs solved, for m = 0 up to the number of runs."""
    times = Counter(q for solved in right.values() for q in solved if q in questions)
    spread = Counter(times.values())
    return [len(questions) - len(times), *(spread[m] for m in range(1, len(right) + 1))]
