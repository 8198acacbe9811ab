"""The verdict of a comparison of two results."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

VerdictKind = Literal[
    "exact", "extra_columns", "missing_columns", "extra_rows", "missing_rows", "different", "error"
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a predicted result stands to a gold one.

    `correct` is the yes or no that rates count; `score`, from 0 to 1, is partial credit and 1 only for
    `exact`. `vacuous` marks agreement between two empty results. `jaccard` is given by comparisons of sets.
    `note` says in words what else people should know.
    """

    kind: VerdictKind
    correct: bool
    score: float
    vacuous: bool = False
    jaccard: float | None = None
    note: str = ""


def yes_or_no(same: bool, *, vacuous: bool = False, note: str = "") -> Verdict:
    """The verdict of a comparison that knows no degrees."""
    return Verdict(
        "exact" if same else "different", same, 1.0 if same else 0.0, vacuous=same and vacuous, note=note
    )


def best(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The best of several golds' verdicts: a correct one before a wrong one, then the higher score."""
    return max(verdicts, key=lambda v: (v.correct, v.score, not v.vacuous), default=None)
