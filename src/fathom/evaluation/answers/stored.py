"""Judging the answers in words of a stored run; stopped or killed, it goes on where it was."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.benchmarks import Benchmark
from fathom.errors import InputError
from fathom.evaluation.answers.judge import Judgement, judge_answer
from fathom.evaluation.answers.reply_files import as_they_come, by_model, damaged, kept_lines
from fathom.evaluation.runs.folder import (
    JUDGEMENTS,
    PEOPLE,
    RunError,
    RunInUse,
    read_configuration,
    read_records,
)
from fathom.evaluation.runs.record import QuestionRecord
from fathom.files import write_whole
from fathom.llm import Model

_LOCK = "judgements.lock"


def judge_run(benchmark: Benchmark, folder: Path, model: Model) -> list[Judgement]:
    """Judge a run's answers by the benchmark's gold answers and keep each in the run's `judgements.jsonl`.

    Questions without a gold answer are passed over. What was judged before isn't asked again, what stayed
    unjudged is. Raises `InputError` where there are no words or no gold answers, `RunError` where the run is
    of other questions or judged by another model, `RunInUse`, and what `judge_answer` raises.
    """
    check_run_is_of(benchmark, folder)
    gold = {q.id: q.answer for q in benchmark if q.answer.strip()}
    if not gold:
        raise InputError(f"the questions of {benchmark.name} have no gold answers in words to judge by")
    records = [r for r in read_records(folder) if r.id in gold]
    if not any(r.words.strip() for r in records):
        raise InputError("has no answers in words; measure a method that gives them", file=folder)
    try:
        with FileLock(folder / _LOCK, timeout=0):
            return _judge(records, gold, folder / JUDGEMENTS, model)
    except Timeout:
        raise RunInUse(folder) from None


def check_run_is_of(benchmark: Benchmark, folder: Path) -> None:
    """Raises `RunError` where a run is over other questions than a benchmark's."""
    if read_configuration(folder)["configuration"].get("digest") != benchmark.digest:
        raise RunError(f"{folder} is a run over other questions than {benchmark.name}; name its benchmark.")


def read_judgements(folder: Path) -> dict[str, list[Judgement]]:
    """A run's judgements by the model or person that judges; nothing where it wasn't judged.

    Raises `InputError`.
    """
    return read_judgements_of(folder / JUDGEMENTS) | read_judgements_of(folder / PEOPLE)


def read_judgements_of(file: Path) -> dict[str, list[Judgement]]:
    """The judgements in one file by who judges; nothing where there is none. Raises `InputError`."""
    found: dict[str, list[Judgement]] = {}
    for judgement, judge in _lines(file, kept_lines(file)):
        found.setdefault(judge, []).append(judgement)
    return found


def _judge(
    records: list[QuestionRecord], gold: Mapping[str, str], file: Path, model: Model
) -> list[Judgement]:
    kept = _read(file, model.name)
    # Anew without the unjudged and a torn last line, so that each question has one line.
    write_whole(file, "".join(_line(j, model.name) for j in kept.values()))
    jobs = [
        partial(judge_answer, r.id, r.question, gold[r.id], r.words, model)
        for r in records
        if r.id not in kept
    ]
    for found in asyncio.run(as_they_come(jobs, file, lambda j: _line(j, model.name))):
        kept[found.id] = found
    return [kept[r.id] for r in records]


def _line(judgement: Judgement, model: str) -> str:
    return json.dumps({**judgement.as_json(), "model": model}, ensure_ascii=False) + "\n"


def _read(file: Path, model: str) -> dict[str, Judgement]:
    """Read this model's judgements. Raises `RunError` where another model judged."""
    found = {one.id: one for one, _ in _lines(file, by_model(file, model))}
    return {key: one for key, one in found.items() if one.score is not None}


def _lines(file: Path, lines: Iterator[tuple[int, Mapping[str, Any]]]) -> Iterator[tuple[Judgement, str]]:
    """Each judgement with the name of its judge."""
    for number, content in lines:
        try:
            yield Judgement(content["id"], content["score"], content["reason"]), str(content["model"])
        except KeyError as error:
            raise damaged(file, number) from error
