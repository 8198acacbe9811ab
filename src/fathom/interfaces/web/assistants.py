"""`/mcp`: the server for assistants over Streamable HTTP, in the process that has the databases open."""

import asyncio
from contextlib import nullcontext
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from fathom.errors import MissingExtra
from fathom.interfaces.web.access import BODY_BYTES, problem
from fathom.interfaces.web.site import Site

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"
IDLE_SECONDS = 1_800.0
MOST_SESSIONS = 64
"""Clients of the older protocol that are connected at once; each holds a session until it ends or is idle."""


class Assistants:
    """The ASGI application at `/mcp`. Its server is made at the first request: importing it takes 2 s.

    Only the token lets in, as a bearer: a browser's cookie is for pages. Users with rights of their own come
    here as to pages. Hosts and origins are checked
    like those of pages, and again by the protocol's own library.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._making = asyncio.Lock()
        self._app: ASGIApp | None = None
        self._running: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of a client."""
        try:
            known = scope["state"].get("session") == "bearer" or bool(self._site.user)
            answer = await self._made() if known else _unknown
        except MissingExtra as error:
            content = problem("MissingExtra", str(error))
            answer = JSONResponse(content, HTTPStatus.NOT_IMPLEMENTED)
        await answer(scope, receive, send)

    async def close(self) -> None:
        """End the sessions; what is worked on for them stops."""
        self._ending.set()
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)

    async def _made(self) -> ASGIApp:
        async with self._making:
            if self._app is None:
                server = await asyncio.to_thread(load, self._site)
                ready: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()
                # A task of its own: the sessions have to be begun and ended by the same one.
                self._running = asyncio.create_task(self._serve(server, ready))
                self._app = await ready
            return self._app

    async def _serve(self, server: "MCPServer", ready: "asyncio.Future[ASGIApp]") -> None:
        from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415, slow to import

        rules = self._site.rules
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=BODY_BYTES,
            max_sessions=MOST_SESSIONS,
            session_idle_timeout=IDLE_SECONDS,
            transport_security=TransportSecuritySettings(
                allowed_hosts=sorted(rules.hosts), allowed_origins=sorted(rules.origins)
            ),
        )
        async with server.session_manager.run():
            ready.set_result(app)
            await self._ending.wait()


def load(site: Site) -> "MCPServer":
    """The server over what a site has. Raises `MissingExtra`."""
    try:
        from fathom.interfaces.mcp.server import make_server  # noqa: PLC0415, slow to import
    except ModuleNotFoundError as error:
        raise MissingExtra("serving assistants", error.name or "mcp", "mcp") from error
    tools, rules = site.tools, site.rules
    if tools is None:
        return make_server(site, teaching=rules.teaching, check_sql=rules.check_sql)
    return make_server(
        site, tools=lambda: nullcontext(tools), teaching=rules.teaching, check_sql=rules.check_sql
    )


_unknown = JSONResponse(
    problem("Refused", "Send the token that `fathom serve` printed as: Authorization: Bearer TOKEN"),
    HTTPStatus.UNAUTHORIZED,
    headers={"www-authenticate": "Bearer"},
)
