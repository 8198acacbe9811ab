"""What the options about a language model's budget come to."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fathom.llm import Budget


def budget_of(tokens: int | None, dollars: float | None, *, scope: str) -> "Budget | None":
    """A budget of these limits; None without any."""
    if tokens is None and dollars is None:
        return None
    from fathom.llm import Budget  # noqa: PLC0415

    return Budget(tokens=tokens, dollars=dollars, scope=scope)
