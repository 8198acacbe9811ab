"""Judging in an executor; a query that kills its process becomes one question's outcome, and no more."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from types import ModuleType, TracebackType
from typing import TypeVar

from fathom.errors import FathomError
from fathom.evaluation.runs.asker import fault_of

Work = TypeVar("Work")
Found = TypeVar("Found")


class WorkerDied(FathomError):
    """A piece of work failed twice, or its process died of it twice; `fault` is a failure's traceback."""

    def __init__(self, problem: str, fault: str = "") -> None:
        self.fault = fault
        super().__init__(problem)


class Scorers:
    """Runs a function over pieces of work in any executor; in processes of its own where none is given.

    Own processes are made when first needed, and made again when one dies. A piece of work that was lost is
    done once more, alone; when that fails too, `settle` raises `WorkerDied`.
    """

    def __init__(self, executor: Executor | None = None, *, workers: int = 1) -> None:
        self.workers = max(1, min(workers, os.cpu_count() or 1))
        self._given = executor
        self._own: ProcessPoolExecutor | None = None
        self._alone: ProcessPoolExecutor | None = None

    def submit(self, function: Callable[[Work], Found], work: Work) -> "Future[Found]":
        """Begin a piece of work."""
        if self._given is not None:
            return self._given.submit(function, work)
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


class InThreads:
    """As `Scorers`, for work that waits rather than computes; what a piece of work raises ends the run."""

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
