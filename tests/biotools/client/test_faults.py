import multiprocessing
from pathlib import Path

from bench.biotools_client import call_many

from fathom.biotools.loopback import Faults, Loopback


def test_two_processes_lose_no_call_and_keep_one_rate(tmp_path: Path) -> None:
    faults = Faults(share=0.12, seed=2, slow_seconds=0.05)
    with Loopback(limits={"uniprot": 40.0}, faults=faults) as server:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            jobs = [(str(tmp_path), server.bases, first, 30) for first in (1000, 2000)]
            done = pool.starmap(call_many, jobs)
        assert [d[1] for d in done] == [[], []]
        assert sum(d[0] for d in done) == 60
        assert server.refused == {}
    assert sum(faults.told.values()) >= 3
