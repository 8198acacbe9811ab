"""Tasks spread over processes, here or where an executor takes them; each comes back with its outcomes."""

import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.batches import Batches, TimedBatch
from fathom.evaluation.scoring.judge import Scored, Task
from fathom.evaluation.scoring.worker import Terms, Worker
from fathom.processes.child import ChildEnded

if TYPE_CHECKING:
    from concurrent.futures import Executor

Answered = tuple[Task, list[Scored]]
_FIRST_BATCH = 8


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
            told = wait([w.fileno() for w in busy], min(left) + 0.01 if left else None)
            ready = [w for w in busy if w.fileno() in told]
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


class ExecutorPool(Batches[Terms, Task, Answered]):
    """Batches of tasks judged by any `concurrent.futures.Executor`: threads, processes, Dask."""

    def __init__(self, terms: Terms, executor: "Executor", *, workers: int = 8) -> None:
        super().__init__(judge_batch, terms, executor, workers=workers, first=_FIRST_BATCH)


_own = threading.local()


def judge_batch(terms: Terms, tasks: Sequence[Task]) -> TimedBatch[Answered]:
    """Judge the tasks in an executor's worker, with processes that are kept for the next batch."""
    started = time.perf_counter()
    pools: dict[Terms, WorkerPool] = _own.__dict__.setdefault("pools", {})
    pool = pools.setdefault(terms, WorkerPool(terms, 1))
    answers = list(pool.run(tasks))
    return time.perf_counter() - started, answers
