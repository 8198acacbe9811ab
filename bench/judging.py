"""How long judging takes without a model: a hundred answers of five sentences over two databases."""

import asyncio
import time
from collections.abc import Iterator

from bench.figures import DATA, Figure
from fathom.analysis import Figures, Reader, Vocabulary
from fathom.answering import prepare
from fathom.authoring.judging import Expert, JudgedAnswer, judge_answer
from fathom.databases import connect

TITLE = "Judging answers without a model"
ANSWERS, SECONDS = 100, 60.0
_PLACES = ("Germany", "USA", "France", "Brazil", "UK", "Canada", "Argentina", "Austria", "Belgium", "Spain")


def measure() -> Iterator[Figure]:
    started, found = time.perf_counter(), list[JudgedAnswer]()
    for file, rows, number in (
        ("samples/northwind.sqlite", "orders", "freight"),
        ("samples/chinook.sqlite", "invoices", "total"),
    ):
        with connect(DATA / file) as database:
            vocabulary = Vocabulary(database)
            expert = Expert(prepare(database), Reader(vocabulary), Figures(vocabulary))
            for n in range(ANSWERS // 2):
                question, text = _answer(rows, number, n)
                found.append(asyncio.run(judge_answer(str(n), question, text, expert)))
    seconds = time.perf_counter() - started
    sentences = [s for judged in found for s in judged.sentences]
    judged_share = sum(s.right is not None for s in sentences) / len(sentences)
    note = f"{len(sentences)} sentences, {judged_share:.0%} judged"
    yield Figure(
        f"{len(found)} answers of five sentences", f"{seconds:.1f} s", "<= 60 s", seconds <= SECONDS, note
    )


def _answer(rows: str, number: str, n: int) -> tuple[str, str]:
    """A question of people and an answer, its figures true or not: judging takes as long."""
    here, there = _PLACES[n % 10], _PLACES[(n + 3) % 10]
    said = (
        f"The number of {rows} in {here} is {5 * n + 3}.",
        f"{here} has more {rows} than {there}.",
        f"The total {number} of {rows} has risen over time.",
        f"The number of {rows} will rise over the next {1 + n % 6} months.",
        f"In short, {here} remains a market that rewards patience.",
    )
    return f"How many {rows} are there from {here}?", " ".join(said)
