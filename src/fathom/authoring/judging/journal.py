"""Judgements in a file, a line an answer, written as they are made; a second run judges what is missing."""

import hashlib
import json
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

from fathom.authoring.journal import lock
from fathom.authoring.judging.answers import judge_answer
from fathom.authoring.judging.facts import Expert
from fathom.errors import InputError
from fathom.evaluation.answers.pairs import Answered
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
    known: dict[str, Judgement] = {}
    for key, one in answers.items():
        if not one.question:
            raise InputError(f"the answer {key!r} has no question")
    with lock(file):
        written = LineFile(file, lambda number, line: known.update([_read(file, number, line)]))
        try:
            for key, one in answers.items():
                digest = _digest(one, judge)
                if key in known:
                    if known[key]["of"] != digest:
                        raise _of_another(key, file)
                    yield known[key]
                    continue
                judged = {
                    "of": digest,
                    **(await judge_answer(key, one.question, one.words, expert)).as_json(),
                }
                written.append(json.dumps(judged, ensure_ascii=False, default=str).encode() + b"\n")
                yield judged
        finally:
            written.close()


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
