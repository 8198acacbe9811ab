"""How often questions as people type them are answered, and rightly: our own questions."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import ask_by_split, kept, rate

TITLE = "Plain questions to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "plain.yaml"
RIGHT_OF_ANSWERED = 0.9


def measure() -> Iterator[Figure]:
    for split, asked in ask_by_split(QUESTIONS, ("questions",)):
        answered = kept(asked)
        met = sum(a.right for a in answered) >= RIGHT_OF_ANSWERED * len(answered)
        yield Figure(f"split {split}: right best guesses", rate(asked))
        yield Figure(f"split {split}: answered", f"{len(answered) / len(asked):.1%}")
        yield Figure(
            f"split {split}: right of those answered", rate(answered), f"{RIGHT_OF_ANSWERED:.0%}", met
        )
