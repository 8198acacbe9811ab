"""Scoring on a Dask cluster against processes of this machine, and what a cluster of many workers would need.

The cluster's workers are processes here. What more of them would do is simulated from what was measured: the
seconds that one pair takes in a worker, those that handing out a batch costs, and those that this process
spends on each pair besides. The last hold the cluster's scheduler, which works in this process here and on a
machine of its own elsewhere, so that the simulation is on the safe side.
"""

import heapq
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench.figures import Figure
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring import ScoreOptions, score
from fathom.evaluation.scoring.batches import MOST_IN_A_BATCH, TimedBatch, batch_seconds
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.evaluation.scoring.judge import Scored, Task
from fathom.evaluation.scoring.pool import Answered
from fathom.evaluation.scoring.worker import Terms

distributed: Any = import_module("distributed")  # has no types

TITLE = "Scoring beyond one machine"
PAIRS = 100_000
WORKERS = 2
ROUNDS = 3
EMPTY_BATCHES, TASKS_IN_ONE = 400, 250
"""Batches whose tasks are answered without being judged: as many tasks as a quarter of a second holds."""
QUESTIONS = 10_000_000
SLOW_SHARE, SLOW_SECONDS = 0.001, 1.0
"""Of simulated pairs one in a thousand takes so long: a query without an index."""


def measure() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        bench, predictions = _files(Path(name))
        here: list[float] = []
        there: list[float] = []
        own: list[float] = []
        with (
            distributed.LocalCluster(
                n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            connect_cluster(f"dask://{cluster.scheduler_address.removeprefix('tcp://')}") as executor,
        ):
            for _ in range(ROUNDS):
                here.append(_seconds(bench, predictions, workers=WORKERS))
                busy = time.process_time()
                there.append(_seconds(bench, predictions, executor=executor))
                own.append((time.process_time() - busy) / PAIRS)
            empty, full = (_handing_out(executor, count) for count in (1, TASKS_IN_ONE))
        ratio = median(a / b for a, b in zip(there, here, strict=True))
        yield Figure(
            f"{PAIRS:,} pairs on {WORKERS} Dask workers against {WORKERS} processes", f"{ratio:.2f} times",
            "<= 1.25", ratio <= 1.25, f"{median(there):.1f} s against {median(here):.1f} s",
        )  # fmt: skip
        pair = WORKERS * median(here) / PAIRS
        yield Figure("handing out a batch of one task that nobody judges", f"{1000 * empty:.1f} ms")
        yield Figure(f"handing out a batch of {TASKS_IN_ONE}", f"{1000 * full:.1f} ms")
        yield Figure("one pair in one process", f"{1000 * pair:.2f} ms")
        yield Figure("what handing out and taking back costs a pair", f"{1000 * median(own):.3f} ms")
        for workers in (1, 10, 100, 1_000):
            yield _simulated(workers, pair, empty, median(own))


def _simulated(workers: int, pair: float, handing: float, own: float) -> Figure:
    """Time for the questions: one process hands batches out and takes them back, workers judge them.

    `pair` are a worker's seconds for one, `handing` this process's for a batch and `own` for each pair in it.
    """
    source = Random(workers)
    count = min(max(int(batch_seconds(workers) / pair), 1), MOST_IN_A_BATCH)
    batches, left = divmod(QUESTIONS, count)
    free = [0.0] * workers
    clock = 0.0
    slow = count * SLOW_SHARE
    for number in range(batches + (left > 0)):
        size = count if number < batches else left
        clock += handing + size * own
        begun = max(clock, heapq.heappop(free))
        stalls = int(slow) + (source.random() < slow % 1)
        heapq.heappush(free, begun + size * pair + stalls * SLOW_SECONDS)
    seconds = max(free)
    work = QUESTIONS * (pair + SLOW_SHARE * SLOW_SECONDS)
    share = work / workers / seconds
    return Figure(
        f"simulated: {QUESTIONS:,} questions on {workers:,} workers", _told(seconds), "", None,
        f"{share:.0%} of the workers' time is work; batches of {count}; "
        f"one process hands out for {_told(clock)}",
    )  # fmt: skip


def _told(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds > 3600 else f"{seconds / 60:.1f} min"


def _handing_out(executor: Any, count: int) -> float:
    """Seconds that a batch of so many tasks costs beside the work in it, many batches at once."""
    terms = Terms("sql_eval")
    tasks = [Task(i, str(i), "t.sqlite", (f"SELECT {i} FROM t",), (f"SELECT {i}",)) for i in range(count)]
    started = time.perf_counter()
    for future in [executor.submit(answered, terms, tasks) for _ in range(EMPTY_BATCHES)]:
        if len(future.result()[1]) != count:
            raise AssertionError("tasks were lost")
    return (time.perf_counter() - started) / EMPTY_BATCHES


def answered(terms: Terms, tasks: Sequence[Task]) -> TimedBatch[Answered]:
    """A batch as it comes back, with an outcome for every task, of which none was judged."""
    return 0.0, [(task, [Scored(Outcome.CORRECT, "exact", 1.0)]) for task in tasks]


def _seconds(bench: Path, predictions: Path, **where: Any) -> float:
    started = time.perf_counter()
    total = score(bench, predictions, ScoreOptions(**where))
    if total.n != PAIRS:
        raise AssertionError(f"{PAIRS - total.n} pairs were lost")
    return time.perf_counter() - started


def _files(folder: Path) -> tuple[Path, Path]:
    """As many questions as pairs over one table, every query another text."""
    with closing(sqlite3.connect(folder / "t.sqlite")) as made:
        made.execute("CREATE TABLE t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r"
                     " LIMIT 1000) SELECT n FROM r")  # fmt: skip
        made.commit()
    bench, predictions = folder / "own.jsonl", folder / "predictions.jsonl"
    with bench.open("w") as golds, predictions.open("w") as told:
        for i in range(PAIRS):
            gold = f"SELECT count(*), {i} FROM t WHERE n > {i % 1000}"
            entry = {"id": str(i), "question": f"Which {i}?", "database": "t.sqlite", "gold": [gold]}
            golds.write(json.dumps(entry) + "\n")
            sql = f"SELECT count(n), {i} FROM t WHERE n >= {i % 1000}"
            told.write(json.dumps({"id": str(i), "sql": sql}) + "\n")
    return bench, predictions
