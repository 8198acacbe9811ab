"""The context of a step's work on a draft."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.cancellation import Cancellation
from fathom.databases import Database
from fathom.errors import ModelNeeded
from fathom.knowledge import KnowledgePack
from fathom.records import Limits, Result, SolvedExample, Usage
from fathom.watch import Watch

if TYPE_CHECKING:
    from fathom.llm import Embedder, Model, Reply

CUT, NOT_SENT = "replies cut at their length", "not taken by the model"
"""Findings of a step: how many replies ended at the most they may have, which parameters weren't heeded."""


@dataclass(slots=True)
class Meter:
    """Adds up what one step uses, and what is to be told of it; the runner reads it when the step is done."""

    usage: Usage = Usage()
    notes: dict[str, Any] = field(default_factory=dict)

    def add(self, usage: Usage) -> None:
        """Count one more call, query or piece of work."""
        self.usage = self.usage + usage

    def hear(self, reply: "Reply") -> None:
        """Note how a reply came about: cut at its length, or drawn otherwise than asked for."""
        if reply.finish == "length":
            self.notes[CUT] = self.notes.get(CUT, 0) + 1
        if reply.dropped:
            self.notes[NOT_SENT] = sorted({*self.notes.get(NOT_SENT, ()), *reply.dropped})


@dataclass(frozen=True, slots=True)
class Context:
    """The database asked, what is known about it, and the limits its queries run within.

    `examples` are solved questions beside those of the knowledge pack, such as a training split, of which
    those whose query's digest is `withheld` are never shown: they would give the answer away.
    `cache` is the folder for indexes, None for the user's own; `model` is the one that steps ask, if any;
    `embedder` tells how near texts are in meaning, and without one their words and spelling do.
    `remembers` lets steps keep in the cache what a model told them of one question and use it for the next:
    not where runs have to be repeatable. `watch` is told as each step begins and ends, and how far long ones
    are. `cancellation` stops queries of this question, and is asked between steps; without one, the one that
    covers the task does.
    """

    database: Database
    knowledge: KnowledgePack = KnowledgePack()
    examples: tuple[SolvedExample, ...] = ()
    limits: Limits = Limits()
    cache: Path | None = None
    model: "Model | None" = None
    embedder: "Embedder | None" = None
    meter: Meter = field(default_factory=Meter)
    remembers: bool = False
    watch: Watch | None = None
    cancellation: Cancellation | None = None
    withheld: frozenset[str] = frozenset()

    async def run(self, sql: str, limits: Limits | None = None) -> Result:
        """Run a query in a thread and count its seconds. Raises what `Database.run` raises."""
        result = await asyncio.to_thread(self.database.run, sql, limits or self.limits, self.cancellation)
        self.meter.add(Usage(database_seconds=result.seconds))
        return result

    def metered_model(self) -> "Model":
        """The model to ask; what it uses counts for the step at work. Raises `ModelNeeded` without one."""
        if self.model is None:
            raise ModelNeeded
        return self.model.metered(self.meter.add).heard(self.meter.hear)

    def metered_embedder(self) -> "Embedder | None":
        """The embedder, if any: its dollars and seconds count for the step at work.

        Its calls and tokens don't, for they are no language model's.
        """
        if self.embedder is None:
            return None
        return self.embedder.metered(
            lambda used: self.meter.add(
                replace(used, calls=0, prompt_tokens=0, cached_tokens=0, unmeasured_calls=0)
            )
        )

    def for_one_step(self) -> "Context":
        """The same context with a meter of its own."""
        return replace(self, meter=Meter())
