"""How often questions about money, units and who is above whom are answered, and rightly: our own."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import tell_by_split

TITLE = "Business questions to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "business.yaml"
RIGHT_OF_ANSWERED = 0.9


def measure() -> Iterator[Figure]:
    return tell_by_split(QUESTIONS, RIGHT_OF_ANSWERED)
