"""Dollars of tokens that a file tells without their price: priced as those of a model that one names."""

from collections.abc import Callable
from dataclasses import replace

from fathom.errors import ConfigError
from fathom.records import Usage

CACHED_SHARE = 0.5
"""The share of prompt tokens taken as cached, as NL2SQLBench assumes in its tables of cost."""
Pricing = Callable[[Usage], Usage]


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

    def priced(used: Usage) -> Usage:
        cached = round(used.prompt_tokens * cached_share)
        told = RequestUsage(
            input_tokens=used.prompt_tokens,
            cache_read_tokens=cached,
            output_tokens=used.completion_tokens,
        )
        return replace(used, cached_tokens=cached, cost_usd=price(provider, (name,), told))

    if priced(Usage(calls=1, prompt_tokens=1_000, completion_tokens=1_000)).cost_usd is None:
        raise ConfigError(f"No price of {model!r} is known, so nothing can be priced as its tokens.")
    return priced
