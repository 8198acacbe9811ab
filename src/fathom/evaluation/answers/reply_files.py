"""Replies of a judge model, stored line by line, so that a killed command resumes where it was."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fathom.errors import InputError
from fathom.evaluation.runs.folder import RunError
from fathom.files import whole_lines

T = TypeVar("T")
_AT_A_TIME = 16


def kept_lines(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the stored replies with line numbers, without a torn last line, as a kill leaves one.

    Each has its judge's name as `model`. Raises `InputError` for a damaged line.
    """
    if not file.exists():
        return
    for number, line in whole_lines(file):
        try:
            content = json.loads(line.decode(errors="replace"))
            str(content["model"])
        except (ValueError, KeyError, TypeError) as error:
            raise damaged(file, number) from error
        yield number, content


def by_model(file: Path, model: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The same where it is all of one model. Raises `RunError` where another one judged."""
    for number, content in kept_lines(file):
        if content["model"] != model:
            judge = content["model"]
            raise RunError(f"{file} holds the judgements of {judge}. Move it away to judge with {model}.")
        yield number, content


def damaged(file: Path, line: int) -> InputError:
    """The error to raise about a line that can't be read."""
    return InputError("is damaged; delete this line", file=file, line=line)


async def as_they_come(
    jobs: Sequence[Callable[[], Awaitable[T]]], file: Path, line: Callable[[T], str]
) -> list[T]:
    """Do some jobs at a time and add their lines to the file, also of those beside one that ends it all."""
    found: list[T] = []
    file.touch(mode=0o600)
    with file.open("a", encoding="utf-8") as stream:
        for start in range(0, len(jobs), _AT_A_TIME):
            asked = [job() for job in jobs[start : start + _AT_A_TIME]]
            done = await asyncio.gather(*asked, return_exceptions=True)
            for one in done:
                if not isinstance(one, BaseException):
                    stream.write(line(one))
                    found.append(one)
            stream.flush()
            for one in done:
                if isinstance(one, BaseException):
                    raise one
    return found
