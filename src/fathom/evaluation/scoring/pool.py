"""Tasks spread over processes, here or where an executor takes them; each comes back with its outcomes."""

import os
import select
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.judge import Scored, Task
from fathom.evaluation.scoring.worker import Terms, Worker
from fathom.processes.child import ChildEnded

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Answered = tuple[Task, list[Scored]]
TimedBatch = tuple[float, list[Answered]]
"""How many seconds a batch took, and its tasks with their outcomes."""
_FIRST_BATCH, _MOST_IN_A_BATCH = 8, 2_000
_BATCH_SECONDS = 0.25
"""A batch for an executor takes about so long: far more than what a cluster needs to hand it out."""
_SECONDS_A_WORKER = 0.004
"""Longer with many workers: who hands out batches needs about two thousandths for each (`bench scale`), and
keeps up with them all while it is busy for half of the time."""
_ATTEMPTS = 3


class WorkerPool:
    """Up to `size` worker processes on this machine. A second one starts only when there is work for it."""

    def __init__(self, terms: Terms, size: int | None = None) -> None:
        self._terms = terms
        self._size = size or min(os.cpu_count() or 1, 8)
        self._workers: list[Worker] = []
        self._again: deque[Task] = deque()
        self._deaths: set[tuple[int, tuple[str, ...]]] = set()
        self._parts: dict[int, tuple[Task, dict[str, Scored]]] = {}

    def run(self, tasks: Iterable[Task]) -> Iterator[Answered]:
        """Judge the tasks; they come back as they are done, not in order."""
        waiting = iter(tasks)
        while self._distribute(waiting):
            busy = [w for w in self._workers if w.pending]
            left = [s for w in busy if (s := w.seconds_left()) is not None]
            ready, _, _ = select.select(busy, [], [], min(left) + 0.01 if left else None)
            for worker in ready:
                try:
                    answers = worker.receive()
                except ChildEnded:
                    yield from self._lost(worker, hung=False)
                else:
                    for task, found in answers:
                        yield from self._merged(task, found)
            for worker in busy:
                if worker not in ready and worker.seconds_left() == 0.0:
                    yield from self._lost(worker, hung=True)

    def _distribute(self, waiting: Iterator[Task]) -> bool:
        """Give work to who has none; whether anybody works."""
        while True:
            idle = next((w for w in self._workers if not w.pending), None)
            if idle is None and len(self._workers) >= self._size:
                break
            batch = self._next(waiting, idle.batch if idle else 4)
            if not batch:
                break
            if idle is None:
                idle = Worker(self._terms)
                self._workers.append(idle)
            idle.send(batch)
        return any(w.pending for w in self._workers)

    def _next(self, waiting: Iterator[Task], count: int) -> list[Task]:
        if self._again:  # one at a time: it ended a process before
            return [self._again.popleft()]
        return list(islice(waiting, count))

    def _lost(self, worker: Worker, *, hung: bool) -> Iterator[Answered]:
        """Blame the task only if the process had no other: else all of them are tried again, one by one."""
        self._workers.remove(worker)
        tasks, patience = list(worker.pending), worker.patience
        ended = worker.end()
        task = tasks[0]
        if len(tasks) > 1:
            self._again.extendleft(reversed(tasks))
        elif len(task.predictions) > 1:
            self._split(task)
        elif hung or ended.gave_up:
            seconds = self._terms.seconds if ended.gave_up else patience
            text = f"the query was stopped after {seconds:g} s, together with its process"
            yield from self._merged(task, [Scored(Outcome.ERROR, "error", 0.0, text, "timeout")])
        elif (task.position, task.predictions) not in self._deaths:
            # Something else may have killed it: only what ends a second process is to blame.
            self._deaths.add((task.position, task.predictions))
            self._again.append(task)
        else:
            text = f"the query ended the process that ran it: {ended.how}"
            yield from self._merged(task, [Scored(Outcome.ERROR, "error", 0.0, text, "crash")])

    def _split(self, task: Task) -> None:
        """Judge a task's predictions one by one: others of them may be harmless."""
        self._parts[task.position] = (task, {})
        self._again.extend(task._replace(predictions=(sql,)) for sql in dict.fromkeys(task.predictions))

    def _merged(self, task: Task, found: list[Scored]) -> Iterator[Answered]:
        """The task with its outcomes, once all the parts that it was split into have theirs."""
        if task.position not in self._parts:
            yield task, found
            return
        whole, parts = self._parts[task.position]
        parts[task.predictions[0]] = found[0]
        if all(sql in parts for sql in whole.predictions):
            del self._parts[task.position]
            yield whole, [parts[sql] for sql in whole.predictions]

    def close(self) -> None:
        """End every process."""
        while self._workers:
            self._workers.pop().end()


def batch_seconds(workers: int) -> float:
    """How long a batch should take where so many are at work."""
    return max(_BATCH_SECONDS, _SECONDS_A_WORKER * workers)


class ExecutorPool:
    """Batches of tasks run by any `concurrent.futures.Executor`: threads, processes, Dask.

    Batches grow with what tasks turn out to take, so that handing them out costs little; twice as many as
    there are `workers` are under way. A batch whose worker is lost is tried again; in the end it is judged
    here, so that nothing is lost.
    """

    def __init__(self, terms: Terms, executor: "Executor", *, workers: int = 8) -> None:
        self._terms, self._executor, self._workers = terms, executor, workers
        self._seconds = batch_seconds(workers)
        self._size = _FIRST_BATCH

    def run(self, tasks: Iterable[Task]) -> Iterator[Answered]:
        """Judge the tasks; they come back as they are done, not in order."""
        from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415

        waiting = iter(tasks)
        running: dict[Future[TimedBatch], tuple[list[Task], int]] = {}
        while True:
            while len(running) < 2 * self._workers and (batch := list(islice(waiting, self._size))):
                yield from self._submit(batch, 1, running)
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                batch, attempt = running.pop(future)
                if future.cancelled() or future.exception() is not None:
                    yield from self._submit(batch, attempt + 1, running)
                else:
                    seconds, answers = future.result()
                    self._fit(len(batch), seconds)
                    yield from answers

    def _fit(self, count: int, seconds: float) -> None:
        """Have the next batches take as long as they should, by the last one; at most four times as many."""
        wanted = int(count * self._seconds / max(seconds, 1e-6))
        self._size = min(max(wanted, 1), 4 * count, _MOST_IN_A_BATCH)

    def _submit(
        self, batch: list[Task], attempt: int, running: "dict[Future[TimedBatch], tuple[list[Task], int]]"
    ) -> Iterator[Answered]:
        if attempt <= _ATTEMPTS:
            try:
                running[self._executor.submit(judge_batch, self._terms, batch)] = (batch, attempt)
            except RuntimeError:  # the executor itself is broken, or shut down
                attempt = _ATTEMPTS + 1
        if attempt > _ATTEMPTS:
            yield from judge_batch(self._terms, batch)[1]

    def close(self) -> None:
        """The executor belongs to its owner."""


_own = threading.local()


def judge_batch(terms: Terms, tasks: Sequence[Task]) -> TimedBatch:
    """What an executor's worker does: judge the tasks in a process of its own, kept for the next batch."""
    started = time.perf_counter()
    pools: dict[Terms, WorkerPool] = _own.__dict__.setdefault("pools", {})
    pool = pools.setdefault(terms, WorkerPool(terms, 1))
    answers = list(pool.run(tasks))
    return time.perf_counter() - started, answers
