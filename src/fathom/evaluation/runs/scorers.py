"""Judging in an executor; a query that kills its process becomes one question's outcome, and no more."""

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from fathom.errors import FathomError
from fathom.evaluation.runs.asker import fault_of
from fathom.evaluation.scoring.batches import BatchSize, TimedBatch
from fathom.evaluation.scoring.clusters import workers_of

Work = TypeVar("Work")
Found = TypeVar("Found")
_Piece = tuple[Callable[[Any], Any], Any, "Future[Any]"]


class WorkerDied(FathomError):
    """A piece of work failed twice, or its process died of it twice; `fault` is a failure's traceback."""

    def __init__(self, problem: str, fault: str = "") -> None:
        self.fault = fault
        super().__init__(problem)


class Scorers:
    """Runs a function over pieces of work in processes of its own.

    They are made when first needed, and made again when one dies. A piece of work that was lost is done once
    more, alone; when that fails too, `settle` raises `WorkerDied`.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = max(1, min(workers, os.cpu_count() or 1))
        self._own: ProcessPoolExecutor | None = None
        self._alone: ProcessPoolExecutor | None = None

    @property
    def ahead(self) -> int:
        """How many pieces it takes to keep all busy, where that is more than are asked at a time."""
        return 0

    def submit(self, function: Callable[[Work], Found], work: Work) -> "Future[Found]":
        """Begin a piece of work."""
        try:
            return _submit(self._pool(), function, work)
        except BrokenExecutor:
            self._discard()
            return _submit(self._pool(), function, work)

    def settle(self, future: "Future[Found]", function: Callable[[Work], Found], work: Work) -> Found:
        """The result of a future that is done. Raises `WorkerDied`.

        Which of the pieces under way killed a process or a cluster's worker isn't known, so each gets one
        try by itself, on this machine.
        """
        try:
            return future.result()
        except BrokenExecutor:
            self._discard()
        except Exception:
            # Each kind of cluster has an error of its own for a lost worker. A fault of the piece itself
            # shows below, where it is tried alone.
            pass
        self._alone = self._alone or _processes(1)
        try:
            return _submit(self._alone, function, work).result()
        except BrokenExecutor as error:
            self._alone.shutdown(wait=False)
            self._alone = None
            raise WorkerDied("the process that ran the query died") from error
        except Exception as error:
            raise WorkerDied(f"judging failed: {error!r}", fault_of(error)) from error

    def _pool(self) -> ProcessPoolExecutor:
        if self._own is None:
            self._own = _processes(self.workers)
        return self._own

    def _discard(self) -> None:
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)
            self._own = None

    def __enter__(self) -> "Scorers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in (self._own, self._alone):
            if pool is not None:
                pool.shutdown(wait=error is None, cancel_futures=True)


class InBatches(Scorers):
    """As `Scorers`, by an executor's workers. A piece goes at once while a worker is idle.

    Else pieces wait and go together, as many as take the seconds that a batch should, so that to hand them
    out costs little. Each piece has a future of its own.
    """

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self.workers = workers_of(executor)
        self._executor = executor
        self._size = BatchSize(self.workers)
        self._waiting: deque[_Piece] = deque()
        self._running: set[Future[Any]] = set()

    @property
    def ahead(self) -> int:
        """Two batches for every worker of a cluster.

        To hand a piece to a pool of this machine costs little, so no answer has to wait, for a kill to lose.
        """
        is_near = isinstance(self._executor, ThreadPoolExecutor | ProcessPoolExecutor)
        return 0 if is_near else 2 * self.workers * self._size.now

    def submit(self, function: Callable[[Work], Found], work: Work) -> "Future[Found]":
        """Have a piece of work done."""
        future: Future[Found] = Future()
        self._waiting.append((function, work, future))
        self._hand_out()
        return future

    def settle(self, future: "Future[Found]", function: Callable[[Work], Found], work: Work) -> Found:
        """As `Scorers.settle`; whoever is idle now gets what waits."""
        self._hand_out()
        return super().settle(future, function, work)

    def _hand_out(self) -> None:
        self._running = {one for one in self._running if not one.done()}
        while self._waiting and len(self._running) < 2 * self.workers:
            count = min(len(self._waiting), self._size.now)
            if count < self._size.now and len(self._running) >= self.workers:
                return
            batch = [self._waiting.popleft() for _ in range(count)]
            try:
                running = self._executor.submit(do_batch, [(function, work) for function, work, _ in batch])
            except RuntimeError as error:  # the executor itself is broken, or shut down
                for *_, future in batch:
                    future.set_exception(error)
                return
            self._running.add(running)
            running.add_done_callback(partial(self._taken_back, [future for *_, future in batch]))

    def _taken_back(self, futures: "Sequence[Future[Any]]", running: "Future[TimedBatch[Any]]") -> None:
        lost = running.cancelled() or running.exception() is not None
        seconds, found = (0.0, [(False, None)] * len(futures)) if lost else running.result()
        if not lost:
            self._size.fit(len(found), seconds)
        for future, (is_done, result) in zip(futures, found, strict=True):
            if is_done:
                future.set_result(result)
            else:
                future.set_exception(WorkerDied("it wasn't done"))


def do_batch(pieces: "Sequence[tuple[Callable[[Any], Any], Any]]") -> TimedBatch[tuple[bool, Any]]:
    """Do pieces of work in an executor's worker; gives of each that it is done, and what came of it.

    One that isn't done takes no other with it.
    """
    started = time.perf_counter()
    found = []
    for function, work in pieces:
        try:
            found.append((True, function(work)))
        except Exception:  # whatever it is: `settle` tries the piece alone, and there its fault shows
            found.append((False, None))
    return time.perf_counter() - started, found


class InThreads:
    """As `Scorers`, for work that waits rather than computes; what a piece of work raises ends the run."""

    ahead = 0  # what is asked at a time keeps them busy

    def __init__(self, workers: int = 1) -> None:
        self.workers = max(1, workers)
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="judging")

    def submit(self, function: Callable[[Work], Found], work: Work) -> "Future[Found]":
        """Begin a piece of work."""
        return self._pool.submit(function, work)

    def settle(self, future: "Future[Found]", _: Callable[[Work], Found], __: Work) -> Found:
        """The result of a future that is done. Raises what the work raised."""
        return future.result()

    def __enter__(self) -> "InThreads":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=error is None, cancel_futures=True)


def _processes(workers: int) -> ProcessPoolExecutor:
    # Spawned, because forking a process that has threads can leave the child with a lock held for ever.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_quiet)


def _submit(pool: ProcessPoolExecutor, function: Callable[[Work], Found], work: Work) -> "Future[Found]":
    """Submit without the main module: submitting may start a process."""
    with _no_main_module():
        return pool.submit(function, work)


def _quiet() -> None:
    """Leave Ctrl-C to the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep a spawned process from importing the user's script again, which would start the run in it anew."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
