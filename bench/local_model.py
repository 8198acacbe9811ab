"""The method `local` with a real model of this machine, beside `offline`, on a stranger's questions.

The model is that of `FATHOM_MODEL`, or the preferred one that is fetched. It takes some ten seconds a
question on two cores. `--only develop` or `--only measure` asks one half, `--every N` every Nth question.
"""

import asyncio
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from bench.figures import Figure, thinned, wanted
from bench.newcomers import QUESTIONS
from bench.offline import rate
from bench.questions.asking import asked_alone, file_of
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.llm import Model, open_model
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.local.offline_first import offline_reading

TITLE = "A small model on this machine, beside the offline method"


@dataclass(frozen=True)
class Asked:
    """A question's fate: whether the best guess is right, whether it is sure, whether a right one is shown,
    the same of `offline`, and seconds."""

    right: bool
    sure: bool
    shown: bool
    offline_right: bool
    offline_sure: bool
    seconds: float


def measure() -> Iterator[Figure]:
    with open_model(os.environ.get("FATHOM_MODEL") or "local") as model, TemporaryDirectory() as folder:
        for split in ("develop", "measure"):
            if wanted(split) and (asked := list(_ask(split, model, Path(folder)))):
                yield from _figures(f"{model.name}, split {split}", asked)


def _ask(split: str, model: Model, folder: Path) -> Iterator[Asked]:
    cases = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    for name, case in cases.items():
        if case["split"] == split:
            file = file_of(name, folder)
            with connect(str(file)) as database:
                context = Context(database, cache=folder, model=model)
                for text, one in thinned(list(asked_alone(case["questions"]))):
                    gold = tuple(one["gold"])
                    yield _asked(BenchmarkQuestion(text, text, str(file), gold, database_name=name), context)


def _asked(question: BenchmarkQuestion, context: Context) -> Asked:
    started = time.perf_counter()
    draft = asyncio.run(run_method(find_method("local"), question.question, context))
    seconds = time.perf_counter() - started
    response, reading = respond(draft), offline_reading(draft)

    def is_right(sql: str | None) -> bool:
        exam = Exam(question, replace(response, sql=sql, candidates=(), shown=()), "sql_eval", seconds=5.0)
        return bool(sql) and judge(exam).final.outcome.value == "correct"

    return Asked(
        is_right(draft.sql),
        not response.declined,
        any(is_right(sql) for sql in response.shown),
        is_right(reading.sql),
        reading.answers,
        seconds,
    )


def _figures(what: str, asked: list[Asked]) -> Iterator[Figure]:
    total = len(asked)
    sure, own = [a for a in asked if a.sure], [a for a in asked if a.offline_sure]
    wrong = [a for a in own if not a.offline_right]
    yield rate(f"{what}: right best guesses", sum(a.right for a in asked), total)
    yield rate(f"{what}: offline's right best guesses", sum(a.offline_right for a in asked), total)
    yield rate(f"{what}: right of those answered", sum(a.right for a in sure), len(sure))
    yield rate(f"{what}: offline's right of those answered", sum(a.offline_right for a in own), len(own))
    shown = sum(a.shown or (a.sure and a.right) for a in asked)
    yield rate(f"{what}: right among those answered or shown", shown, total)
    doubted = sum(not a.sure for a in wrong)
    yield Figure(f"{what}: offline's wrong answers, doubted", f"{doubted} of {len(wrong)}")
    yield Figure(f"{what}: seconds a question, median", f"{statistics.median(a.seconds for a in asked):.1f}")
