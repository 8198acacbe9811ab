"""Questions that are worked on: a few at a time, watched by whoever looks, stopped when somebody says so."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from fathom.answering.faults import kept_fault
from fathom.answering.store import UNFINISHED, Standing
from fathom.cancellation import Cancellation
from fathom.errors import FathomError
from fathom.text import without_secrets
from fathom.watch import Event, Watch

log = logging.getLogger("fathom.web")
AT_ONCE, MOST_WAITING = 2, 8
"""Questions worked on at once, and those that may wait: what comes then is told to come back later."""
KEPT = 200
"""Finished jobs whose steps can still be looked at."""
CANCELLED = "Cancelled before there was an answer."


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step as the page shows it; `state` is begun, going on or ended."""

    step: str
    state: str
    text: str = ""
    done: int | None = None
    total: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Where a question stands. `number` grows with every change; `ahead` are the questions before it."""

    number: int
    status: str
    steps: tuple[StepLine, ...]
    seconds: float
    ahead: int = 0

    @property
    def is_over(self) -> bool:
        """True if nothing more will come."""
        return self.status not in UNFINISHED


class Busy(FathomError):
    """As many questions as can be wait already."""

    def __init__(self) -> None:
        super().__init__("Many questions are being worked on. Ask again in a few seconds.")


T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
Work = Callable[[Watch], Awaitable[tuple[T, str]]]
"""Gives what was found, and the mark of the data that it was found in."""


class Keeper(Protocol[T_contra]):
    """Keeps what jobs come to, by their ids; as the store keeps answers."""

    def working(self, id: str) -> None:
        """Work has begun."""

    def finish(self, id: str, answer: T_contra, *, seconds: float, state: str = "") -> None:
        """This was found."""

    def fail(self, id: str, standing: Standing, why: str, *, seconds: float) -> None:
        """Nothing was found."""


@dataclass(eq=False)
class _Job:
    id: str
    behind: bool = False
    begun: float = field(default_factory=time.monotonic)
    status: str = Standing.WAITING
    steps: dict[str, StepLine] = field(default_factory=dict)
    number: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None
    cancellation: Cancellation = field(default_factory=Cancellation)

    def change(self) -> None:
        """Wake all who watch."""
        if _over(self):
            self.ended.set()
        self.number += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def hear(self, event: Event) -> None:
        """Note what a step tells."""
        self.steps[event.step] = StepLine(
            event.step, event.state, event.text, event.done, event.total, round(event.seconds, 3)
        )
        self.change()


class Jobs(Generic[T]):
    """The questions of this process, or other long work. All of it runs in one event loop.

    `status` says of what was found how the job has ended.
    """

    def __init__(
        self,
        store: Keeper[T],
        status: Callable[[T], str],
        *,
        at_once: int = AT_ONCE,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._store, self._status = store, status
        self._free, self._behind = asyncio.Semaphore(at_once), asyncio.Semaphore(1)
        self._most = at_once + most_waiting
        self._jobs: dict[str, _Job] = {}

    def unfinished(self) -> list[str]:
        """The ids of questions that wait or are worked on."""
        return [job.id for job in self._unfinished()]

    def has_room(self) -> bool:
        """True if one more question may be asked."""
        return sum(not job.behind for job in self._unfinished()) < self._most

    def count(self, standing: Standing) -> int:
        """How many questions stand so."""
        return sum(job.status == standing for job in self._jobs.values())

    def start(self, id: str, work: Work[T], *, behind: bool = False) -> None:
        """Work on a question that the store holds; gives back at once.

        Those `behind` are worked on one by one, and leave the places for waiting to others.
        """
        while len(self._jobs) > KEPT and (over := next((j for j in self._jobs.values() if _over(j)), None)):
            del self._jobs[over.id]
        job = self._jobs[id] = _Job(id, behind)
        job.task = asyncio.create_task(self._run(job, work))

    def progress(self, id: str) -> JobProgress | None:
        """Where a question stands; None where this process never worked on it, or long ago."""
        job = self._jobs.get(id)
        return None if job is None else self._progress(job)

    async def watch(self, id: str, after: int = -1) -> AsyncIterator[JobProgress | None]:
        """Where a question stands, whenever that changes, beyond the change `after`; the last one is over.

        None now and then where nothing changes, to keep the connection.
        """
        job = self._jobs.get(id)
        while job is not None:
            changed, now = job.changed, self._progress(job)
            if now.number > after:
                after = now.number
                yield now
            if now.is_over:
                return
            try:
                await asyncio.wait_for(changed.wait(), 10)
            except TimeoutError:
                yield None
            with suppress(TimeoutError):  # changes in a row are told together, the end at once
                await asyncio.wait_for(job.ended.wait(), 0.05)

    def cancel(self, id: str) -> bool:
        """Stop work on a question; whether there was any to stop."""
        job = self._jobs.get(id)
        if job is None or _over(job) or job.task is None:
            return False
        job.cancellation.cancel()
        job.task.cancel()  # it may be waiting for a model, which no engine's interrupt ends
        return True

    async def close(self) -> None:
        """Stop all work; what isn't finished is told as interrupted."""
        unfinished = self._unfinished()
        for job in unfinished:
            if job.task:
                job.task.cancel()
        await asyncio.gather(*(job.task for job in unfinished if job.task), return_exceptions=True)
        for job in unfinished:  # the engines too, now that it is told as interrupted
            job.cancellation.cancel()

    def _unfinished(self) -> list[_Job]:
        return [job for job in self._jobs.values() if not _over(job)]

    def _progress(self, job: _Job) -> JobProgress:
        waiting = [j for j in self._unfinished() if j.status == Standing.WAITING]
        ahead = waiting.index(job) if job in waiting else 0
        spent = time.monotonic() - job.begun
        return JobProgress(job.number, job.status, tuple(job.steps.values()), round(spent, 1), ahead)

    async def _run(self, job: _Job, work: Work[T]) -> None:
        started = time.monotonic()
        try:
            async with self._behind if job.behind else nullcontext(), self._free:
                job.status, started = Standing.WORKING, time.monotonic()
                job.change()
                await asyncio.to_thread(self._store.working, job.id)
                loop = asyncio.get_running_loop()
                with job.cancellation.covering():
                    answer, state = await work(lambda e: _tell(loop, job, e))
                job.cancellation.check()  # an engine that was stopped may tell it as a failed query
                seconds = time.monotonic() - started
                await asyncio.shield(
                    asyncio.to_thread(self._store.finish, job.id, answer, seconds=seconds, state=state)
                )
                job.status = self._status(answer)
        except BaseException as error:
            standing, why = _told(job, error)
            seconds = time.monotonic() - started
            with suppress(Exception):  # the store says so itself, at the next start
                self._store.fail(job.id, standing, why, seconds=seconds)
            job.status = standing
        finally:
            job.change()


def _over(job: _Job) -> bool:
    return job.status not in UNFINISHED


def _tell(loop: asyncio.AbstractEventLoop, job: _Job, event: Event) -> None:
    """From the thread that works to the loop that tells; a loop that has ended needs to hear nothing."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(job.hear, event)


def _told(job: _Job, error: BaseException) -> tuple[Standing, str]:
    if job.cancellation.cancelled:
        return Standing.CANCELLED, CANCELLED
    if isinstance(error, asyncio.CancelledError):
        return Standing.INTERRUPTED, "Fathom ended before there was an answer. Ask again."
    if isinstance(error, FathomError):
        return Standing.FAILED, without_secrets(str(error))
    log.exception("answer %s failed", job.id, exc_info=error)
    fault = without_secrets(str(kept_fault(error, during=f"the page of {job.id}")))
    return Standing.FAILED, f"{fault} The log tells more, under {job.id}."
