"""The web app as a process of its own, and clients that ask it."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx2

PATIENCE = 120.0
"""Seconds until a client gives an answer up."""
FINISHED = frozenset(("sure", "unsure", "unknown", "failed", "cancelled", "interrupted"))


def shop(folder: Path, rows: int = 2_000) -> Path:
    """A small database to ask."""
    file = folder / "shop.db"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT, year INTEGER, amount REAL)")
        cities = ("Bern", "Rome", "Oslo", "Lima")
        values = ((cities[i % 4], 2010 + i % 12, i % 97 + 0.5) for i in range(rows))
        made.executemany("INSERT INTO sale (city, year, amount) VALUES (?, ?, ?)", values)
    made.close()
    return file


class Served:
    """`fathom serve` on a port of its own, with settings, cache and store in a folder."""

    def __init__(
        self, folder: Path, *databases: str, port: int = 0, token: str = "t" * 32, more: tuple[str, ...] = ()
    ) -> None:
        self.folder, self.databases, self.token, self.more = folder, databases, token, more
        self.port, self.seconds = port, 0.0
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[str]":
        started = time.perf_counter()
        kept = {
            "FATHOM_CONFIG": str(self.folder / "config.toml"),
            "FATHOM_CACHE": os.environ.get("FATHOM_CACHE") or str(self.folder / "cache"),
            "FATHOM_STORE": str(self.folder / "fathom.sqlite"),
        }
        command = (sys.executable, "-m", "fathom", "serve", *self.databases)
        options = ("--port", str(self.port), "--token", self.token, *self.more)
        process = subprocess.Popen(
            (*command, *options),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | kept,
        )  # fmt: skip
        assert process.stdout is not None
        shown = process.stdout.readline().strip().partition("/?t=")[0]
        self.port = self.port or int(shown.rpartition(":")[2])
        self.url = f"http://127.0.0.1:{self.port}"  # also where a proxy's address is shown
        told = httpx2.get(self.url, headers={"authorization": f"Bearer {self.token}"}, timeout=PATIENCE)
        assert told.status_code == 200, told.text
        self.seconds = time.perf_counter() - started
        return process

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def client(self) -> httpx2.Client:
        """A browser that is let in, with a session of its own."""
        with httpx2.Client(base_url=self.url) as stranger:
            let_in = stranger.get("/login", params={"t": self.token})
        assert let_in.status_code == 303
        headers = {"sec-fetch-site": "same-origin"}
        return httpx2.Client(base_url=self.url, headers=headers, cookies=let_in.cookies, timeout=30)

    def kill(self) -> None:
        """End it as a power failure would."""
        self._process.send_signal(signal.SIGKILL)
        self._ended(PATIENCE)

    def start_again(self) -> None:
        """On the same port, with the same folder."""
        self._process = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._ended(15)

    def _ended(self, within: float) -> None:
        with self._process as process:  # closes what it is read by
            try:
                process.wait(within)
            except subprocess.TimeoutExpired:
                process.kill()


@dataclass
class Load:
    """What clients saw: each answer as it was shown first, by its number, and every fault of the server."""

    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    killed_after: int = 0
    enough: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)


QUESTIONS = (
    "How many sales are there?",
    "How many sales are there per city?",
    "What is the average amount per year?",
    "Which city has the most sales?",
    "How many unicorns are there?",
)


def ask_by_many(served: Served, *, clients: int, questions: int, killed_after: int) -> Load:
    """Ask by several clients at once; after some answers the server is killed and started again."""
    load = Load(killed_after=killed_after)
    share = questions // clients
    workers = [
        threading.Thread(target=_ask_some, args=(served, load, number, share)) for number in range(clients)
    ]
    for worker in workers:
        worker.start()
    load.enough.wait(PATIENCE)
    served.kill()
    served.start_again()
    for worker in workers:
        worker.join()
    return load


def _ask_some(served: Served, load: Load, number: int, share: int) -> None:
    with served.client() as client:
        for turn in range(share):
            key = f"client-{number}-{turn}"
            question = QUESTIONS[(number + turn) % len(QUESTIONS)]
            try:
                id_ = _posted(client, load, question, key)
                page = _finished(client, load, id_)
            except TimeoutError as error:
                load.faults.append(f"{key}: {error}")
                continue
            with load.lock:
                load.keys[key] = id_
                load.shown[id_] = page
                if len(load.shown) >= load.killed_after:
                    load.enough.set()


def _posted(client: httpx2.Client, load: Load, question: str, key: str) -> str:
    """Ask until it is taken; the key keeps it from being asked twice."""
    for asked in _answers(client, load, "POST", "/api/ask/shop", {"question": question, "key": key}):
        if asked.status_code == 201:
            return str(asked.json()["id"])
    raise TimeoutError("not taken")


def _finished(client: httpx2.Client, load: Load, id_: str) -> dict[str, Any]:
    for seen in _answers(client, load, "GET", f"/api/a/{id_}"):
        if seen.status_code == 200 and seen.json()["entry"]["status"] in FINISHED:
            return dict(seen.json())
    raise TimeoutError("not finished")


def _answers(
    client: httpx2.Client, load: Load, method: str, path: str, body: Any = None
) -> Iterator[httpx2.Response]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            answered = client.request(method, path, json=body)
        except httpx2.TransportError:  # it is being started again
            time.sleep(0.1)
            continue
        if answered.status_code >= 500 and answered.status_code != 503:  # 503: come back in a moment
            load.faults.append(f"{method} {path}: {answered.status_code}")
        yield answered
        time.sleep(0.05)


def lost(served: Served, load: Load) -> list[str]:
    """Answers that were shown and are gone or others by now, and questions that history lacks."""
    with served.client() as client:
        found = []
        for id_, page in load.shown.items():
            now = client.get(f"/api/a/{id_}")
            if now.status_code != 200 or any(now.json()[part] != page[part] for part in ("entry", "answer")):
                found.append(id_)
        listed, before = set(), None
        while True:
            page = client.get("/api/history", params={"before": before} if before is not None else {}).json()
            listed |= {entry["id"] for entry in page["entries"]}
            if (before := page["more"]) is None:
                return found + sorted(set(load.shown) - listed)
