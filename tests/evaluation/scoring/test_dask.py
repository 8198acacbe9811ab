"""A cluster of several workers on this machine, one of which is killed half-way."""

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fathom.errors import ConfigError
from fathom.evaluation.scoring import ScoreOptions, score
from fathom.evaluation.scoring.clusters import connect_cluster
from tests.evaluation.scoring.conftest import lines

distributed: Any = pytest.importorskip("distributed")

# Dask's own threads and sockets end a moment after their cluster.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
SLOW = (
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 200000) SELECT count(*) + {} FROM r"
)


def test_a_worker_killed_half_way_loses_nothing(bench: Path) -> None:
    count = 120
    questions = [
        {"id": f"q{i}", "question": "?", "database": "t.sqlite", "gold": [f"SELECT {200_000 + i}"]}
        for i in range(count)
    ]
    file = lines(bench.parent / "many.jsonl", questions)
    predictions = lines(
        bench.parent / "p.jsonl", [{"id": f"q{i}", "sql": SLOW.format(i)} for i in range(count)]
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        killed: list[int] = []

        def kill_one() -> None:
            time.sleep(1.0)
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        with connect_cluster(f"dask://{address}") as executor:
            total = score(file, predictions, ScoreOptions(executor=executor))
        killer.join()
    assert killed
    assert (total.n, total.correct) == (count, count)


@pytest.mark.parametrize("address", ["spark://here:1", "dask://", "dask://127.0.0.1:1"])
def test_an_address_without_a_cluster_is_told(address: str) -> None:
    with pytest.raises(ConfigError, match=r"executor|scheduler"), connect_cluster(address):
        pass
