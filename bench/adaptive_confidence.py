"""How far the confidence of `adaptive` can be trusted, where neither databases nor chances taught it."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.figures import Figure
from bench.methods import sample
from bench.simulated import Gold, Simulated
from bench.simulated.asking import SECONDS, Pick, remember
from bench.simulated.confidence import judged_databases
from fathom.databases import connect
from fathom.evaluation.metrics import calibration, calibration_error
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, find_method, run_method

TITLE = "How sure adaptive is, over a simulated model"
MODELS = "simulated"
SAMPLE = {"sql-eval": 100, "spider": 120}
"""Of these, the questions about databases that the confidence wasn't learned from are asked: about half."""
CHANCES = (0.4, 0.6, 0.8)
SURE = 0.8


@dataclass(frozen=True)
class Answered:
    """What became of one question: how sure the method was, whether it asked back, whether it is right."""

    chance: float
    confidence: float
    asked_back: bool
    right: bool


def measure() -> Iterable[Figure]:
    judged = judged_databases()
    picks = [pick for pick in sample(SAMPLE) if pick[0].database_name in judged]
    answered = list(_ask(picks))
    told = f"{len(picks)} questions of {len({q.database for q, _ in picks})} databases"
    for chance in CHANCES:
        yield from _figures(f"p = {chance}", [a for a in answered if a.chance == chance], told)
    yield from _figures("all p", answered, f"p = {', '.join(map(str, CHANCES))} together")


def _ask(picks: Sequence[Pick]) -> Iterator[Answered]:
    method = find_method("adaptive")
    by_database: dict[str, list[Pick]] = defaultdict(list)
    for pick in picks:
        by_database[pick[0].database].append(pick)
    with TemporaryDirectory() as cache:
        for place, asked in by_database.items():
            with connect(place) as database:
                remember(database)
                context = Context(database, cache=Path(cache))
                for question, comparison in asked:
                    gold = Gold(question.text, question.gold[0], database.schema)
                    for chance in CHANCES:
                        asking = replace(context, model=Simulated(chance, [gold]).model())
                        draft = asyncio.run(run_method(method, question.question, asking))
                        marks = judge(Exam(question, respond(draft), comparison, seconds=SECONDS))
                        right = marks.final.outcome is Outcome.CORRECT
                        yield Answered(chance, draft.confidence or 0.0, len(draft.readings) > 1, right)


def _figures(which: str, answered: Sequence[Answered], note: str) -> Iterator[Figure]:
    said, right = [a.confidence for a in answered], [a.right for a in answered]
    error = calibration_error(calibration(said, right)) or 0.0
    value = f"{error:.3f}"
    yield Figure(
        f"{which}: calibration error",
        value,
        note=f"said {np.mean(said):.0%}, right {np.mean(right):.0%}; {note}",
    )
    sure = [a.right for a in answered if a.confidence >= SURE]
    yield Figure(
        f"{which}: right where at least {SURE:.0%} sure",
        f"{np.mean(sure):.1%} ({sum(sure)}/{len(sure)})",
        note=f"coverage {len(sure) / len(answered):.0%}",
    )
    back = [a.right for a in answered if a.asked_back]
    yield Figure(
        f"{which}: asked back",
        f"{len(back)} of {len(answered)}",
        note=f"its first reading right in {sum(back)}" if back else "",
    )
