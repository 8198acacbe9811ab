"""The usage that a response reports, also one that breaks off: those tokens are paid for too."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx2

MOST_KEPT = 4_000_000
"""Bytes of one response kept for reading its usage."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
"""A model's thought before its answer, where a server leaves that in its reply."""

received: ContextVar[bytearray | None] = ContextVar("received", default=None)
"""The bytes received in the attempt at work; the attempt sets it."""
sent: ContextVar[set[str] | None] = ContextVar("sent", default=None)
"""The names at the top of the JSON that the attempt at work sent; the attempt sets it."""


@dataclass(frozen=True, slots=True)
class Reported:
    """Tokens as told: prompt tokens include the cached ones."""

    prompt: int
    completion: int
    cached: int


class KeepingTransport(httpx2.AsyncHTTPTransport):
    """A transport that keeps what comes in where the attempt at work can look at it."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send, and keep the body as it is read."""
        if (names := sent.get()) is not None:
            names.clear()
            names.update(_names(request))
        response = await super().handle_async_request(request)
        kept = received.get()
        if kept is not None and isinstance(response.stream, httpx2.AsyncByteStream):
            kept.clear()
            response.stream = _Kept(response.stream, kept)
        return response


def _names(request: httpx2.Request) -> set[str]:
    try:
        body = json.loads(request.content)
    except (httpx2.RequestNotRead, ValueError):
        return set()
    return set(body) if isinstance(body, dict) else set()


class _Kept(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, kept: bytearray) -> None:
        self._stream, self._kept = stream, kept

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            if len(self._kept) < MOST_KEPT:
                self._kept += part
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def read_reported(body: bytes) -> Reported | None:
    """The tokens that a body tells, whole JSON or a stream of events as far as it goes, or None."""
    told: dict[str, int] = {}
    for event in _events(body):
        for usage in _usages(event):
            told |= {k: v for k, v in _flat(usage).items() if isinstance(v, int)}
    prompt = next((told[k] for k in ("prompt_tokens", "input_tokens", "promptTokenCount") if k in told), None)
    if prompt is None:
        return None
    completion = next(
        (told[k] for k in ("completion_tokens", "output_tokens", "candidatesTokenCount") if k in told), 0
    )
    apart = told.get("cache_read_input_tokens", 0)  # Anthropic counts these beside the input tokens
    cached = apart or told.get("cached_tokens", 0) or told.get("cachedContentTokenCount", 0)
    return Reported(prompt + apart + told.get("cache_creation_input_tokens", 0), completion, cached)


def read_choices(body: bytes) -> list[str]:
    """The texts of all choices in a chat completion, without thoughts; none where it is no such thing."""
    told = next(_events(body), None)
    choices = told.get("choices") if isinstance(told, dict) else None
    texts = []
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        said = message.get("content") or message.get("refusal") if isinstance(message, dict) else None
        texts.append(_THOUGHT.sub("", said).strip() if isinstance(said, str) else "")
    return texts


def _events(body: bytes) -> Iterator[Any]:
    text = body.decode("utf-8", "replace")
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    for part in lines or [text]:
        try:
            yield json.loads(part)
        except ValueError:
            continue


def _usages(event: Any) -> Iterator[Mapping[str, Any]]:
    """The usage in an event: at its top, or one below (Anthropic's `message`, OpenAI's `response`)."""
    for holder in (event, *(event.values() if isinstance(event, dict) else ())):
        if isinstance(holder, dict):
            for name in ("usage", "usageMetadata"):
                if isinstance(holder.get(name), dict):
                    yield holder[name]


def _flat(usage: Mapping[str, Any]) -> dict[str, Any]:
    """The counts, with those of `prompt_tokens_details` and the like beside them."""
    flat = dict(usage)
    for name in ("prompt_tokens_details", "input_tokens_details"):
        if isinstance(usage.get(name), dict):
            flat |= usage[name]
    return flat
