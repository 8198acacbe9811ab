"""Runs of one method over one benchmark through time: what each changed since the one before it.

Code, packages and models change while a method keeps its name; a run's folder says when it ran and on which
commit, so that a loss is found in the run that brought it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom.errors import InputError
from fathom.evaluation.metrics import NothingInCommon, PairedRates, Rate, holm, mcnemar, pair
from fathom.evaluation.runs.columns import USED, read_columns
from fathom.evaluation.runs.folder import CONFIGURATION, RECORDS, read_configuration

SIGNIFICANT = 0.05
_SAME = ("method", "model", "benchmark", "split", "digest", "comparison")
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class RunChange:
    """The changes since the run before, on the questions that both judged; `tests` has this run first.
    `p_value` is corrected for the number of changes in the history (Holm)."""

    tests: PairedRates
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    settings: tuple[str, ...]
    p_value: float

    @property
    def worse(self) -> bool:
        """True if this run lost more than it gained, and more than chance would."""
        return self.tests.difference < 0 and self.p_value < SIGNIFICANT

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            **self.tests.as_json(),
            "holm": self.p_value,
            "worse": self.worse,
            "gained": list(self.gained),
            "lost": list(self.lost),
            "settings_changed": list(self.settings),
        }


@dataclass(frozen=True, slots=True)
class RunStage:
    """One run of a history: when it last started, the code's commit ("" where unknown), what it came to."""

    folder: Path
    at: str
    commit: str
    correct: Rate
    tokens: float | None
    change: RunChange | None = None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "folder": str(self.folder),
            "at": self.at,
            "commit": self.commit,
            "correct": self.correct.as_json(),
            "tokens": self.tokens,
            "change": self.change.as_json() if self.change else None,
        }


@dataclass(frozen=True, slots=True)
class MethodHistory:
    """The runs of one method with one model over the same questions, the oldest first."""

    name: str
    benchmark: str
    stages: tuple[RunStage, ...]

    @property
    def regressed(self) -> bool:
        """True if the latest run is worse than the one before it."""
        last = self.stages[-1].change
        return last is not None and last.worse

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        stages = [stage.as_json() for stage in self.stages]
        return {
            "name": self.name,
            "benchmark": self.benchmark,
            "regressed": self.regressed,
            "runs": stages,
        }


def histories(places: Sequence[Path]) -> list[MethodHistory]:
    """The histories of runs, each given as its folder or as a folder that holds some, however deep.

    Runs belong together by method, model, benchmark, split, questions and comparison. Raises `InputError`
    where a place holds no run.
    """
    groups: dict[tuple[str, ...], list[Path]] = {}
    for folder in dict.fromkeys(one for place in places for one in _runs_in(place)):
        of = read_configuration(folder)["configuration"]
        groups.setdefault(tuple(str(of.get(key) or "") for key in _SAME), []).append(folder)
    return [_history(key, folders) for key, folders in groups.items()]


def _runs_in(place: Path) -> Iterator[Path]:
    if (place / CONFIGURATION).exists():
        yield place
        return
    found = sorted(file.parent for file in place.rglob(CONFIGURATION) if (file.parent / RECORDS).exists())
    if not found:
        raise InputError("holds no run; name the folder of a run, or one that holds runs", file=place)
    yield from found


def _history(key: tuple[str, ...], folders: Iterable[Path]) -> MethodHistory:
    method, model, benchmark, split, *_ = key
    read = sorted(
        (_stage(folder) for folder in folders), key=lambda stage: (stage[0].at, str(stage[0].folder))
    )
    stages = [read[0][0]]
    for (before, was, old), (after, now, new) in pairwise(read):
        stages.append(
            replace(after, change=_change(was, now, old, new, (str(before.folder), str(after.folder))))
        )
    return MethodHistory(
        " · ".join(p for p in (method, model) if p),
        " ".join(p for p in (benchmark, split) if p),
        tuple(_corrected(stages)),
    )


_Right = Mapping[str, bool]


def _stage(folder: Path) -> tuple[RunStage, _Right, Mapping[str, Any]]:
    """A run, which of its questions are right, and its configuration."""
    content = read_configuration(folder)
    columns = read_columns(folder)
    judged = columns.take(np.flatnonzero(columns.judged))
    right = dict(zip(judged.id.tolist(), judged.right.tolist(), strict=True))
    start = (content.get("starts") or [{}])[-1]
    code = start.get("code") or {}
    commit = str(code.get("commit") or "")[:12] + (" with changes" if code.get("dirty") else "")
    spent = columns.usage["total"][:, USED.index("tokens")]
    tokens = float(np.nanmean(spent)) if len(spent) and not np.isnan(spent).all() else None
    stage = RunStage(folder, str(start.get("at") or ""), commit, Rate.of(right.values()), tokens)
    return stage, right, content["configuration"]


def _change(
    was: _Right, now: _Right, old: Mapping[str, Any], new: Mapping[str, Any], names: tuple[str, str]
) -> RunChange | None:
    try:
        outcomes = pair(now, was, (names[1], names[0]))
    except NothingInCommon:  # each was stopped after other questions
        return None
    gained = tuple(q for q, right in now.items() if right and was.get(q) is False)
    lost = tuple(q for q, right in now.items() if not right and was.get(q) is True)
    tests = mcnemar(outcomes)
    return RunChange(tests, gained, lost, tuple(_differing(old, new)), tests.p_value)


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = ({"seed": c.get("seed"), **(c.get("settings") or {})} for c in (old, new))
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield name


def _corrected(stages: Sequence[RunStage]) -> Iterator[RunStage]:
    changes = [stage.change for stage in stages if stage.change]
    found = iter(holm([change.p_value for change in changes]))
    for stage in stages:
        yield replace(stage, change=replace(stage.change, p_value=next(found))) if stage.change else stage


def named(ids: Sequence[str]) -> str:
    """Ids of questions in a line, a few of many."""
    more = f" and {len(ids) - _MOST_NAMED:,} more" if len(ids) > _MOST_NAMED else ""
    return ", ".join(ids[:_MOST_NAMED]) + more
