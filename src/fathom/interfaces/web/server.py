"""The web app on a socket, until it is interrupted."""

import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Timer

import uvicorn
from starlette.types import ASGIApp

from fathom.answering.preparation import learn
from fathom.answering.store import Store
from fathom.biotools.client import Client, ClientOptions
from fathom.config import read_settings
from fathom.errors import FathomError
from fathom.interfaces.web.assistants import load
from fathom.interfaces.web.request_limit import TimedProtocol
from fathom.interfaces.web.site import Rules, Site, addresses
from fathom.interfaces.web.users import NO_USERS, Entrance, Gate

WARM_AFTER = 0.5
"""Seconds until a database is made ready: whoever opened the address has the first page by then."""


def run_server(
    named: tuple[str, ...],
    rules: Rules,
    listening: socket.socket,
    *,
    model: str | None,
    strict: bool = False,
    entrance: Entrance = NO_USERS,
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Serve databases on a socket that listens already. Raises `ConfigError` and `ModelError` before.

    `ready` is called once all that can fail is open, and before requests are answered.

    `strict` refuses accounts that may do more than read, as the settings may. By an `entrance` users come
    who may see a part; the server's own token lets in to all.
    """
    settings = read_settings()
    settings = replace(settings, strict=strict or settings.strict, rights=None)
    with ExitStack() as held:
        asked, model = None, model or settings.model
        if model is not None:
            from fathom.llm import opened_model  # noqa: PLC0415, slow to import

            asked = held.enter_context(opened_model(model))
        tools = held.enter_context(_made_records()) if rules.is_demo else Client()
        served = addresses(named, settings)
        site = Site(settings, rules, Store(settings.store), served, asked, tools, named=named)
        warming = Timer(WARM_AFTER, _warm, (site,))
        warming.daemon = True
        warming.start()
        ready()
        server_of(Gate(site, entrance)).run(sockets=[listening])


def server_of(app: ASGIApp) -> uvicorn.Server:
    """The server of an app, which waits for nobody for ever."""
    # Proxies' own headers aren't heeded: else who connects could say that they are the proxy.
    return uvicorn.Server(
        uvicorn.Config(app, log_config=None, log_level="warning", access_log=False, server_header=False,
                       lifespan="on", timeout_graceful_shutdown=3, proxy_headers=False, http=TimedProtocol)
    )  # fmt: skip


@contextmanager
def _made_records() -> Iterator[Client]:
    """A client of made records, so that nothing of a demonstration needs a network."""
    from fathom.biotools.loopback import Loopback  # noqa: PLC0415

    with Loopback() as server, tempfile.TemporaryDirectory() as folder:
        yield Client(ClientOptions(folder=Path(folder), bases=server.bases))


def _warm(site: Site) -> None:
    """Open the first database and learn what is known about it, so that its first question waits for less.

    Then what assistants need, which takes seconds to import.
    """
    for name in list(site.databases)[:1]:
        with suppress(FathomError):  # whoever asks is told
            learn(site.asking(name))
    with suppress(FathomError):
        load(site)
