"""How often people's everyday questions are answered, and rightly: our own, on eight more databases."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.first_questions import RIGHT_OF_ANSWERED
from bench.questions.asking import tell_by_split

TITLE = "Everyday questions of people to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "everyday.yaml"


def measure() -> Iterator[Figure]:
    return tell_by_split(QUESTIONS, RIGHT_OF_ANSWERED)
