"""Requests to a model and its replies: frozen values, the same for every provider.

An `Exchange` is anything that turns a `Request` into a `Reply`: a provider, a cassette, a scripted model.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from fathom.records import Usage

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "content_filter", "tool_call", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may call: its name, what it is for, and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a model wants called. `arguments` is the model's own text, meant to be JSON."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn; None leaves it to the provider. With `json_mode` it has to be a JSON object.

    `grammar` (GBNF) is what the reply has to follow where the provider can do that; with `logprobs` it tells
    how likely each token was.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    json_mode: bool | None = None
    grammar: str | None = None
    logprobs: bool | None = None


@dataclass(frozen=True)
class Request:
    """All that decides a reply. `sample` tells apart several replies to the same words, and `replies` says
    how many are asked for in this one request.

    `repeated` says that the same words are asked more than once, which makes them worth caching for the
    provider; it decides nothing about the reply and is no part of the key.
    """

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    tools: tuple[Tool, ...] = ()
    must_call: bool = False
    sample: int = 0
    replies: int = 1
    repeated: bool = field(default=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """The request as JSON values; what isn't set is left out."""
        content = asdict(self)
        del content["repeated"]
        if self.replies == 1:
            del content["replies"]
        content["sampling"] = {k: v for k, v in content["sampling"].items() if v not in (None, ())}
        for holder, name in ((content["sampling"], "stop"), (content, "tools"), (content, "messages")):
            if name in holder:
                holder[name] = list(holder[name])  # as they are read back
        if not self.tools:
            del content["tools"], content["must_call"]
        return content

    @cached_property
    def key(self) -> str:
        """The SHA-256 of the request's canonical JSON, in hexadecimal."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. `model` is the name that it gave itself; `attempts` counts those before it too.

    `more` are the further replies of a request for several, whose usage is that of all together; fewer than
    asked for where the provider gives no more. `dropped` names the parameters that it refused or ignored.
    `logprobs` are the logarithms of how likely its tokens were, where that was asked for.
    """

    text: str
    calls: tuple[Call, ...] = ()
    finish: Finish = "stop"
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    model: str = ""
    attempts: int = 1
    more: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    logprobs: tuple[float, ...] = ()

    @property
    def withheld(self) -> bool:
        """True if a filter of the provider kept the reply back."""
        return self.finish == "content_filter"

    def as_json(self) -> dict[str, Any]:
        """The reply as JSON values; what most replies don't have is left out where they haven't."""
        content = {**asdict(self), "usage": usage_json(self.usage)}
        return {k: v for k, v in content.items() if k not in {"more", "dropped", "logprobs"} or v}

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Reply":
        """The reply that `as_json` wrote. Raises `KeyError`, `TypeError` or `ValueError` for others."""
        return cls(
            text=content["text"],
            calls=tuple(Call(**c) for c in content["calls"]),
            finish=content["finish"],
            usage=usage_from_json(content["usage"]),
            model=content["model"],
            attempts=content["attempts"],
            more=tuple(content.get("more", ())),
            dropped=tuple(content.get("dropped", ())),
            logprobs=tuple(content.get("logprobs", ())),
        )


def usage_json(usage: Usage) -> dict[str, Any]:
    """Usage as JSON values, dollars as text so that no digit is lost."""
    return {k: str(v) if isinstance(v, Decimal) else v for k, v in asdict(usage).items()}


def usage_from_json(content: Mapping[str, Any]) -> Usage:
    """The usage that `usage_json` wrote."""
    cost = content["cost_usd"]
    return Usage(**{**content, "cost_usd": None if cost is None else Decimal(cost)})


Exchange = Callable[[Request], Awaitable[Reply]]
