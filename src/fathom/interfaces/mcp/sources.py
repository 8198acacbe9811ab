"""The sources of the tools: databases by name, the store of answers, and the way to ask."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from mcp.server.mcpserver import Context

from fathom.answering import Asking
from fathom.answering.audit_log import logging_as
from fathom.answering.store import Store
from fathom.cancellation import Cancellation
from fathom.config import Settings
from fathom.errors import InputError, UnknownName


class Sources(Protocol):
    """Databases that are opened when first asked for; safe to use from several threads."""

    @property
    def databases(self) -> Mapping[str, str]:
        """The databases by their names, with their addresses."""

    @property
    def settings(self) -> Settings:
        """The user's settings."""

    @property
    def store(self) -> Store:
        """Where answers are kept."""

    def asking(self, name: str) -> Asking:
        """Give the means to ask a database, with the lessons taught by now.

        Raises `UnknownName`, `ConnectionFailed`, `InputError`.
        """


def only(sources: Sources, name: str) -> str:
    """The name of a database, which may be left out where there is only one.

    Raises `UnknownName`, and `InputError` where it is left out of several.
    """
    if not name and len(sources.databases) > 1:
        raise InputError(f"name one of these as database: {', '.join(sources.databases)}")
    if name or len(sources.databases) != 1:
        if name not in sources.databases:
            raise UnknownName("database", name, sources.databases)
        return name
    return next(iter(sources.databases))


@contextmanager
def asked_by(ctx: Context | None, answer_id: str = "") -> Iterator[None]:
    """Log what is asked inside as an assistant's, by its name, and stop it where the task is cancelled."""
    told = None if ctx is None else ctx.session.client_params
    client = "" if told is None else f"{told.client_info.name} {told.client_info.version}".strip()
    with _cancelled_with_task(), logging_as("mcp", client=client, answer_id=answer_id):
        yield


@contextmanager
def _cancelled_with_task() -> Iterator[None]:
    """Stop what the task does in engines and threads as well when the task is cancelled."""
    stop = Cancellation()
    try:
        with stop.covering():
            yield
    except asyncio.CancelledError:
        stop.cancel()
        raise
