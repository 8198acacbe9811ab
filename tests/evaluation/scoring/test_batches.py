"""How many tasks an executor is handed at once."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from fathom.evaluation.scoring.batches import batch_seconds
from fathom.evaluation.scoring.clusters import workers_of
from fathom.evaluation.scoring.judge import Task
from fathom.evaluation.scoring.pool import ExecutorPool
from fathom.evaluation.scoring.worker import Terms

TERMS = Terms("spider", 10.0)


class Pretending(Executor):
    """Says of each batch that its tasks took so long each, without judging them; notes what it was given."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **_: Any) -> "Future[Any]":
        tasks = args[1]
        self.sizes.append(len(tasks))
        done: Future[Any] = Future()
        done.set_result((self.seconds * len(tasks), [(task, []) for task in tasks]))
        return done


def tasks(count: int) -> list[Task]:
    return [Task(i, str(i), "t.sqlite", ("SELECT 1",), ("SELECT 1",)) for i in range(count)]


def test_batches_grow_until_they_take_a_quarter_of_a_second() -> None:
    executor = Pretending(0.001)
    found = list(ExecutorPool(TERMS, executor, workers=1).run(tasks(2_000)))
    assert len(found) == 2_000
    assert executor.sizes[:2] == [8, 8]
    assert max(executor.sizes) == 250
    assert all(later <= 4 * sooner for sooner, later in zip(executor.sizes, executor.sizes[2:], strict=False))


def test_slow_tasks_go_one_by_one() -> None:
    executor = Pretending(3.0)
    assert len(list(ExecutorPool(TERMS, executor, workers=1).run(tasks(30)))) == 30
    assert executor.sizes == [8, 8, *[1] * 14]


def test_batches_take_longer_where_there_are_many_workers() -> None:
    assert batch_seconds(1) == batch_seconds(60) == 0.25
    assert batch_seconds(1_000) == 4.0
    executor = Pretending(0.01)
    list(ExecutorPool(TERMS, executor, workers=100).run(tasks(30_000)))
    assert max(executor.sizes) == 40
    assert executor.sizes[:200] == [8] * 200


def test_an_executor_tells_how_many_work() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert workers_of(pool) == 3
    assert workers_of(Pretending(1.0)) == 8


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_tells_how_many_work() -> None:
    distributed: Any = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=5, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert workers_of(client.get_executor()) == 5
