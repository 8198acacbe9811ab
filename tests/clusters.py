"""A Dask cluster of two workers on this machine, whose workers stand in another folder than who asks them."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

distributed: Any = pytest.importorskip("distributed")

# Dask's own threads and sockets end a moment after their cluster.
quiet_end = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@contextmanager
def two_workers(elsewhere: Path) -> Iterator[Any]:
    """The cluster; a worker that dies is started again."""
    before = Path.cwd()
    os.chdir(elsewhere)
    try:
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        )
    finally:
        os.chdir(before)
    with cluster:
        yield cluster


def address_of(cluster: Any) -> str:
    """What `--executor` takes."""
    return f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"


def kill_at_work(cluster: Any) -> int:
    """Kill a worker that has work; how many batches it had."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for nanny in list(cluster.workers.values()):
            known = cluster.scheduler.workers.get(nanny.worker_address)
            if known is not None and (had := len(known.processing)):
                os.kill(nanny.pid, signal.SIGKILL)
                return had
        time.sleep(0.005)
    return 0
