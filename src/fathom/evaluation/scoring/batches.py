"""Pieces of work handed to an executor in batches, of which none is lost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice
from typing import Generic, TypeVar

T_terms = TypeVar("T_terms")
Piece = TypeVar("Piece")
Done = TypeVar("Done")
TimedBatch = tuple[float, list[Done]]
"""How many seconds a batch took, and what came of its pieces."""

MOST_IN_A_BATCH = 2_000
_BATCH_SECONDS = 0.25
"""A batch for an executor takes about so long: far more than what a cluster needs to hand it out."""
_SECONDS_A_WORKER = 0.004
"""Longer with many workers: a batch costs who hands it out some thousandths of a second, whatever is in it.

What it costs besides for every piece, about two ten-thousandths, no size of batches mends (`bench scale`):
one process keeps some ten workers busy with pieces of two thousandths, and a thousand with pieces of 0.2 s.
"""
_ATTEMPTS = 3


def batch_seconds(workers: int) -> float:
    """How long a batch should take where so many are at work."""
    return max(_BATCH_SECONDS, _SECONDS_A_WORKER * workers)


class BatchSize:
    """How many pieces go into a batch: the `first` few, then as many as take the seconds that it should."""

    def __init__(self, workers: int, first: int = 1) -> None:
        self._seconds = batch_seconds(workers)
        self.now = first

    def fit(self, count: int, seconds: float) -> None:
        """Have the next batches take as long as they should, by the last one; at most four times as many.

        One that was handed out before it was full makes none smaller.
        """
        wanted = int(count * self._seconds / max(seconds, 1e-6))
        self.now = min(max(wanted, 1), max(4 * count, self.now), MOST_IN_A_BATCH)


class Batches(Generic[T_terms, Piece, Done]):
    """Batches of pieces done by any `concurrent.futures.Executor`: threads, processes, Dask.

    `work` does a batch on terms that all share; it is found by its name wherever it runs, and the terms and
    the pieces pickle. Batches grow from the `first` with what pieces turn out to take, so that handing them
    out costs little; twice as many as there are `workers` are under way. A batch whose worker is lost is
    tried again; in the end it is done here, so that nothing is lost.
    """

    def __init__(
        self,
        work: Callable[[T_terms, Sequence[Piece]], TimedBatch[Done]],
        terms: T_terms,
        executor: Executor,
        *,
        workers: int = 8,
        first: int = 1,
    ) -> None:
        self._work, self._terms, self._executor, self._workers = work, terms, executor, workers
        self._size = BatchSize(workers, first)

    def run(self, pieces: Iterable[Piece]) -> Iterator[Done]:
        """Do the pieces; they come back as they are done, not in order."""
        waiting = iter(pieces)
        running: dict[Future[TimedBatch[Done]], tuple[list[Piece], int]] = {}
        while True:
            while len(running) < 2 * self._workers and (batch := list(islice(waiting, self._size.now))):
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
                    self._size.fit(len(batch), seconds)
                    yield from answers

    def _submit(
        self,
        batch: list[Piece],
        attempt: int,
        running: "dict[Future[TimedBatch[Done]], tuple[list[Piece], int]]",
    ) -> Iterator[Done]:
        if attempt <= _ATTEMPTS:
            try:
                running[self._executor.submit(self._work, self._terms, batch)] = (batch, attempt)
            except RuntimeError:  # the executor itself is broken, or shut down
                attempt = _ATTEMPTS + 1
        if attempt > _ATTEMPTS:
            yield from self._work(self._terms, batch)[1]

    def close(self) -> None:
        """The executor belongs to its owner."""
