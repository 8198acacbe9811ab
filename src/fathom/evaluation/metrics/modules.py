"""How each module does by itself (docs/metrics.md): selection, generation, revision."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from fathom.evaluation.metrics.rates import Mean, Rate
from fathom.evaluation.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and F1 of what was selected against what was needed, for one question."""

    precision: float
    recall: float
    f1: float


def overlap(selected: Set[str], needed: Set[str]) -> Overlap:
    """Compare two sets of folded names. Selecting nothing where nothing is needed is perfect."""
    if not selected and not needed:
        return Overlap(1.0, 1.0, 1.0)
    hit = len(selected & needed)
    precision = hit / len(selected) if selected else 0.0
    recall = hit / len(needed) if needed else 1.0
    return Overlap(
        precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    )


def pass_at(questions: Mapping[tuple[Outcome, ...], int], k: int) -> Rate:
    """Share of questions with at least one right query among the first k candidates.

    Maps the candidates' outcomes, in order, to the number of questions that have them.
    """
    solved = sum(n for outcomes, n in questions.items() if Outcome.CORRECT in outcomes[:k])
    return Rate(solved, sum(questions.values()))


@dataclass(frozen=True, slots=True)
class Transitions:
    """The changes by query revision, from the outcome that entered it (pre) to the one that left (post).

    Each is a `Rate` over its base, so that an empty base is not defined. `gain` is CI, None where
    nothing was correct before.
    """

    pre: Rate
    post: Rate
    incorrect_to_correct: Rate
    error_to_correct: Rate
    correct_to_incorrect: Rate
    correct_to_error: Rate

    @property
    def gain(self) -> float | None:
        """CI = (CR_post - CR_pre) / CR_pre."""
        return (self.post.hits - self.pre.hits) / self.pre.hits if self.pre.hits else None

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values, under the field's short names."""
        return {
            "n": self.pre.trials,
            "pre": self.pre.as_json(),
            "post": self.post.as_json(),
            "CI": self.gain,
            "I2C": self.incorrect_to_correct.as_json(),
            "E2C": self.error_to_correct.as_json(),
            "C2I": self.correct_to_incorrect.as_json(),
            "C2E": self.correct_to_error.as_json(),
        }


def transitions(moves: Mapping[tuple[Outcome, Outcome], int]) -> Transitions:
    """Revision metrics from the number of questions that moved from each outcome to each."""

    def became(before: Outcome, after: Outcome) -> Rate:
        base = sum(n for (was, _), n in moves.items() if was is before)
        return Rate(moves.get((before, after), 0), base)

    n = sum(moves.values())
    right = Outcome.CORRECT
    return Transitions(
        pre=Rate(sum(c for (was, _), c in moves.items() if was is right), n),
        post=Rate(sum(c for (_, now), c in moves.items() if now is right), n),
        incorrect_to_correct=became(Outcome.INCORRECT, right),
        error_to_correct=became(Outcome.ERROR, right),
        correct_to_incorrect=became(right, Outcome.INCORRECT),
        correct_to_error=became(right, Outcome.ERROR),
    )


@dataclass(frozen=True, slots=True)
class Conditioned:
    """Correct rate where the schema was found whole and where it wasn't, and recall by correctness."""

    full_recall: Rate
    partial_recall: Rate
    recall_when_right: Mean
    recall_when_wrong: Mean


def condition_on_recall(questions: Sequence[tuple[float, bool]]) -> Conditioned:
    """Condition correctness on schema recall; each question gives (recall, right)."""
    return Conditioned(
        Rate.of(right for recall, right in questions if recall >= 1),
        Rate.of(right for recall, right in questions if recall < 1),
        Mean.of([recall for recall, right in questions if right]),
        Mean.of([recall for recall, right in questions if not right]),
    )
