"""A server on loopback that speaks the OpenAI and the Anthropic protocol and misbehaves in every known way.

Real HTTP over real sockets, written on bare streams so that it can also break the protocol. What it does is
decided by the prompt: `[trouble ...]` names what goes wrong, in order, before an ordinary reply is given. So
does a model called `trouble-...`, always.
It keeps its own books: tokens reported, requests under way at once, requests during a pause it asked for.
"""

import asyncio
import base64
import json
import re
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from types import TracebackType
from typing import Any

SILENCE_SECONDS = 60
PROMPT_TOKENS, COMPLETION_TOKENS, CACHED_TOKENS = 120, 8, 100


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

    def report(self, completion: int = COMPLETION_TOKENS) -> None:
        self.prompt_tokens += PROMPT_TOKENS
        self.completion_tokens += completion
        self.cached_tokens += CACHED_TOKENS


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def protocol(self) -> str:
        kinds = {"messages": "anthropic", "embeddings": "embeddings"}
        return kinds.get(self.path.rpartition("/")[2], "openai")

    @property
    def key(self) -> str:
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def words(self) -> str:
        return json.dumps(self.body.get("messages") or self.body["input"])

    @property
    def question(self) -> str:
        """What stays the same when a question is asked again, also with a repair."""
        found = re.search(r"Question (\d+)", self.words)
        return f"{self.protocol} {found.group(1) if found else self.words}"


class Server:
    """The server, running in a thread of its own while the context lasts."""

    def __init__(self) -> None:
        self.books = {"openai": Books(), "anthropic": Books(), "embeddings": Books()}
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
    def anthropic(self) -> str:
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
        if asked.body["model"].startswith("trouble-"):
            troubles = [asked.body["model"].removeprefix("trouble-")] * 10
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
    return Asked(head[0].split()[1].partition("?")[0], headers, json.loads(body))


Answer = tuple[int, dict[str, str], bytes]
JSON = {"content-type": "application/json"}


def _json(content: Any, status: int = 200, **headers: str) -> Answer:
    return (
        status,
        {**JSON, **{k.replace("_", "-"): v for k, v in headers.items()}},
        json.dumps(content).encode(),
    )


def _said(asked: Asked) -> str:
    found = re.search(r"Question (\d+)", asked.words)
    return f"Answer {found.group(1)}" if found else "ready"


def _ordinary(asked: Asked, books: Books, **changes: Any) -> Answer:
    """An ordinary reply, or the one tool call that is asked for; `changes` replace parts of it."""
    usage = changes.pop("usage", True)
    books.answered += 1
    if usage:
        books.report()
    else:
        books.unmeasured += 1
    if asked.protocol == "openai":
        return _json(_openai(asked, usage, changes))
    if asked.protocol == "embeddings":
        return _json(_embeddings(asked, usage, changes))
    reply = _anthropic(asked, usage, changes)
    return _stream(reply) if asked.body.get("stream") else _json(reply)


