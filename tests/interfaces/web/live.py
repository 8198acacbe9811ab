"""The web app on a real socket, and a browser that walks it and notes every fault."""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, ClassVar

import httpx2
import pytest
import uvicorn
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from tests.interfaces.web.conftest import TOKEN
from tests.sampling import Sample

from fathom.answering.store import Store
from fathom.config import Settings, read_settings
from fathom.interfaces.web.site import Rules, Site, addresses
from fathom.interfaces.web.users import Gate

PICTURES = os.environ.get("FATHOM_PICTURES")
"""A folder for pictures of all that is looked at."""
NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
FORMS = (
    ("light", "light", WIDE), ("dark", "dark", WIDE), ("narrow", "light", NARROW),
    ("dark narrow", "dark", NARROW),
)  # fmt: skip
"""Each with its name, its colours, and the size of its window."""
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-dev-shm-usage",
)  # fmt: skip
_NOTE_VIOLATIONS = """
window.violations = [];
addEventListener("securitypolicyviolation", (e) =>
  violations.push(`${e.effectiveDirective} ${e.blockedURI}`));
"""
_AXE = """axe.run({resultTypes: ['violations'], rules: {'target-size': {enabled: true}}})
  .then((r) => r.violations)"""


@dataclass(frozen=True)
class Live:
    """A server that answers at `url`, and a client of its API that is let in."""

    url: str
    site: Site
    api: httpx2.Client

    def ask(self, database: str, question: str, **more: str) -> str:
        """The number of an answer, once it is finished."""
        return self.finished(self.post(f"/api/ask/{database}", question=question, **more))

    def post(self, path: str, **body: Any) -> str:
        """What came of it: the number of an answer."""
        done = self.api.post(path, json=body)
        assert done.status_code == 201, done.text
        made: str = done.json()["id"]
        return made

    def finished(self, id_: str, within: float = 60) -> str:
        """The same number, once the answer is there."""
        until = monotonic() + within
        while self.api.get(f"/api/a/{id_}").json()["entry"]["status"] in ("waiting", "working"):
            assert monotonic() < until, f"{id_} isn't finished"
            sleep(0.05)
        return id_


@contextmanager
def serving(folder: Path, *named: str, **more: Any) -> Iterator[Live]:
    """Serve databases until the end of the block; `tools` is a client of the tools, the rest are rules."""
    listening = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    url = f"http://{host}"
    cache = read_settings().cache  # the sample database is made and indexed once for all tests
    settings = Settings(
        folder / "config.toml", cache, store=folder / "fathom.sqlite", packs=more.pop("packs", {}),
        destinations=more.pop("destinations", {}),
    )  # fmt: skip
    tools = more.pop("tools", None)
    rules = Rules(TOKEN, frozenset({host}), frozenset({url}), **{"jobs_a_minute": 1_000, **more})
    served = addresses(named, settings)
    site = Site(settings, rules, Store(settings.store), served, tools=tools, named=named)
    server = uvicorn.Server(
        uvicorn.Config(Gate(site), log_level="warning", lifespan="on", timeout_graceful_shutdown=2)
    )
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        headers = {"authorization": f"Bearer {TOKEN}".encode()}
        with httpx2.Client(base_url=url, headers=headers, timeout=30) as api:  # type: ignore[arg-type]
            yield Live(url, site, api)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def chromium() -> str:
    """Where the system's Chromium is; without it the test is skipped, in CI it fails."""
    if found := shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome"):
        return found
    why = "no Chromium here: apt-get install chromium"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    path = chromium()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield opened
        opened.close()


@dataclass
class Walker:
    """A page of a browser that is logged in; `faults` holds what went wrong in it."""

    page: Page
    live: Live
    faults: list[str] = field(default_factory=list)
    sample: ClassVar[Sample] = Sample()
    """Draws in which forms a page is looked at."""

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.add_init_script(_NOTE_VIOLATIONS)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{self.page.url}: {message.text}")

    def go(self, path: str) -> None:
        """Open a page of the site."""
        self.page.goto(f"{self.live.url}{path}")

    def look(self, name: str) -> None:
        """Note every fault of the page in all its forms, or in one that the sample holds; take pictures."""
        self.page.evaluate(AXE_SCRIPT)
        for how, colours, size in self.sample.of(FORMS, 1 / len(FORMS), about=name):
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
            self.page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
            self._check(f"{name} ({how})")
            self._picture(f"{name}-{how}")
        self.page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        if wide > NARROW["width"]:
            self.faults.append(f"{name}: {wide} px wide at {NARROW['width']}")
        self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        if PICTURES:
            self.page.emulate_media(media="print")
            self._picture(f"{name}-print")
            self.page.emulate_media(media="screen")

    def look_now(self, name: str) -> None:
        """Note every fault of the page as it stands, whose menus would close in another window."""
        self.page.evaluate(AXE_SCRIPT)
        self._check(name)
        self._picture(name)

    def _check(self, name: str) -> None:
        for found in self.page.evaluate(_AXE):
            nodes = "; ".join(n["html"][:120] + " " + n.get("failureSummary", "") for n in found["nodes"][:3])
            self.faults.append(f"{name}: {found['id']}: {found['help']}: {nodes}")
        self.faults += [f"{name}: policy: {v}" for v in self.page.evaluate("violations")]

    def _picture(self, name: str) -> None:
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


@contextmanager
def walking(opened: Browser, live: Live, **options: Any) -> Iterator[Walker]:
    """A walker that is let in by the address that the server prints; at the end there must be no fault."""
    context: BrowserContext = opened.new_context(viewport=WIDE, reduced_motion="reduce", **options)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    walker = Walker(context.new_page(), live)
    walker.go(f"/?t={TOKEN}")
    try:
        yield walker
        assert not walker.faults, "\n".join(walker.faults)
    finally:
        with suppress(Exception):  # the first fault is the one to tell
            context.close()
