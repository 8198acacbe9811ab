"""Runs as the pages show them: found below one folder, summarised once for each state of their files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.errors import FathomError, UnknownName
from fathom.evaluation.runs.folder import (
    CONFIGURATION,
    JUDGEMENTS,
    QUESTIONS,
    RECORDS,
    is_running,
    read_configuration,
    read_contents,
)

if TYPE_CHECKING:
    from fathom.evaluation.runs.contrast import Contrast, Moved
    from fathom.evaluation.runs.summary import Summary

DEPTH = 2
"""Runs stand in the folder itself, or in those in it, as `fathom evaluate-grid` writes them."""


@dataclass(frozen=True, slots=True)
class State:
    """One state of a run's files, and whether a process is at it; another one whenever they change."""

    folder: Path
    files: tuple[tuple[int, int], ...]
    is_running: bool = False


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """One question of a run, in a list. `difference` is not read for lists."""

    id: str
    question: str
    database: str
    difficulty: str
    outcome: str
    declined: bool
    error_class: str
    tags: tuple[str, ...]


def find_runs(folder: Path) -> dict[str, State]:
    """The runs below a folder by their names in it, the latest first."""
    found = {file.parent: _state(file.parent) for file in _descriptions(folder)}
    ordered = sorted(found, key=lambda f: (-found[f].files[0][0], str(f)))
    return {f.relative_to(folder).as_posix(): found[f] for f in ordered if f != folder}


def _descriptions(folder: Path) -> Iterator[Path]:
    for depth in range(1, DEPTH + 1):
        yield from folder.glob("/".join(["*"] * depth) + f"/{CONFIGURATION}")


def _state(folder: Path) -> State:
    stamps = tuple(_stamp(folder / name) for name in (RECORDS, CONFIGURATION, JUDGEMENTS))
    return State(folder, stamps, is_running(folder))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def find_run(folder: Path, name: str) -> State:
    """One run. Raises `UnknownName`; only names that `find_runs` gives lead anywhere."""
    known = find_runs(folder)
    if name not in known:
        raise UnknownName("run", name, known)
    return known[name]


@lru_cache(maxsize=256)
def summary_of(state: State) -> "Summary | str":
    """A run in figures, or why there are none."""
    from fathom.evaluation.runs.summary import summarise  # noqa: PLC0415, slow to import

    try:
        return summarise(state.folder)
    except FathomError as error:
        return str(error)


def question_count(state: State) -> int | None:
    """How many questions a run has in the end; None where its description doesn't say."""
    try:
        starts = read_configuration(state.folder).get("starts") or [{}]
    except FathomError:
        return None
    found = starts[-1].get(QUESTIONS)
    return found if type(found) is int else None


@lru_cache(maxsize=32)
def contrast_of(states: tuple[State, ...]) -> "tuple[Contrast, ...]":
    """Runs side by side. Raises `InputError`."""
    from fathom.evaluation.runs.contrast import contrasts  # noqa: PLC0415, slow to import

    return contrasts([s.folder for s in states])


@lru_cache(maxsize=32)
def moves_between(first: State, second: State) -> "tuple[Moved, ...]":
    """Give the questions that moved between two runs over one benchmark."""
    from fathom.evaluation.runs.contrast import moved  # noqa: PLC0415, slow to import

    return tuple(moved(first.folder, second.folder))


@lru_cache(maxsize=8)
def questions_of(state: State) -> Sequence[ListedQuestion]:
    """The questions of a run, in the order in which they were asked of the benchmark."""
    rows = sorted((c for _, c in read_contents(state.folder)), key=lambda c: c.get("position", 0))
    return [
        ListedQuestion(
            str(c["id"]), str(c.get("question") or ""), Path(str(c.get("database") or "")).stem,
            str(c.get("difficulty") or ""), str(c["outcome"]), bool(c.get("declined")),
            str(c.get("error_class") or ""), tuple(map(str, c.get("tags") or ())),
        )
        for c in rows
    ]  # fmt: skip


def record_of(state: State, id: str) -> Mapping[str, Any]:
    """All that is kept of one question. Raises `UnknownName`."""
    for _, content in read_contents(state.folder):
        if str(content["id"]) == id:
            return content
    raise UnknownName("question", id, [q.id for q in questions_of(state)])
