"""How robust the client is: many calls with faults from two processes, and a stream larger than memory."""

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.figures import Figure
from fathom.biotools.catalogue import check
from fathom.biotools.client import Client, ClientOptions
from fathom.biotools.loopback import Faults, Loopback
from fathom.errors import FathomError

TITLE = "Calls of the biomedical APIs: faults, rates, memory (against the loopback server)"
CALLS, SHARE, RATE, MEGABYTES = 1000, 0.05, 40.0, 200


def call_many(folder: str, bases: dict[str, str], first: int, count: int) -> tuple[int, list[str]]:
    """Make calls as one of several processes: how many were answered, and what was lost."""
    options = ClientOptions(
        folder=Path(folder), bases=bases, rates={"uniprot": RATE}, first_pause=0.05, timeout=1.0
    )
    lost = []
    with Client(options) as client:
        for number in range(first, first + count):
            try:
                found = client.call("get_taxonomy_by_id", {"taxonId": number}).json["taxonId"]
            except FathomError as error:
                lost.append(str(error))
            else:
                lost += [] if found == number else [f"{number} got {found}"]
    return count - len(lost), lost


def stream_large(folder: str, bases: dict[str, str]) -> tuple[int, float]:
    """Stream a large body in this process: its bytes, and how far the memory grew beyond that of a client."""
    with Client(ClientOptions(folder=Path(folder), bases=bases)) as client:
        client.call("get_taxonomy_by_id", {"taxonId": 9606})
        size = sum(map(len, client.stream(check("stream_uniprotkb", {"query": "gene:TP53"}))))
    return size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure() -> Iterable[Figure]:
    processes = multiprocessing.get_context("spawn")
    faults = Faults(share=SHARE, seed=7)
    with tempfile.TemporaryDirectory() as folder, Loopback(limits={"uniprot": RATE}, faults=faults) as server:
        began = time.monotonic()
        with processes.Pool(2) as pool:
            half = CALLS // 2
            jobs = [(folder, server.bases, first, half) for first in (100_000, 200_000)]
            done = pool.starmap(call_many, jobs)
        answered, refused = sum(d[0] for d in done), server.refused["uniprot"]
        seconds, requests = time.monotonic() - began, len(server.times["uniprot"])
        told = ", ".join(f"{n} {k}" for k, n in faults.told.items())
    yield Figure(
        f"{CALLS} calls, two processes, {SHARE:.0%} faults: answered",
        str(answered),
        f"{CALLS}",
        answered == CALLS,
        told,
    )
    yield Figure(
        "requests beyond the rate limit",
        str(refused),
        "0",
        refused == 0,
        f"{requests} requests at {RATE:g}/s in {seconds:.0f} s",
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        Loopback(stream_megabytes=MEGABYTES) as server,
        processes.Pool(1) as pool,
    ):
        size, peak = pool.apply(stream_large, (folder, server.bases))
    yield Figure(
        f"memory of the process that streams {size / 1e6:.0f} MB", f"{peak:.0f} MB", "< 100 MB", peak < 100
    )
