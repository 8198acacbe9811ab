"""How often questions as people type them are answered, and rightly: our own questions."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import tell_by_split

TITLE = "Plain questions to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "plain.yaml"
RIGHT_OF_ANSWERED = 0.9


def measure() -> Iterator[Figure]:
    return tell_by_split(QUESTIONS, RIGHT_OF_ANSWERED)
