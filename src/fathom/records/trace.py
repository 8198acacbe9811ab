"""Every step of answering one question, with what it used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, get_args

Module = Literal["selection", "generation", "revision", "repair", "answering"]
MODULES: tuple[Module, ...] = get_args(Module)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a step. `cost_usd` is None where a price is unknown, which is not zero.

    `unmeasured_calls` are those whose tokens the provider didn't tell: token counts are then lower bounds.
    `unsplit_tokens` are those of which nobody told how many are the prompt's, how many the reply's.
    Seconds are split by where they went: the model, the database, our own code.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    model_seconds: float = 0.0
    database_seconds: float = 0.0
    own_seconds: float = 0.0
    unmeasured_calls: int = 0
    unsplit_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens, of prompts and of replies."""
        return self.prompt_tokens + self.completion_tokens + self.unsplit_tokens

    def __add__(self, other: "Usage") -> "Usage":
        unknown = self.cost_usd is None or other.cost_usd is None
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            None if unknown else (self.cost_usd or Decimal(0)) + (other.cost_usd or Decimal(0)),
            self.model_seconds + other.model_seconds,
            self.database_seconds + other.database_seconds,
            self.own_seconds + other.own_seconds,
            self.unmeasured_calls + other.unmeasured_calls,
            self.unsplit_tokens + other.unsplit_tokens,
        )

    def __neg__(self) -> "Usage":
        return Usage(
            -self.calls,
            -self.prompt_tokens,
            -self.completion_tokens,
            -self.cached_tokens,
            None if self.cost_usd is None else -self.cost_usd,
            -self.model_seconds,
            -self.database_seconds,
            -self.own_seconds,
            -self.unmeasured_calls,
            -self.unsplit_tokens,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        return self + -other


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step: its name, the module it belongs to, what it found (JSON values), what it used."""

    name: str
    module: Module
    found: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of one question, in order."""

    steps: tuple[Step, ...] = ()

    @property
    def usage(self) -> Usage:
        """The usage of all the steps together."""
        return sum((s.usage for s in self.steps), Usage())
