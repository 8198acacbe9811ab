"""Judgements in a file, a line an answer, written as they are made; a second run judges what is missing."""

import hashlib
import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fathom.authoring.journal import lock
from fathom.authoring.judging.answers import judge_answer
from fathom.authoring.judging.facts import Expert
from fathom.authoring.judging.spread import RulesByName, judge_batch
from fathom.errors import InputError
from fathom.evaluation.answers.pairs import Answered
from fathom.evaluation.scoring.batches import Batches
from fathom.evaluation.scoring.clusters import workers_of
from fathom.files import LineFile

Judgement = Mapping[str, Any]
"""A judged answer as JSON values, with `of`: a digest of what was judged, and by whom."""


async def judge_all(
    answers: Mapping[str, Answered], expert: Expert, judge: str, file: Path
) -> AsyncGenerator[Judgement]:
    """Judge answers one by one, in their order; those that the file holds are read from it.

    `judge` names the model, the method and the database. Raises `InputError` where an answer has no
    question, or the file holds a judgement of another answer of that id or by another judge, and `InUse`
    where another process writes the file.
    """
    with _written(answers, judge, file) as (known, written):
        for key, one in answers.items():
            if key not in known:
                found = (await judge_answer(key, one.question, one.words, expert)).as_json()
                known[key] = _keep(written, _digest(one, judge), found)
            yield known[key]


def judge_spread(
    answers: Mapping[str, Answered], rules: RulesByName, judge: str, file: Path, executor: Executor
) -> Iterator[Judgement]:
    """As `judge_all` without a model, by an executor's workers: each judgement as it comes, in any order.

    They are the same, in the same form: what one begins the other goes on with. Raises the same.
    """
    with _written(answers, judge, file) as (known, written):
        yield from known.values()
        batches = Batches(judge_batch, rules, executor, workers=workers_of(executor))
        for key, found in batches.run([(k, one) for k, one in answers.items() if k not in known]):
            yield _keep(written, _digest(answers[key], judge), found)


@contextmanager
def _written(
    answers: Mapping[str, Answered], judge: str, file: Path
) -> Iterator[tuple[dict[str, Judgement], LineFile]]:
    """The file's judgements of these answers, in the answers' order, and the file to go on writing."""
    for key, one in answers.items():
        if not one.question:
            raise InputError(f"the answer {key!r} has no question")
    known: dict[str, Judgement] = {}
    with lock(file):
        written = LineFile(file, lambda number, line: known.update([_read(file, number, line)]))
        try:
            for key, one in answers.items():
                if key in known and known[key]["of"] != _digest(one, judge):
                    raise _of_another(key, file)
            yield {key: known[key] for key in answers if key in known}, written
        finally:
            written.close()


def _keep(written: LineFile, digest: str, found: Mapping[str, Any]) -> Judgement:
    judged = {"of": digest, **found}
    written.append(json.dumps(judged, ensure_ascii=False, default=str).encode() + b"\n")
    return judged


def _of_another(key: str, file: Path) -> InputError:
    return InputError(
        f"holds a judgement of {key!r} by another judge, or of another answer; delete it, or name another "
        "file with --out",
        file=file,
    )


def _digest(one: Answered, judge: str) -> str:
    content = json.dumps([one.question, one.words, judge], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


def _read(file: Path, number: int, line: bytes) -> tuple[str, Judgement]:
    try:
        found = json.loads(line)
        if isinstance(found["of"], str) and isinstance(found["sentences"], list):
            return str(found["id"]), found
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(
        "is not a judgement; delete the line, or name another file with --out", file=file, line=number
    )
