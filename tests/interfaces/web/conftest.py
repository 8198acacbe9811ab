import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser
from tests.sampling import Sample

from fathom.answering.store import Store
from fathom.biotools.client import Client
from fathom.config import Settings
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Rules, Site, addresses

TOKEN = "the-token-ü"
HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
HOSTILE = "<script>alert(1)</script>\u202e</textarea>"
ODD = '"odd <script>alert(2)</script>"'
"""A table whose name means no good, as SQL has it."""


def shop(folder: Path) -> Path:
    path = folder / "shop.db"
    made = sqlite3.connect(path)
    made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT, year INTEGER, amount REAL)")
    rows = [("Bern", 2014, 10.5), ("Bern", 2015, 20.0), ("Rome", 2014, 7.0), ("Rome", 2015, 9.25)]
    made.executemany("INSERT INTO sale (city, year, amount) VALUES (?, ?, ?)", rows)
    made.execute(f"CREATE TABLE {ODD} (note TEXT)")
    made.executemany(f"INSERT INTO {ODD} VALUES (?)", [(HOSTILE,), ("=1+1",)])
    made.commit()
    made.close()
    return path


def made_site(
    folder: Path, *, packs: Mapping[str, tuple[Path, ...]] = {}, tools: Client | None = None, **rules: Any
) -> Site:
    settings = Settings(
        folder / "config.toml",
        folder / "cache",
        store=folder / "fathom.sqlite",
        databases={"shop": str(shop(folder))},
        packs=packs,
    )
    allowed = Rules(TOKEN, frozenset({HOST, "localhost:8765"}), frozenset({ORIGIN}), **rules)
    return Site(settings, allowed, Store(settings.store), addresses((), settings), tools=tools)


@pytest.fixture(scope="session", autouse=True)
def looked_at(sample: Sample) -> None:
    """In a sample, pages are looked at in one form each."""
    from tests.interfaces.web.live import Walker

    Walker.sample = sample


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return made_site(tmp_path)


@pytest.fixture
def client(site: Site) -> Iterator[TestClient]:
    """A browser that is logged in, without a script."""
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        assert opened.get("/", params={"t": TOKEN}).status_code == 200
        opened.headers["sec-fetch-site"] = "same-origin"
        yield opened


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    """Chromium for the tests of one file: while it is open, no other test may run a loop of its own."""
    from tests.interfaces.web.live import browser

    with browser() as one:
        yield one


Asked = Callable[..., dict[str, Any]]


@pytest.fixture
def asked(client: TestClient) -> Asked:
    """Asks the shop, waits, and gives the answer's page as JSON."""

    def ask(question: str, **more: str) -> dict[str, Any]:
        done = client.post("/api/ask/shop", json={"question": question, **more})
        assert done.status_code == 201, done.text
        return finished(client, done.json()["id"])

    return ask


def finished(client: TestClient, id_: str, within: float = 60) -> dict[str, Any]:
    until = monotonic() + within
    while monotonic() < until:
        page: dict[str, Any] = client.get(f"/api/a/{id_}").json()
        if page["entry"]["status"] not in ("waiting", "working"):
            return page
        sleep(0.05)
    raise AssertionError(f"{id_} isn't finished")
