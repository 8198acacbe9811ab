"""A server on loopback that speaks the providers' protocols and misbehaves in every known way.

Real HTTP over real sockets, written on bare streams so that it can also break the protocol. What it does is
decided by the prompt: `[trouble ...]` names what goes wrong, in order, before an ordinary reply is given; so
does a model called `trouble-...`, always. `[say ...]` gives the words of that reply.
It keeps its own books: tokens reported, requests under way at once, requests during a pause it asked for.
"""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from types import TracebackType
from typing import Any

import pytest

from tests.llm.spoken import (
    BEDROCK,
    CACHED_TOKENS,
    COMPLETION_TOKENS,
    JSON,
    PROMPT_TOKENS,
    Answer,
    Asked,
    error_answer,
    json_answer,
    refused_key,
    reply_answer,
)

PROTOCOLS = ("openai", "anthropic", "embeddings", "google", "azure", *BEDROCK)
SILENCE_SECONDS = 60


@dataclass
class Books:
    """What one protocol's requests came to, as the server saw it."""

    requests: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    unmeasured: int = 0
    under_way: int = 0
    most_under_way: int = 0
    pause_until: float = 0.0
    pauses: int = 0
    during_pause: int = 0
    troubles: Counter[str] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    targets: Counter[str] = field(default_factory=Counter)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    arrived: list[float] = field(default_factory=list)

    def report(self, completion: int = COMPLETION_TOKENS) -> None:
        self.prompt_tokens += PROMPT_TOKENS
        self.completion_tokens += completion
        self.cached_tokens += CACHED_TOKENS


class Server:
    """The server, running in a thread of its own while the context lasts."""

    def __init__(self) -> None:
        self.books = {p: Books() for p in PROTOCOLS}
        self._attempts: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    def __enter__(self) -> "Server":
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()
        for task in self._tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
        self._loop.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def openai(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def bare(self) -> str:
        """The address for providers whose libraries add the whole path."""
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (asked := await _read(reader)) is not None:
                if not await self._answer(asked, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _answer(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection can be used again."""
        books = self.books[asked.protocol]
        books.requests += 1
        books.keys[asked.key] += 1
        books.targets[asked.target] += 1
        books.bodies.append(asked.body)
        books.arrived.append(time.monotonic())
        books.during_pause += time.monotonic() < books.pause_until
        books.under_way += 1
        books.most_under_way = max(books.most_under_way, books.under_way)
        try:
            await asyncio.sleep(0.002)
            return await self._reply(asked, books, reader, writer)
        finally:
            books.under_way -= 1

    async def _reply(
        self, asked: Asked, books: Books, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        found = re.search(r"\[trouble ([\w ]*)\]", asked.words)
        troubles = found.group(1).split() if found else []
        if asked.model.startswith("trouble-"):
            troubles = [asked.model.removeprefix("trouble-")] * 10
        turn = self._attempts[asked.question]
        self._attempts[asked.question] += 1
        trouble = troubles[turn] if turn < len(troubles) else "none"
        books.troubles[trouble] += 1
        status, headers, body = TROUBLES[trouble](asked, books)
        if trouble == "silence":
            await asyncio.wait_for(reader.read(1), SILENCE_SECONDS)  # nothing, until the client hangs up
            return False
        if trouble == "slam":
            return False
        head = "".join(f"{k}: {v}\r\n" for k, v in {"content-length": len(body), **headers}.items())
        sent = f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body
        if trouble == "reset":
            writer.write(sent[: len(sent) - len(body) // 2])
            await writer.drain()
            return False
        writer.write(sent)
        await writer.drain()
        return True


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(head[0].split()[1], headers, json.loads(body))


def _ordinary(asked: Asked, books: Books, **changes: Any) -> Answer:
    """An ordinary reply, or the one tool call that is asked for; `changes` replace parts of it."""
    usage = changes.pop("usage", True)
    books.answered += 1
    if usage:
        books.report()
    else:
        books.unmeasured += 1
    return reply_answer(asked, usage=usage, **changes)


def _pause(seconds: float, asked: Asked, books: Books, **headers: str) -> Answer:
    books.pause_until = max(books.pause_until, time.monotonic() + seconds)
    books.pauses += 1
    return error_answer(asked, 429, "too many requests", **headers)


def _in_a_second(asked: Asked, books: Books) -> Answer:
    return _pause(1.0, asked, books, retry_after="1")


def _at_a_date(asked: Asked, books: Books) -> Answer:
    return _pause(0.0, asked, books, retry_after=formatdate(time.time() + 1, usegmt=True))


def _partly(asked: Asked, books: Books, *, half: bool) -> Answer:
    """An ordinary reply that arrives in part: of events it is the first ones, which tell the prompt."""
    status, headers, body = _ordinary(asked, Books())
    if "event-stream" in headers["content-type"]:
        books.report(completion=1)
    return status, headers, body[: len(body) // 2] if half else body


TROUBLES: dict[str, Callable[[Asked, Books], Answer]] = {
    "none": _ordinary,
    "limit": lambda asked, books: error_answer(asked, 429, "too many requests"),
    "limit_ms": lambda asked, books: _pause(0.04, asked, books, retry_after_ms="40"),
    "limit_second": _in_a_second,
    "limit_date": _at_a_date,
    "limit_day": lambda asked, books: error_answer(asked, 429, "too many requests", retry_after="86400"),
    "broken": lambda asked, books: error_answer(
        asked, 500, f"failed with key {asked.key} in {asked.headers}"
    ),
    "unavailable": lambda asked, books: error_answer(asked, 503, "come back later"),
    "overloaded": lambda asked, books: error_answer(asked, 529, "overloaded"),
    "gateway": lambda asked, books: (502, {"content-type": "text/html"}, b"<h1>Bad gateway</h1>"),
    "reset": lambda asked, books: _partly(asked, books, half=False),
    "slam": lambda asked, books: (200, JSON, b""),
    "silence": lambda asked, books: (200, JSON, b""),
    "truncated": lambda asked, books: _partly(asked, books, half=True),
    "html": lambda asked, books: (200, {"content-type": "text/html"}, b"<html>Welcome</html>"),
    "garbage": lambda asked, books: (200, JSON, b"\xff\xfe{]"),
    "list": lambda asked, books: json_answer([1, 2]),
    "object": lambda asked, books: json_answer({}),
    "error_in_200": lambda asked, books: json_answer({"error": {"message": "upstream failed", "code": 502}}),
    "no_choices": lambda asked, books: _ordinary(asked, books, choices=[]),
    "no_usage": lambda asked, books: _ordinary(asked, books, usage=False),
    "filtered": lambda asked, books: _ordinary(asked, books, finish="content_filter", text=""),
    "refused": lambda asked, books: _ordinary(
        asked, books, finish="content_filter", message={"refusal": "I won't.", "content": None}
    ),
    "wrong_tool": lambda asked, books: _ordinary(asked, books, tool="no_such_tool", arguments={"query": "?"}),
    "telltale": lambda asked, books: _ordinary(asked, books, text=f"The key is {asked.key}."),
    "bad_key": lambda asked, books: refused_key(asked),
    "bad_request": lambda asked, books: error_answer(asked, 400, "temperature is out of range"),
    "no_model": lambda asked, books: error_answer(asked, 404, "no such model"),
    "too_large": lambda asked, books: error_answer(asked, 413, "the request is too large"),
}


OPENAI_KEY = "sk-test-abcdef-0123456789"


@contextmanager
def asked_for_openai(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server in OpenAI's place: whoever asks OpenAI here asks it."""
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    with Server() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.openai)
        yield running
