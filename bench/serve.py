"""The web app as people meet it: a process of its own, asked over HTTP on this machine."""

import gzip
import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import numpy as np

from bench.figures import Figure
from bench.parts.cancelled import seconds_to_idle
from bench.parts.served import QUESTIONS, Served, ask_by_many, lost, shop

TITLE = "Asking in a browser"
ASKED = 50  # with the first five, fewer than a session may ask in a minute
CLIENTS, MANY = 8, 200


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Served(folder, str(shop(folder))) as served:
            yield _held("start to the first page", served.seconds, 2.0, "s", "a shop of 2,000 rows")
            with served.client() as client:
                yield _transfer(client)
                yield from _answering(client)
            yield from _many(served)
        (folder / "cancelled").mkdir()
        for engine, seconds, became in seconds_to_idle(folder / "cancelled"):
            what = f"cancel of an endless query: {engine} idle"
            yield _held(what, seconds, 1.0, "s", became)


def _held(what: str, value: float, mark: float, unit: str, note: str = "") -> Figure:
    shown = f"{value:.2f} {unit}" if unit == "s" else f"{value:.0f} {unit}"
    return Figure(what, shown, f"<= {mark:g} {unit}", value <= mark, note)


def _transfer(client: httpx2.Client) -> Figure:
    """The ask page with all that it loads, as it is sent: gzip."""
    page = client.get("/ask/shop")
    parts = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    total = 0
    for path in dict.fromkeys(("/ask/shop", *parts)):
        with client.stream("GET", path, headers={"accept-encoding": "gzip"}) as sent:
            total += sum(len(chunk) for chunk in sent.iter_raw())
    plain = sum(len(gzip.compress(client.get(p).content)) for p in parts)
    assert plain, "the page loads nothing"
    return _held("ask page with all it loads, gzip", total / 1000, 50, "kB", f"{1 + len(set(parts))} files")


def _answering(client: httpx2.Client) -> Iterator[Figure]:
    """From sending the form: to the first event, and to the whole page, less what the method took."""
    for text in QUESTIONS:  # what is learned of a database once is another measurement
        _asked(client, text)
    taken = [_asked(client, QUESTIONS[n % len(QUESTIONS)]) for n in range(ASKED)]
    first, beside = (np.percentile([t[i] for t in taken], 95) * 1000 for i in (0, 1))
    yield _held("first event of an answer, p95", float(first), 100, "ms", f"{ASKED} questions")
    yield _held("page beside the method's own time, p95", float(beside), 50, "ms", f"{ASKED} questions")


def _asked(client: httpx2.Client, text: str) -> tuple[float, float]:
    """Seconds to the first event, and to the page less the method's own."""
    started, first = time.perf_counter(), None
    led = client.post("/ask/shop", data={"question": text})
    url = led.headers["location"]
    with client.stream("GET", f"{url}/events") as events:
        for line in events.iter_lines():
            if line.startswith("event:"):
                first = first or time.perf_counter() - started
            if line == "event: over":
                break
    assert client.get(url).status_code == 200
    whole = time.perf_counter() - started
    own = client.get(f"/api{url}").json()["entry"]["seconds"]
    assert first is not None
    return first, whole - own


def _many(served: Served) -> Iterator[Figure]:
    started = time.perf_counter()
    load = ask_by_many(served, clients=CLIENTS, questions=MANY, killed_after=MANY // 2)
    seconds = time.perf_counter() - started
    gone = lost(served, load)
    note = (
        f"{len(load.shown)} of {MANY} questions by {CLIENTS} clients, a SIGKILL in between, {seconds:.0f} s"
    )
    yield Figure("answers lost or changed that were shown", str(len(gone)), "0", not gone, note)
    yield Figure(
        "answers of 500, or none", str(len(load.faults)), "0", not load.faults, "503 says: come back"
    )
