"""Options that several commands take, with their lines in the help."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from fathom.llm import Budget

DatabaseName = Annotated[str, Parameter(help="A path, a URL, a name from the settings, or demo:biomed.")]
Query = Annotated[
    str,
    Parameter(help="One query that only reads. `-` reads it from standard input.", allow_leading_hyphen=True),
]


def query_text(query: str) -> str:
    """The query itself, where it may be `-`."""
    return sys.stdin.read() if query == "-" else query


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Recording:
    """Whether what a model says is recorded, or comes from a record."""

    cassette: Path | None = None
    """Record every exchange with the model in this file; what is in it already isn't asked again."""

    replay: bool = False
    """Answer from the cassette alone, without a key or a network."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Spending:
    """How much a model may use."""

    max_tokens: int | None = None
    """Stop when the model has used this many tokens; what there is by then is kept."""

    max_cost: float | None = None
    """The same in dollars."""

    def budget(self, scope: str) -> "Budget | None":
        """A budget of these limits; None without any."""
        if self.max_tokens is None and self.max_cost is None:
            return None
        from fathom.llm import Budget  # noqa: PLC0415, slow to import

        return Budget(tokens=self.max_tokens, dollars=self.max_cost, scope=scope)


NO_RECORDING, NO_LIMIT = Recording(), Spending()
"""What commands take where nobody says otherwise."""
