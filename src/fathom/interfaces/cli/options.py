"""Options that several commands take, with their lines in the help."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from fathom.benchmarks import QuestionSelection
    from fathom.evaluation.runs.options import RunOptions
    from fathom.llm import Budget, Pace


def default_shown(value: object) -> str | None:
    """The default of an option; None for what goes without saying: off, empty or none."""
    return None if value is None or value is False or value in ("", ()) else str(value)


USUAL = Parameter(negative="", show_default=default_shown)
"""How options are unless they say otherwise: a flag is off unless it is given."""

DatabaseName = Annotated[str, Parameter(help="A path, a URL, a name from the settings, or demo:shop.")]
Query = Annotated[
    str,
    Parameter(help="One query that only reads. `-` reads it from standard input.", allow_leading_hyphen=True),
]


Strict = Annotated[
    bool,
    Parameter(help="Reject an account that can do more than read; FATHOM_STRICT=1 does so for all commands."),
]


WithoutRules = Annotated[
    str,
    Parameter(
        help="Switch off these rules of offline, or groups of rules, such as times,stock (see docs/rules.md)."
    ),
]


Repair = Annotated[
    bool | None,
    Parameter(
        help="Correct a failing query from the schema (names, joins, spelling of values, dialect), without "
        "a model; --no-repair never does. The default depends on the method: adaptive does."
    ),
]


def rule_names(without_rules: str) -> tuple[str, ...]:
    """The names of rules that are to be switched off. Raises `ConfigError` for one that there isn't."""
    names = tuple(n.strip() for n in without_rules.split(",") if n.strip())
    if names:
        from fathom.offline.rules import named_rules  # noqa: PLC0415, only where rules are named

        named_rules(names)
    return names


def query_text(query: str) -> str:
    """The query itself, where it may be `-`."""
    return sys.stdin.read() if query == "-" else query


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AsUser:
    """Who asks, where a file says who may see what."""

    rights: Path | None = None
    """The rights file (docs/rights.md); the default is the one in the settings, if any."""

    user: str = ""
    """Ask as this user of the rights file; the default is the account that runs the program."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Recording:
    """A recording of a model's replies: none, a new one, or one that is replayed."""

    cassette: Path | None = None
    """Record every exchange with the model in this file; what it already contains isn't asked again."""

    replay: bool = False
    """Use only the replies in the cassette, without a key or a network."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Spending:
    """How much a model may use."""

    max_tokens: int | None = None
    """Stop when the model has used this many tokens; results up to then are kept."""

    max_cost: float | None = None
    """Stop when the model has cost this many dollars."""

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
    """Only questions about this database, as the benchmark names it; you can repeat this option."""

    ids: Sequence[str] = ()
    """Only these questions: ids separated by commas, or a file of ids (fathom export --unsolved)."""

    sample: int | None = None
    """Only this many questions, drawn by --seed; a larger sample includes a smaller one."""

    def choice(self, seed: int) -> "QuestionSelection":
        """The choice that these make."""
        from fathom.benchmarks.choice import QuestionSelection, read_ids  # noqa: PLC0415, help needs none of it

        return QuestionSelection(tuple(self.database), tuple(read_ids(self.ids)), self.sample, seed)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How a model is asked."""

    requests: int | None = None
    """How many requests to send at once; the default is 8."""

    rpm: float | None = None
    """Send at most this many requests per minute."""

    tpm: float | None = None
    """Send at most this many tokens per minute, estimated from the prompts."""

    model_seconds: float | None = None
    """Seconds to wait for a reply before asking again; the default is 180."""

    reply_tokens: int | None = None
    """Allow each reply at least this many tokens, for models that think first."""

    def pace(self) -> "Pace":
        """Its pace. Raises `ConfigError` for a number that isn't above 0."""
        from fathom.llm import Pace  # noqa: PLC0415, slow to import

        return Pace.of(requests=self.requests, rpm=self.rpm, tpm=self.tpm, model_seconds=self.model_seconds)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunFlags:
    """How a run goes, whatever is measured."""

    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None
    """The folder of the run; the default is a folder in runs/."""

    limit: int | None = None
    """Ask only this many questions, the first ones."""

    workers: int | None = None
    """How many questions to ask at a time, and processes to judge in; the default is 1."""

    with_examples: Annotated[
        bool | None,
        Parameter(
            help="Give the method the benchmark's training questions as solved examples. Without such a "
            "split, a tool caller gets the file's other questions, except those that give the answer away."
        ),
    ] = None

    seed: Annotated[
        int | None,
        Parameter(
            help="The seed, sent to the model with each request and recorded with the run; also the seed of "
            "--sample, by default 0. Runs with different seeds count as different."
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """How methods that write queries are measured."""

    embeddings: Annotated[
        str | None,
        Parameter(
            help="The model that compares meanings: provider:name, http://HOST:PORT/v1#NAME or "
            "sentence-transformers:NAME. Without one, words and spelling are compared."
        ),
    ] = None

    comparison: str | None = None
    """How to compare results: bird, spider, sql_eval, biomedsql or semantic; the benchmark has a default."""

    same_database: Annotated[
        bool | None,
        Parameter(
            help="Also show a model solved examples about the same database; by default they are about "
            "others. Questions with the same gold query are never shown."
        ),
    ] = None

    pack: Sequence[Path] = ()
    """A knowledge pack to add to the benchmark's own; you can repeat this option."""

    timeout: float | None = None
    """Seconds that each query may take; the default is 30."""

    executor: str | None = None
    """Where to judge: dask://host:port; the default is processes on this machine."""

    def given(self) -> dict[str, Any]:
        """Give the options that are set, under their names in `RunOptions`, without the executor."""
        named = {"embeddings": self.embeddings, "comparison": self.comparison, "timeout": self.timeout,
                 "same_database": self.same_database, "packs": list(self.pack) or None}  # fmt: skip
        return {name: value for name, value in named.items() if value is not None}


def run_options(
    flags: RunFlags, recording: Recording, spending: Spending, asking: ModelOptions
) -> "RunOptions":
    """The options of a run that these make, its progress shown."""
    from fathom.evaluation.runs.options import RunOptions  # noqa: PLC0415, slow to import
    from fathom.interfaces.cli.progress import progress  # noqa: PLC0415, slow to import

    return RunOptions(
        out=flags.out,
        limit=flags.limit,
        workers=flags.workers or 1,
        with_examples=bool(flags.with_examples),
        seed=flags.seed,
        cassette=recording.cassette,
        replay=recording.replay,
        budget=spending.budget("run"),
        pace=asking.pace(),
        reply_tokens=asking.reply_tokens,
        progress=progress(),
    )


ALL_QUESTIONS, AS_RUNS_GO, AS_QUERIES_ARE = Chosen(), RunFlags(), QueryOptions()
NO_RECORDING, NO_LIMIT, AS_USUAL, ANYBODY = Recording(), Spending(), ModelOptions(), AsUser()
"""The options of commands where nobody sets others."""
