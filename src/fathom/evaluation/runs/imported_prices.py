"""Dollars of tokens that a file tells without their price: priced as those of a model that one names."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from fathom.errors import ConfigError
from fathom.records import Usage

CACHED_SHARE = 0.5
"""The share of prompt tokens taken as cached, as NL2SQLBench assumes in its tables of cost."""


@dataclass(frozen=True, slots=True)
class Pricing:
    """Prices usage as that of a model; `cost` tells the dollars of so many prompt and reply tokens.

    A `cached_share` of the prompts was cached.
    """

    cost: Callable[[int, int, int], Decimal | None]
    cached_share: float

    def priced(self, used: Usage) -> Usage:
        """The usage with its cost, which stays unknown where tokens aren't told apart."""
        if used.unsplit_tokens:
            return replace(used, cost_usd=None)
        cached = round(used.prompt_tokens * self.cached_share)
        cost = self.cost(used.prompt_tokens, cached, used.completion_tokens)
        return replace(used, cached_tokens=cached, cost_usd=cost)

    def bounds(self, used: Usage) -> tuple[Decimal, Decimal]:
        """The least and the most that usage costs: with all its unsplit tokens as prompts, and as replies."""
        total = used.prompt_tokens + used.unsplit_tokens
        ways = (
            replace(used, prompt_tokens=total, unsplit_tokens=0),
            replace(used, completion_tokens=used.completion_tokens + used.unsplit_tokens, unsplit_tokens=0),
        )
        costs = sorted(self.priced(way).cost_usd or Decimal(0) for way in ways)
        return costs[0], costs[1]


def prices_of(model: str, cached_share: float = CACHED_SHARE) -> Pricing:
    """How to price usage as that of `provider:name`.

    Raises `ConfigError` for a share outside 0 to 1 and for a model whose price isn't known.
    """
    from pydantic_ai.usage import RequestUsage  # noqa: PLC0415, slow to import, and of an extra

    from fathom.llm.attempt import price  # noqa: PLC0415, as above
    from fathom.llm.providers import find_provider  # noqa: PLC0415

    if not 0 <= cached_share <= 1:
        raise ConfigError(f"--cached-share is from 0 to 1, not {cached_share:g}.")
    provider, name = find_provider(model)

    def cost(prompt: int, cached: int, completion: int) -> Decimal | None:
        told = RequestUsage(input_tokens=prompt, cache_read_tokens=cached, output_tokens=completion)
        return price(provider, (name,), told)

    if cost(1_000, 0, 1_000) is None:
        raise ConfigError(f"No price of {model!r} is known, so nothing can be priced as its tokens.")
    return Pricing(cost, cached_share)
