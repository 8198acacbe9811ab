"""How often a stranger's questions to new databases are rightly answered, and the unanswerable declined."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import Asked, ask_by_split, tell

TITLE = "A stranger's questions to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "newcomers.yaml"
RIGHT_OF_ANSWERED = 0.93
RIGHTLY_ANSWERED = 40 / 55
"""Of 55 such questions to other databases 28 were rightly answered once; 40 are the aim."""
_NOTHING = "unanswerable"


def measure() -> Iterator[Figure]:
    for split, asked in ask_by_split(QUESTIONS, ("questions", _NOTHING)):
        answerable = [a for a in asked if a.kind != _NOTHING]
        yield from tell(f"split {split}", answerable, RIGHT_OF_ANSWERED)
        yield _rightly(split, answerable)
        nothing = [a for a in asked if a.kind == _NOTHING]
        value = f"{sum(a.declined for a in nothing)}/{len(nothing)}"
        yield Figure(f"split {split}: declined where nothing answers", value)


def _rightly(split: str, asked: list[Asked]) -> Figure:
    right = sum(a.right and not a.declined for a in asked)
    share = right / len(asked)
    return Figure(
        f"split {split}: rightly answered of all",
        f"{share:.1%} ({right}/{len(asked)})",
        f"{RIGHTLY_ANSWERED:.0%}",
        share >= RIGHTLY_ANSWERED,
    )
