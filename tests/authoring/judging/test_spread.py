"""Answers judged on a cluster of two workers, one of which is killed half-way."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.analysis.shop import make_shop
from tests.command import Fathom

distributed: Any = pytest.importorskip("distributed")

# Dask's own threads and sockets end a moment after their cluster.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
COUNT = 40


def lines(file: Path) -> dict[str, dict[str, Any]]:
    read = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(read) == len({one["id"] for one in read})
    return {one["id"]: one for one in read}


def test_a_cluster_judges_as_one_process_does_and_loses_nothing(
    fathom: Fathom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_shop(tmp_path / "shop.sqlite")
    answers = tmp_path / "answers.jsonl"
    given = [
        {"id": str(n), "question": "How many customers?", "answer": f"There are {n + 80} customers."}
        for n in range(COUNT)
    ]
    answers.write_text("".join(json.dumps(one) + "\n" for one in given))
    monkeypatch.chdir(tmp_path)  # a path from here, where no worker stands
    asked = ("judge", "business", answers, "--database", "shop.sqlite", "--json")
    alone, spread = tmp_path / "alone.jsonl", tmp_path / "spread.jsonl"
    told = json.loads(fathom(*asked, "-o", alone).out)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        killed: list[int] = []

        def kill_one() -> None:
            until = time.monotonic() + 60
            while time.monotonic() < until and not (spread.exists() and spread.stat().st_size):
                time.sleep(0.02)
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        address = f"dask://{cluster.scheduler_address.removeprefix('tcp://')}"
        done = fathom(*asked, "-o", spread, "--executor", address)
        killer.join()
        again = fathom(*asked, "-o", spread, "--executor", address)
    assert done.code == 0, done.err
    assert killed
    assert lines(spread) == lines(alone)
    assert json.loads(done.out) == json.loads(again.out) == {**told, "kept": str(spread)}
    assert told["factual_correctness"]["n"] == COUNT


def test_what_waits_for_a_model_takes_no_executor(fathom: Fathom, tmp_path: Path) -> None:
    refused = fathom("judge", "bird", tmp_path, "--model", "openai:m", "--executor", "dask://here:1")
    assert refused.code == 1
    assert "judge business" in refused.err
    both = ("judge", "business", tmp_path, "--database", "demo:biomed", "--model", "openai:m")
    assert "Leave out one" in fathom(*both, "--executor", "dask://here:1").err
