"""Pieces of work that come one by one and are handed to an executor together."""

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.evaluation.runs.bench import make_benchmark
from tests.evaluation.runs.work import divide_by_zero, double_or_die

from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.scorers import InBatches, WorkerDied
from fathom.records import Question


class Holding(Executor):
    """Holds batches back until told to do one; says that each piece of it took so many seconds."""

    _max_workers = 2

    def __init__(self) -> None:
        self.held: list[tuple[Future[Any], Callable[..., Any], Any]] = []
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.sizes.append(len(args[0]))
        self.held.append((future, function, args[0]))
        return future

    def do_first(self, seconds: float) -> None:
        future, function, pieces = self.held.pop(0)
        future.set_result((seconds * len(pieces), function(pieces)[1]))

    def lose_first(self) -> None:
        self.held.pop(0)[0].set_exception(OSError("a worker was lost"))


def test_an_idle_worker_gets_a_piece_at_once_and_busy_ones_get_batches() -> None:
    executor = Holding()
    with InBatches(executor) as scorers:
        futures = [(n, scorers.submit(double_or_die, n)) for n in range(4, 104)]
        assert executor.sizes == [1] * 4  # two for each worker; all others wait
        found: dict[int, int] = {}
        while len(found) < 100:
            executor.do_first(0.01)
            done = [(n, future) for n, future in futures if future.done() and n not in found]
            found |= {n: scorers.settle(future, double_or_die, n) for n, future in done}
        assert found == {n: 2 * n for n in range(4, 104)}
        # A quarter of a second's worth once it is known what a piece takes; what is left goes to the idle.
        assert executor.sizes == [1] * 4 + [4] * 4 + [16] * 4 + [16]
        assert scorers.ahead == 2 * 2 * 25
        assert [scorers.submit(double_or_die, n).done() for n in range(4, 7)] == [False] * 3
        assert executor.sizes[-3:] == [16, 1, 1]  # a third waits for more, as both workers are busy
        executor.do_first(0.01)
        assert scorers.ahead == 100  # a batch that wasn't full makes none smaller


def test_a_piece_that_fails_takes_no_other_along_and_a_lost_batch_is_done_here() -> None:
    executor = Holding()
    with InBatches(executor) as scorers:
        first = [scorers.submit(double_or_die, n) for n in (0, 1, 2, 4)]
        executor.do_first(0.001)
        assert scorers.settle(first[0], double_or_die, 0) == 0
        work = [double_or_die, divide_by_zero, double_or_die, double_or_die]
        together = [scorers.submit(function, n) for n, function in enumerate(work, 5)]
        assert executor.sizes == [1, 1, 1, 1, 4]
        executor.lose_first()
        assert scorers.settle(first[1], double_or_die, 1) == 2
        for _ in range(3):
            executor.do_first(0.001)
        assert [future.exception() is None for future in together] == [True, False, True, True]
        assert scorers.settle(together[3], work[3], 8) == 16
        with pytest.raises(WorkerDied, match="judging failed: ZeroDivisionError"):
            scorers.settle(together[1], work[1], 6)


def test_work_goes_on_here_where_the_executor_is_shut_down() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with InBatches(pool) as scorers:
        futures = [scorers.submit(double_or_die, n) for n in range(3)]
        assert [scorers.settle(future, double_or_die, n) for n, future in enumerate(futures)] == [0, 2, 4]


def test_questions_are_asked_on_while_workers_judge(tmp_path: Path) -> None:
    asked: list[str] = []
    enough = Event()
    waited: list[tuple[bool, int]] = []

    class Waiting(Executor):
        """A cluster of two threads, for all that is known of it."""

        _max_workers = 2

        def submit(self, function: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
            return pool.submit(self._later, function, *args)

        def _later(self, function: Callable[..., Any], *args: Any) -> Any:
            in_time = enough.wait(10)
            if not waited:
                time.sleep(0.1)  # in which nothing more is asked
            waited.append((in_time, len(asked)))
            return function(*args)

    def method(question: Question) -> str:
        asked.append(question.id)
        if len(asked) == 4:
            enough.set()
        return f"SELECT name FROM gene WHERE id = {question.id[1:]}"

    with ThreadPoolExecutor(2) as pool:
        options = RunOptions(out=tmp_path / "run", executor=Waiting(), limit=12)
        run = evaluate(make_benchmark(tmp_path), method, options)
    assert waited[0] == (True, 4)  # two batches for each worker, whose size isn't known yet
    assert run.summary().all["correct"] == 12
