"""A limit of time for sending a request: whoever sends half of one doesn't hold a connection for ever."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

REQUEST_SECONDS = 30.0
"""Seconds until a request with its body has come, which has 1 MB at the most."""


class TimedProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but that connections whose request doesn't come whole in time are closed.

    uvicorn itself has a limit only for connections that wait for their next request.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, whose first request is due from now on."""
        super().connection_made(transport)
        self._limit = self.loop.call_later(REQUEST_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        """Read on; the time runs on until a request is whole."""
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not (cycle.more_body or cycle.response_complete):
            self._lift()
        elif self._limit is None:
            self._limit = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of a connection."""
        self._lift()
        super().connection_lost(exc)

    def _lift(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
