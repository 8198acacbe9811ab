"""A model's answers to tool questions: without tools, shown the gold call's response, or that of a run.

These are what BioTool compares side by side (`fathom prefer`): plain answers, an oracle's, and a caller's.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.benchmarks.calls import ToolCall, gold_calls
from fathom.biotools.catalogue import check
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import FathomError, InputError, ModelFailed
from fathom.evaluation.answers.reply_files import as_they_come, by_model, damaged
from fathom.evaluation.runs.folder import RunError, read_records
from fathom.files import write_whole
from fathom.llm import Model
from fathom.llm.prompts import load

NOTHING, GOLD = "nothing", "gold"
"""The observations that a model may be shown, beside those in the folder of a run."""
_MOST_SHOWN = 8_000
"""Characters of what one call returned; what is over is cut, and the cut is told."""


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """A model's answer to one question; empty with the `problem` where there is none."""

    id: str
    question: str
    answer: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WordedAnswers:
    """How many questions are answered now, how many of these were before, and why others aren't, by id."""

    answered: int
    earlier: int
    problems: Mapping[str, str]


def write_answers(benchmark: Benchmark, file: Path, model: Model, client: Client, seen: str) -> WordedAnswers:
    """Have a model answer every question of a benchmark of calls, each answer kept in the file as it comes.

    It is shown `NOTHING`, the response of the `GOLD` call, or that of the call in the run whose folder `seen`
    is; where the run made none, it answers from what it knows. What has no answer is asked again the next
    time.

    Raises `InputError` for a damaged file and for one that another command is writing, `RunError` for one of
    another model or of answers that saw something else, and a model's lasting errors.
    """
    try:
        with FileLock(file.with_name(file.name + ".lock"), timeout=0):
            return _written(benchmark, file, model, client, seen)
    except Timeout:
        raise InputError("another command is writing it", file=file) from None


def _written(benchmark: Benchmark, file: Path, model: Model, client: Client, seen: str) -> WordedAnswers:
    questions = list(benchmark)
    shown = seen if seen in {NOTHING, GOLD} else Path(seen).name
    kept = {one.id: one for one in _kept(file, model.name, shown)}

    def line(one: WordedAnswer) -> str:
        told = {"id": one.id, "question": one.question, "answer": one.answer}
        told |= {"problem": one.problem} if one.problem else {}
        return json.dumps({**told, "seen": shown, "model": model.name}, ensure_ascii=False) + "\n"

    calls = _calls(questions, seen)
    write_whole(file, "".join(map(line, kept.values())), mode=0o644)
    jobs = [
        partial(_answer, q, calls.get(q.id, ()), model, client, needed=seen == GOLD)
        for q in questions
        if q.id not in kept
    ]
    found = asyncio.run(as_they_come(jobs, file, line))
    problems = {one.id: one.problem for one in found if one.problem}
    return WordedAnswers(len(kept) + len(found) - len(problems), len(kept), problems)


def _kept(file: Path, model: str, shown: str) -> Iterable[WordedAnswer]:
    for number, content in by_model(file, model):
        if not all(isinstance(content.get(key), str) for key in ("id", "question", "answer", "seen")):
            raise damaged(file, number)
        if content["seen"] != shown:
            raise RunError(f"{file} holds answers that saw {content['seen']}. Name another file with --out.")
        if content["answer"]:
            yield WordedAnswer(content["id"], content["question"], content["answer"])


def _calls(questions: Sequence[BenchmarkQuestion], seen: str) -> Mapping[str, tuple[ToolCall, ...]]:
    """The calls whose responses are shown, by question id."""
    if seen == NOTHING:
        return {}
    if seen == GOLD:
        return {q.id: gold_calls(q) for q in questions}
    made = {}
    for record in read_records(Path(seen)):
        if record.call is not None and record.call.call is not None and record.call.executed:
            listed = (*record.call.earlier, record.call.call)
            made[record.id] = tuple(ToolCall(str(c["name"]), dict(c["arguments"])) for c in listed)
    if not made:
        raise InputError("holds no call that was made; measure a caller: fathom evaluate-calls biotool:FILE",
                         file=seen)  # fmt: skip
    return made


async def _answer(
    question: BenchmarkQuestion, calls: Sequence[ToolCall], model: Model, client: Client, *, needed: bool
) -> WordedAnswer:
    """Raises a model's lasting error. Without its response a gold call gives no answer: it is `needed`."""
    try:
        returned = [await asyncio.to_thread(_returned, call, client) for call in calls]
    except FathomError as error:
        if needed:
            return WordedAnswer(question.id, question.text, "", f"the call gave nothing: {error}")
        returned = []
    if returned:
        prompt = load(__package__, "seen_answer").render(question=question.text, calls="\n\n".join(returned))
    else:
        prompt = load(__package__, "plain_answer").render(question=question.text)
    try:
        reply = await model.ask(prompt)
    except ModelFailed as error:
        if error.lasting:
            raise
        return WordedAnswer(question.id, question.text, "", str(error))
    said = reply.text.strip()
    return WordedAnswer(question.id, question.text, said, "" if said else "the model said nothing")


def _returned(call: ToolCall, client: Client) -> str:
    """A call with what it returns, as a model sees it. Raises `FathomError`."""
    content: Any = observe(client.make(check(call.endpoint, call.arguments))).content
    told = json.dumps(content, ensure_ascii=False)
    cut = f" … (cut; {len(told) - _MOST_SHOWN:,} characters more)" if len(told) > _MOST_SHOWN else ""
    return f"{call.text()}\n{told[:_MOST_SHOWN]}{cut}"
