"""A language model as methods see it: asked for text, samples and typed values, telling its usage."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from fathom.errors import ModelFailed, ReplyUnusable
from fathom.llm.exchange import Message, Reply, Request, Sampling, Tool
from fathom.llm.metered import Metered
from fathom.llm.prompts import load
from fathom.records import Usage

T = TypeVar("T")
Prompt = str | Sequence[Message]
"""A prompt: the words of one user turn, or a conversation."""

AS_PROVIDED, VARIED, STEADY = Sampling(), Sampling(temperature=1.0), Sampling(temperature=0.0)
WORTH_CACHING = 4_000
"""Characters; providers cache no shorter prompts."""


THINKING_ROOM = 16_384
"""Tokens for a reply where the model used up its room by thinking: what most take for a hard question."""


@dataclass(frozen=True)
class Model(Metered):
    """A language model. `tools` says that typed values are asked for as a tool call rather than in words,
    `several` that one request may ask for several replies, `recorded` that its replies are on a cassette, so
    that what is made of them has to be repeatable. `seed` is sent with every request that has none. A reply
    may take `reply_tokens`, where a method allows fewer: what a model thinks before it answers counts as
    well.
    """

    tools: bool = False
    several: bool = False
    recorded: bool = False
    seed: int | None = None
    reply_tokens: int | None = None

    def drawing(self, *, seed: int | None = None, reply_tokens: int | None = None) -> Self:
        """The same, with a seed and room for replies, where they are given."""
        seed = self.seed if seed is None else seed
        return replace(self, seed=seed, reply_tokens=reply_tokens or self.reply_tokens)

    async def ask(
        self,
        prompt: Prompt,
        *,
        system: str = "",
        sampling: Sampling = AS_PROVIDED,
        tools: Sequence[Tool] = (),
        must_call: bool = False,
        sample: int = 0,
    ) -> Reply:
        """One reply. The same words with the same `sample` get the same reply where a cassette is in use.

        Raises `ModelFailed`, `BudgetExceeded`, `CassetteMiss`.
        """
        drawn = self._drawn(sampling)
        return await self._send(
            Request(self.name, _turns(prompt, system), drawn, tuple(tools), must_call, sample)
        )

    async def samples(
        self,
        prompt: Prompt,
        n: int,
        *,
        system: str = "",
        sampling: Sampling = VARIED,
        first: int = 0,
    ) -> tuple[Reply, ...]:
        """n replies to the same words, asked at once and given in order; `first` numbers the first of them.

        One request asks for them all where the provider has that, and its usage stands with the first; those
        that it doesn't give are asked for one by one. To draw anew, go on numbering: `first=n`. Raises what
        `ask` raises, once all have come to an end.
        """
        request = Request(self.name, _turns(prompt, system), self._drawn(sampling), repeated=n > 1)
        ahead: list[Reply] = []
        if n > 1 and self.several:
            ahead = _apart(await self._send(replace(request, sample=first, replies=n)))[:n]
        numbered = [replace(request, sample=first + i) for i in range(len(ahead), n)]
        if len(numbered) > 1 and not ahead and sum(len(m.text) for m in request.messages) >= WORTH_CACHING:
            ahead.append(await self._send(numbered.pop(0)))  # the others then find the prompt cached
        rest = await asyncio.gather(*map(self._send, numbered), return_exceptions=True)
        for reply in rest:
            if isinstance(reply, BaseException):
                raise reply
        return (*ahead, *(r for r in rest if isinstance(r, Reply)))

    async def typed(
        self,
        prompt: Prompt,
        kind: type[T],
        *,
        system: str = "",
        sampling: Sampling = STEADY,
        repairs: int = 2,
        sample: int = 0,
    ) -> T:
        """A value of a type that pydantic knows. A malformed reply is shown to the model with what is wrong.

        Raises `ReplyUnusable` when the last of `repairs` is malformed too or a filter withholds the reply,
        beside what `ask` raises.
        """
        from fathom.llm.replies import Shape  # noqa: PLC0415, pydantic is slow to import

        shape = Shape(kind)
        turns = _turns(prompt, system)
        if not self.tools:
            told = load(__package__, "shape").render(schema=_compact(shape.schema))
            turns = (*turns[:-1], replace(turns[-1], text=f"{turns[-1].text}\n\n{told}"))
        tools = (shape.tool,) if self.tools else ()
        problem, said, drawn = "", "", self._drawn(sampling)
        for _ in range(repairs + 1):
            reply = await self._send(Request(self.name, turns, drawn, tools, self.tools, sample))
            said = "\n".join((reply.text, *(c.arguments for c in reply.calls))).strip()
            if reply.withheld:
                raise ReplyUnusable(self.name, "a content filter withheld it", reply=said)
            try:
                return shape.read(reply)
            except ValueError as error:
                problem = str(error)
            mend = load(__package__, "repair").render(problem=problem)
            turns = (*turns, Message("assistant", said or "(nothing)"), Message("user", mend))
        raise ReplyUnusable(self.name, problem, reply=said)

    async def _send(self, request: Request) -> Reply:
        """Asks once more, with room to think, where a reply ended at its length before it said anything."""
        reply = await super()._send(request)
        room = request.sampling.max_tokens or 0
        silent = not (reply.calls or any(text.strip() for text in (reply.text, *reply.more)))
        if reply.finish != "length" or not silent or room >= THINKING_ROOM:
            return reply
        if self.reply_tokens is not None:
            return reply  # whoever runs this has said how long replies may be
        try:
            wider = replace(request.sampling, max_tokens=THINKING_ROOM)
            return await super()._send(replace(request, sampling=wider))
        except ModelFailed:
            return reply  # a model that may not say so much

    def _drawn(self, sampling: Sampling) -> Sampling:
        """How a reply is drawn from this model, where a method says `sampling`."""
        room = sampling.max_tokens
        if room is not None and self.reply_tokens is not None:
            room = max(room, self.reply_tokens)
        seed = self.seed if sampling.seed is None else sampling.seed
        return replace(sampling, max_tokens=room, seed=seed)


def _apart(reply: Reply) -> list[Reply]:
    """The replies to a request for several, one by one."""
    others = (replace(reply, text=text, calls=(), more=(), usage=Usage()) for text in reply.more)
    return [replace(reply, more=()), *others]


def _turns(prompt: Prompt, system: str) -> tuple[Message, ...]:
    turns = (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)
    return (Message("system", system), *turns) if system else turns


def _compact(schema: object) -> str:
    import json  # noqa: PLC0415

    return json.dumps(schema, ensure_ascii=False)
