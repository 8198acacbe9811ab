"""How often questions by period and questions of shares are answered, and rightly: our own questions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.figures import Figure
from bench.questions.asking import Asked, ask_by_split, tell
from bench.questions.small import SMALL

TITLE = "Periods and shares in the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "periods_and_shares.yaml"
RIGHT_OF_ANSWERED = 0.85


def measure() -> Iterator[Figure]:
    for split, asked in ask_by_split(QUESTIONS, ("periods", "shares")):
        for kind in ("periods", "shares"):
            yield from _figures(f"{kind}, split {split}", [a for a in asked if a.kind == kind])
        yield from _figures(f"both, split {split}", asked)


def _figures(what: str, asked: Sequence[Asked]) -> Iterator[Figure]:
    both = zip(*(tell(what, a, RIGHT_OF_ANSWERED) for a in (asked, _own(asked))), strict=True)
    for figure, own in both:
        yield replace(figure, note=f"databases of our own: {own.value}")


def _own(asked: Sequence[Asked]) -> list[Asked]:
    """Those on databases that no weight was learned from."""
    return [a for a in asked if a.database in SMALL]
