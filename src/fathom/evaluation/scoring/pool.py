"""Tasks spread over processes, here or where an executor takes them; each comes back with its outcomes."""

import os
import select
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from itertools import islice

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.judge import Scored, Task
from fathom.evaluation.scoring.worker import Terms, Worker

Answered = tuple[Task, list[Scored]]
_BATCH = 32
_ATTEMPTS = 3


class Pool:
    """Up to `size` worker processes on this machine. A second one starts only when there is work for it."""

    def __init__(self, terms: Terms, size: int | None = None) -> None:
        self._terms = terms
        self._size = size or min(os.cpu_count() or 1, 8)
        self._workers: list[Worker] = []
        self._again: deque[Task] = deque()
        self._deaths: dict[tuple[int, tuple[str, ...]], int] = {}
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
                    task, found = worker.receive()
                except (EOFError, OSError):
                    yield from self._died(worker)
                else:
                    yield from self._merged(task, found)
            for worker in busy:
                if worker not in ready and worker.seconds_left() == 0.0:
                    yield from self._hung(worker)

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

    def _died(self, worker: Worker) -> Iterator[Answered]:
        task, how = self._ended(worker)
        key = (task.position, task.predictions)
        deaths = self._deaths[key] = self._deaths.get(key, 0) + 1
        # Something else may have killed it: only who ends a second process is to blame.
        if len(task.predictions) > 1:
            self._split(task)
        elif deaths == 1:
            self._again.append(task)
        else:
            text = f"the query ended the process that ran it ({how})"
            yield from self._merged(task, [Scored(Outcome.ERROR, "error", 0.0, text, "crash")])

    def _hung(self, worker: Worker) -> Iterator[Answered]:
        task, _ = self._ended(worker)
        if len(task.predictions) > 1:
            self._split(task)
            return
        text = f"the query was stopped after {self._terms.patience(task):g} s, together with its process"
        yield from self._merged(task, [Scored(Outcome.ERROR, "error", 0.0, text, "timeout")])

    def _ended(self, worker: Worker) -> tuple[Task, str]:
        """The task that a process ended with; what it hadn't begun goes to others."""
        self._workers.remove(worker)
        task = worker.pending.popleft()
        self._again.extendleft(reversed(worker.pending))
        return task, worker.end()

    def _split(self, task: Task) -> None:
        """Judge a task's predictions one by one: others of them may be harmless."""
        self._parts[task.position] = (task, {})
        self._again.extend(replace(task, predictions=(sql,)) for sql in dict.fromkeys(task.predictions))

    def _merged(self, task: Task, found: list[Scored]) -> Iterator[Answered]:
        """The task with its outcomes, once all the parts that it was split into have theirs."""
        self._deaths.pop((task.position, task.predictions), None)
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


class Remote:
    """Batches of tasks run by any `concurrent.futures.Executor`: threads, processes, Dask.

    A batch whose worker is lost is tried again; in the end it is judged here, so that nothing is lost.
    """

    def __init__(self, terms: Terms, executor: Executor, *, batches: int = 16) -> None:
        self._terms, self._executor, self._batches = terms, executor, batches

    def run(self, tasks: Iterable[Task]) -> Iterator[Answered]:
        """Judge the tasks; they come back as they are done, not in order."""
        waiting = iter(tasks)
        running: dict[Future[list[Answered]], tuple[list[Task], int]] = {}
        while True:
            while len(running) < self._batches and (batch := list(islice(waiting, _BATCH))):
                yield from self._submit(batch, 1, running)
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                batch, attempt = running.pop(future)
                if future.cancelled() or future.exception() is not None:
                    yield from self._submit(batch, attempt + 1, running)
                else:
                    yield from future.result()

    def _submit(
        self,
        batch: list[Task],
        attempt: int,
        running: dict[Future[list[Answered]], tuple[list[Task], int]],
    ) -> Iterator[Answered]:
        if attempt <= _ATTEMPTS:
            try:
                running[self._executor.submit(judge_batch, self._terms, batch)] = (batch, attempt)
            except RuntimeError:  # the executor itself is broken, or shut down
                attempt = _ATTEMPTS + 1
        if attempt > _ATTEMPTS:
            yield from judge_batch(self._terms, batch)

    def close(self) -> None:
        """The executor belongs to its owner."""


_own = threading.local()


def judge_batch(terms: Terms, tasks: Sequence[Task]) -> list[Answered]:
    """What an executor's worker does: judge the tasks in a process of its own, kept for the next batch."""
    pools: dict[Terms, Pool] = _own.__dict__.setdefault("pools", {})
    pool = pools.setdefault(terms, Pool(terms, 1))
    return list(pool.run(tasks))
