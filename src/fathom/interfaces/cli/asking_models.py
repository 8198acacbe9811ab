"""What the options about language models come to: an opened model within its budget."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.errors import ConfigError

if TYPE_CHECKING:
    from fathom.llm import Budget, Model


def opened_model(
    name: str | None, *, cassette: Path | None = None, replay: bool = False
) -> "AbstractContextManager[Model | None]":
    """The model of that name, open; None without a name. Raises what `open_model` raises."""
    if name is None:
        if cassette is not None or replay:
            raise ConfigError("A cassette goes with the name of a model: --model provider:name.")
        return nullcontext(None)
    from fathom.llm import open_model  # noqa: PLC0415, most commands need none

    return open_model(name, cassette=cassette, replay=replay)


def budget_of(tokens: int | None, dollars: float | None, *, scope: str) -> "Budget | None":
    """A budget of these limits; None without any."""
    if tokens is None and dollars is None:
        return None
    from fathom.llm import Budget  # noqa: PLC0415

    return Budget(tokens=tokens, dollars=dollars, scope=scope)
