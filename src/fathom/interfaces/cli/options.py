"""Options that several commands take, with their lines in the help."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from fathom.benchmarks import QuestionSelection
    from fathom.llm import Budget, Pace

DatabaseName = Annotated[str, Parameter(help="A path, a URL, a name from the settings, or demo:biomed.")]
Query = Annotated[
    str,
    Parameter(help="One query that only reads. `-` reads it from standard input.", allow_leading_hyphen=True),
]


Strict = Annotated[
    bool,
    Parameter(help="Refuse an account that may do more than read; FATHOM_STRICT=1 does so for all commands."),
]


def query_text(query: str) -> str:
    """The query itself, where it may be `-`."""
    return sys.stdin.read() if query == "-" else query


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AsUser:
    """Who asks, where a file says who may see what."""

    rights: Path | None = None
    """The file of who may see what (docs/rights.md); left out, the one that the settings name, if any."""

    user: str = ""
    """The user of that file who asks; left out, the account that runs the program."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Recording:
    """A recording of a model's replies: none, a new one, or one that is replayed."""

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


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Which of a benchmark's questions are asked."""

    database: Sequence[str] = ()
    """Only questions about this database, by the benchmark's name for it; may be given several times."""

    ids: Sequence[str] = ()
    """Only these questions: ids with commas between, or a file of them as fathom export --unsolved writes."""

    sample: int | None = None
    """Only so many questions, drawn by --seed; a larger sample holds the smaller one."""

    def choice(self, seed: int) -> "QuestionSelection":
        """The choice that these make."""
        from fathom.benchmarks.choice import QuestionSelection, read_ids  # noqa: PLC0415, help needs none of it

        return QuestionSelection(tuple(self.database), tuple(read_ids(self.ids)), self.sample, seed)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How a model is asked."""

    requests: int | None = None
    """How many requests to have under way at once; 8 where it isn't given."""

    rpm: float | None = None
    """Send at most so many requests a minute."""

    tpm: float | None = None
    """Send at most so many tokens a minute, estimated from the prompts."""

    model_seconds: float | None = None
    """Seconds to wait for one reply before asking again; 180 where it isn't given."""

    reply_tokens: int | None = None
    """Let each reply take so many tokens where a method allows fewer: for models that think first."""

    def pace(self) -> "Pace":
        """Its pace. Raises `ConfigError` for a number that isn't above 0."""
        from fathom.llm import Pace  # noqa: PLC0415, slow to import

        return Pace.of(requests=self.requests, rpm=self.rpm, tpm=self.tpm, model_seconds=self.model_seconds)


ALL_QUESTIONS = Chosen()
NO_RECORDING, NO_LIMIT, AS_USUAL, ANYBODY = Recording(), Spending(), ModelOptions(), AsUser()
"""The options of commands where nobody sets others."""
