"""Asking a model of this machine: the usual way of a compatible server, with the prompt's beginning kept."""

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from fathom.llm.attempt import Connection
from fathom.llm.exchange import Message, Reply, Request
from fathom.llm.local.catalogue import find_local
from fathom.llm.local.running import RunningModel, Served
from fathom.llm.providers import PROVIDERS
from fathom.llm.sender import PACE, AttemptFailed, Pace

LOCAL = PROVIDERS["local"]
PATIENCE = 1_800.0
"""Seconds for a reply where nobody says how many: a long prompt on a busy machine takes minutes."""
WORTH_KEEPING = 1_200
"""Characters of a system part from which on it is kept as read: shorter ones are read in a few seconds."""
MOST_KEPT = 2_000_000_000
"""Bytes on disk for prompts as read; the ones asked longest ago go first."""


def local_pace(pace: Pace) -> Pace:
    """The pace for a model that answers one request at a time, in its own time."""
    return replace(pace, concurrency=1, seconds=PATIENCE if pace.seconds == PACE.seconds else pace.seconds)


class LocalConnection:
    """One model of this machine; calling it is one attempt. Lives on one event loop.

    The system part of a prompt, which the questions about one database share, is read once: the state in
    which it leaves the model is kept on disk, and restored before each question.
    """

    def __init__(self, name: str, pace: Pace) -> None:
        self._running, self._pace = RunningModel(find_local(name)), pace
        self._at: tuple[Served, Connection] | None = None
        self._http = httpx2.AsyncClient(timeout=httpx2.Timeout(pace.seconds, connect=10.0))

    async def __call__(self, request: Request) -> Reply:
        """Ask once, starting the model where it isn't running.

        Raises `AttemptFailed`, and `ModelNotConfigured` where it can't be started.
        """
        served = await asyncio.to_thread(self._running.served)
        if self._at is None or self._at[0] != served:
            await self._leave()
            provider = replace(LOCAL, url=f"{served.address}/v1")
            self._at = served, Connection(provider, self._running.model.name, self._pace, key=served.token)
        first = request.messages[0]
        if first.role == "system" and len(first.text) >= WORTH_KEEPING:
            try:
                await self._recall(served, first)
            except (httpx2.HTTPError, OSError) as error:
                raise AttemptFailed(
                    "connection", f"the model's process is gone ({error})", again=True
                ) from None
        return await self._at[1](request)

    async def close(self) -> None:
        """Close the connection; the model's process ends where nobody else needs it."""
        await self._leave()
        await self._http.aclose()
        self._running.close()

    async def _leave(self) -> None:
        if self._at is not None:
            await self._at[1].close()
            self._at = None

    async def _recall(self, served: Served, first: Message) -> None:
        """Put the model into the state in which it has read a system part, reading it where that is new."""
        name = hashlib.sha256(first.text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        file = self._running.states / name
        if file.is_file() and await self._slot(served, "restore", name):
            file.touch()
            return
        content = {
            "messages": [{"role": "system", "content": first.text}],
            "max_tokens": 1,
            "cache_prompt": True,
        }
        (await self._post(served, "/v1/chat/completions", content)).raise_for_status()
        if await self._slot(served, "save", name):
            file.chmod(0o600)
            await asyncio.to_thread(_make_room, self._running.states.parent)

    async def _slot(self, served: Served, action: str, name: str) -> bool:
        return (await self._post(served, f"/slots/0?action={action}", {"filename": name})).is_success

    async def _post(self, served: Served, path: str, content: dict[str, Any]) -> httpx2.Response:
        headers = {"authorization": f"Bearer {served.token}"}
        return await self._http.post(f"{served.address}{path}", json=content, headers=headers)


def is_read(name: str, system: str) -> bool:
    """True if a model of this machine has read this system part before, so that it is quick to answer."""
    key = hashlib.sha256(system.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return len(system) < WORTH_KEEPING or (RunningModel(find_local(name)).states / key).is_file()


def _make_room(folder: Path) -> None:
    """Delete the states that were used longest ago, as far as all together are too large."""
    kept = sorted(
        (f for f in folder.glob("*/*") if f.is_file()), key=lambda f: f.stat().st_mtime, reverse=True
    )
    total = 0
    for file in kept:
        total += file.stat().st_size
        if total > MOST_KEPT:
            with suppress(OSError):
                file.unlink()
