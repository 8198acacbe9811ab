"""A model that says what a script tells it, for tests and for trying methods out without a provider."""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.errors import ModelError
from fathom.llm.exchange import Reply, Request
from fathom.llm.model import Model
from fathom.records import Usage

CHARACTERS_A_TOKEN = 4
Line = str | Reply | Exception | Callable[[Request], "str | Reply"]
"""A scripted reply: text, a whole reply, an error to raise, or a function of the request."""


class ScriptEnded(ModelError):
    """The script holds no reply to what was asked; `prompt` is what was asked."""

    def __init__(self, prompt: str, told: int) -> None:
        self.prompt = prompt
        super().__init__(f"The script holds no reply after {told} for this prompt: {prompt[:400]}")


@dataclass
class Script:
    """An `Exchange` that answers in order from `lines`, or by the first pattern in `rules` that is found.

    Rules are looked at first; a rule's replies are given in turn, and its last one again and again.
    `requests` and `prompts` keep what was asked. Usage counts four characters a token, at no cost.
    """

    lines: Sequence[Line] = ()
    rules: Mapping[str, Line | Sequence[Line]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    _said: dict[str | None, int] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    @property
    def prompts(self) -> list[str]:
        """The words of each request, all of its turns."""
        return [_words(r) for r in self.requests]

    async def __call__(self, request: Request) -> Reply:
        """The next reply. Raises `ScriptEnded`, or the error that stands in the script."""
        with self._lock:
            self.requests.append(request)
            line = self._next(_words(request))
        if isinstance(line, Exception):
            raise line
        said = line(request) if callable(line) else line
        return said if isinstance(said, Reply) else Reply(said, usage=_usage(request, said), model="scripted")

    def _next(self, words: str) -> Line:
        for pattern, told in self.rules.items():
            if re.search(pattern, words):
                lines = [told] if isinstance(told, str | Reply | Exception) or callable(told) else list(told)
                return lines[min(self._turn(pattern), len(lines) - 1)]
        turn = self._turn(None)
        if turn >= len(self.lines):
            raise ScriptEnded(words, turn)
        return self.lines[turn]

    def _turn(self, rule: str | None) -> int:
        turn = self._said.get(rule, 0)
        self._said[rule] = turn + 1
        return turn


@dataclass(frozen=True)
class ScriptedModel(Model):
    """A `Model` over a `Script`; `ScriptedModel.of("first reply", "second")` makes one."""

    @classmethod
    def of(cls, *lines: Line, rules: Mapping[str, Line | Sequence[Line]] | None = None) -> "ScriptedModel":
        """A model that gives these replies in order, or by the first rule that a prompt matches."""
        return cls("scripted", Script(lines, rules or {}))

    @property
    def script(self) -> Script:
        """The script at work, with what was asked of it."""
        assert isinstance(self.exchange, Script)
        return self.exchange

    @property
    def prompts(self) -> list[str]:
        """The words of each request so far."""
        return self.script.prompts


def _words(request: Request) -> str:
    return "\n\n".join(m.text for m in request.messages)


def _usage(request: Request, said: str) -> Usage:
    asked = sum(len(m.text) for m in request.messages)
    return Usage(1, -(-asked // CHARACTERS_A_TOKEN), -(-len(said) // CHARACTERS_A_TOKEN))
