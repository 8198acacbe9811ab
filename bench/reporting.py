"""How often questions as reports need them are answered, and rightly: our own."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import tell_by_split

TITLE = "Reporting questions to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "reporting.yaml"
RIGHT_OF_ANSWERED = 0.9


def measure() -> Iterator[Figure]:
    return tell_by_split(QUESTIONS, RIGHT_OF_ANSWERED)
