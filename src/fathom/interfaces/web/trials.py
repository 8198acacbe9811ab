"""Lessons that are tried: what is taught, how far the trial is, and what it would change."""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fathom.answering.store import Standing
from fathom.errors import FathomError
from fathom.interfaces.web.jobs import Jobs
from fathom.interfaces.web.teachings import Teaching
from fathom.knowledge.lessons import Lesson

if TYPE_CHECKING:
    from fathom.answering.rehearsal import LessonRehearsal

KEPT = 100
"""Trials that can still be looked at: a person keeps a lesson soon after it was tried, or not at all."""
AT_ONCE, MOST_WAITING = 1, 7
FINISHED = "finished"


class TrialNotFound(FathomError):
    """No such trial, or it was long ago."""

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(f"There is no trial {id!r} any more. Try the lesson again: what was kept stays.")


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The result of a trial.

    `overruled` are what the lesson overrules in the packs and lessons, in words; `difference` is what it
    changes in the file of lessons, line by line.
    """

    rehearsal: "LessonRehearsal"
    overruled: tuple[str, ...] = ()
    difference: tuple[str, ...] = ()


@dataclass
class LessonTrial:
    """One lesson that is tried. `lesson` is None where what was typed makes none; `why` says so then."""

    database: str
    teaching: Teaching
    lesson: Lesson | None
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    status: str = Standing.WAITING
    why: str = ""
    seconds: float = 0.0
    tried: TrialOutcome | None = None
    kept: str = ""


class Trials:
    """The trials of this process, and the work on them: one at a time, since each asks many questions."""

    def __init__(self) -> None:
        self._trials: OrderedDict[str, LessonTrial] = OrderedDict()
        self.jobs: Jobs[TrialOutcome] = Jobs(
            self, lambda _: FINISHED, at_once=AT_ONCE, most_waiting=MOST_WAITING
        )

    def add(self, trial: LessonTrial) -> None:
        """Remember a trial."""
        self._trials[trial.id] = trial
        while len(self._trials) > KEPT:
            self._trials.popitem(last=False)

    def get(self, id: str, database: str) -> LessonTrial:
        """The trial of this id. Raises `TrialNotFound`."""
        trial = self._trials.get(id)
        if trial is None or trial.database != database:
            raise TrialNotFound(id)
        return trial

    # Updates from the work

    def working(self, id: str) -> None:
        """Say that a trial is worked on."""
        self._trials[id].status = Standing.WORKING

    def finish(self, id: str, answer: TrialOutcome, *, seconds: float, state: str = "") -> None:
        """Note what a trial came to."""
        trial = self._trials[id]
        trial.tried, trial.seconds, trial.status = answer, seconds, FINISHED

    def fail(self, id: str, standing: Standing, why: str, *, seconds: float) -> None:
        """Note why a trial came to nothing."""
        trial = self._trials[id]
        trial.why, trial.seconds, trial.status = why, seconds, standing