def _openai(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": changes.get("text", _said(asked))}
    if asked.body.get("tools"):
        name = changes.get("tool", asked.body["tools"][0]["function"]["name"])
        arguments = json.dumps(changes.get("arguments", {"said": _said(asked)}))
        call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    message.update(changes.get("message", {}))
    choice = {"index": 0, "message": message, "finish_reason": changes.get("finish", "stop")}
    reply = {
        "id": "r1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.body["model"],
        "choices": changes.get("choices", [choice]),
    }
    if usage:
        reply["usage"] = {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": COMPLETION_TOKENS,
            "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
            "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
        }
    return reply


def _anthropic(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": changes.get("text", _said(asked))}]
    if asked.body.get("tools"):
        name = changes.get("tool", asked.body["tools"][0]["name"])
        content = [
            {
                "type": "tool_use",
                "id": "c1",
                "name": name,
                "input": changes.get("arguments", {"said": _said(asked)}),
            }
        ]
    stop = {"stop": "end_turn", "content_filter": "refusal"}[changes.get("finish", "stop")]
    reply = {
        "id": "r1",
        "type": "message",
        "role": "assistant",
        "model": asked.body["model"],
        "content": [] if "choices" in changes or stop == "refusal" else content,
        "stop_reason": stop,
        "stop_sequence": None,
    }
    if usage:
        reply["usage"] = {
            "input_tokens": PROMPT_TOKENS - CACHED_TOKENS,
            "cache_read_input_tokens": CACHED_TOKENS,
            "output_tokens": COMPLETION_TOKENS,
        }
    return reply


def _embeddings(asked: Asked, usage: bool, changes: dict[str, Any]) -> dict[str, Any]:
    """Each text's vector holds its length and its first letter's place in the alphabet."""
    texts: list[str] = asked.body["input"]
    vectors = [[float(len(t)), float(ord(t[0])), 0.0] for t in texts] if "choices" not in changes else []
    packed: list[Any] = vectors
    if asked.body.get("encoding_format") == "base64":
        packed = [base64.b64encode(struct.pack("<3f", *v)).decode() for v in vectors]
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(packed)]
    told = {"usage": {"prompt_tokens": PROMPT_TOKENS, "total_tokens": PROMPT_TOKENS}} if usage else {}
    return {"object": "list", "model": asked.body["model"], "data": data, **told}


def _stream(reply: dict[str, Any]) -> Answer:
    """An Anthropic reply as the events that make it up."""
    usage = reply.get("usage", {})
    start = {**reply, "content": [], "stop_reason": None}
    if usage:
        start["usage"] = {**usage, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, part in enumerate(reply["content"]):
        whole = {"type": "text_delta", "text": part.get("text")}
        empty = {**part, "text": ""}
        if part["type"] == "tool_use":
            whole = {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
            empty = {**part, "input": {}}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": whole},
            {"type": "content_block_stop", "index": index},
        ]
    delta = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    output = {"usage": {"output_tokens": COMPLETION_TOKENS}} if usage else {}
    events += [{"type": "message_delta", "delta": delta, **output}, {"type": "message_stop"}]
    lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
    return 200, {"content-type": "text/event-stream"}, "".join(lines).encode()


def _error(status: int, message: str, **headers: str) -> Answer:
    return _json({"type": "error", "error": {"type": "trouble", "message": message}}, status, **headers)


def _pause(seconds: float, books: Books, **headers: str) -> Answer:
    books.pause_until = max(books.pause_until, time.monotonic() + seconds)
    books.pauses += 1
    return _error(429, "too many requests", **headers)


def _in_a_second(asked: Asked, books: Books) -> Answer:
    return _pause(1.0, books, retry_after="1")


def _at_a_date(asked: Asked, books: Books) -> Answer:
    return _pause(0.0, books, retry_after=formatdate(time.time() + 1, usegmt=True))


def _partly(asked: Asked, books: Books, *, half: bool) -> Answer:
    """An ordinary reply that arrives in part: of events it is the first ones, which tell the prompt."""
    status, headers, body = _ordinary(asked, Books())
    if "event-stream" in headers["content-type"]:
        books.report(completion=1)
    return status, headers, body[: len(body) // 2] if half else body


TROUBLES: dict[str, Callable[[Asked, Books], Answer]] = {
    "none": _ordinary,
    "limit": lambda asked, books: _error(429, "too many requests"),
    "limit_ms": lambda asked, books: _pause(0.04, books, retry_after_ms="40"),
    "limit_second": _in_a_second,
    "limit_date": _at_a_date,
    "limit_day": lambda asked, books: _error(429, "too many requests", retry_after="86400"),
    "broken": lambda asked, books: _error(500, f"failed with key {asked.key} in {asked.headers}"),
    "unavailable": lambda asked, books: _error(503, "come back later"),
    "overloaded": lambda asked, books: _error(529, "overloaded"),
    "gateway": lambda asked, books: (502, {"content-type": "text/html"}, b"<h1>Bad gateway</h1>"),
    "reset": lambda asked, books: _partly(asked, books, half=False),
    "slam": lambda asked, books: (200, JSON, b""),
    "silence": lambda asked, books: (200, JSON, b""),
    "truncated": lambda asked, books: _partly(asked, books, half=True),
    "html": lambda asked, books: (200, {"content-type": "text/html"}, b"<html>Welcome</html>"),
    "garbage": lambda asked, books: (200, JSON, b"\xff\xfe{]"),
    "list": lambda asked, books: _json([1, 2]),
    "object": lambda asked, books: _json({}),
    "error_in_200": lambda asked, books: _json({"error": {"message": "upstream failed", "code": 502}}),
    "no_choices": lambda asked, books: _ordinary(asked, books, choices=[]),
    "no_usage": lambda asked, books: _ordinary(asked, books, usage=False),
    "filtered": lambda asked, books: _ordinary(asked, books, finish="content_filter", text=""),
    "refused": lambda asked, books: _ordinary(
        asked, books, finish="content_filter", message={"refusal": "I won't.", "content": None}
    ),
    "wrong_tool": lambda asked, books: _ordinary(asked, books, tool="no_such_tool", arguments={"query": "?"}),
    "telltale": lambda asked, books: _ordinary(asked, books, text=f"The key is {asked.key}."),
    "bad_key": lambda asked, books: _error(401, f"Incorrect API key provided: {asked.key}"),
    "bad_request": lambda asked, books: _error(400, "temperature is out of range"),
    "no_model": lambda asked, books: _error(404, "no such model"),
    "too_large": lambda asked, books: _error(413, "the request is too large"),
}
