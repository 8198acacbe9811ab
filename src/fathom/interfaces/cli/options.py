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

DatabaseName = Annotated[str, Parameter(help="A path, a URL, a name from the settings, or demo:shop.")]
Query = Annotated[
    str,
    Parameter(help="One query that only reads. `-` reads it from standard input.", allow_leading_hyphen=True),
]


Strict = Annotated[
    bool,
    Parameter(help="Refuse an account that may do more than read; FATHOM_STRICT=1 does so for all commands."),
]


WithoutRules = Annotated[
    str,
    Parameter(
        help="Switch off these rules of offline, or rooms of rules, with commas between: times,stock. "
        "docs/rules.md lists them."
    ),
]


Repair = Annotated[
    bool | None,
    Parameter(
        help="Mend a query that fails by the schema (names, joins, spelling of values, dialect), asking no "
        "model; --no-repair never does. Left out, it is as the method has it: adaptive does."
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


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunFlags:
    """How a run goes, whatever is measured."""

    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None
    """The folder of the run; below runs/ where it isn't given."""

    limit: int | None = None
    """Ask only the first so many questions."""

    workers: int | None = None
    """How many questions to ask at a time, and processes to judge in; 1 where it isn't given."""

    with_examples: Annotated[
        bool | None,
        Parameter(
            help="Give the method the benchmark's training questions as solved examples; a caller gets "
            "the file's own where there is no such split, without those that give the asked one "
            "away."
        ),
    ] = None

    seed: Annotated[
        int | None,
        Parameter(
            help="Sent to the model with each request, kept with the run, and part of what makes two "
            "runs the same; of --sample too, 0 where it isn't given."
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """How methods that write queries are measured."""

    embeddings: Annotated[
        str | None,
        Parameter(
            help="The model that tells methods what is near in meaning: provider:name, "
            "http://HOST:PORT/v1#NAME or sentence-transformers:NAME. Without one words and "
            "spelling tell it."
        ),
    ] = None

    comparison: str | None = None
    """How results are compared: bird, spider, sql_eval, biomedsql, semantic; else as the benchmark says."""

    same_database: Annotated[
        bool | None,
        Parameter(
            help="What a model is shown of solved examples may be about the asked database; else it is "
            "about others. Questions with the gold query are never shown."
        ),
    ] = None

    pack: Sequence[Path] = ()
    """A knowledge pack beside the benchmark's own; may be given several times."""

    timeout: float | None = None
    """Seconds that each query may take; 30 where it isn't given."""

    executor: str | None = None
    """Where to judge: dask://host:port; in processes on this machine where it isn't given."""

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
