"""How often a second round of people's questions is answered, and rightly: our own."""

from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import tell_by_split

TITLE = "More questions of people to the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "second_round.yaml"
RIGHT_OF_ANSWERED = 0.9


def measure() -> Iterator[Figure]:
    return tell_by_split(QUESTIONS, RIGHT_OF_ANSWERED)
