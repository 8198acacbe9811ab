"""How a run goes: what `evaluate`, `evaluate_calls` and `run_grid` take beside what they measure."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fathom.benchmarks import Benchmark, QuestionSelection, load_benchmark
from fathom.errors import ConfigError

if TYPE_CHECKING:
    from fathom.evaluation.runs.progress import RunProgress
    from fathom.llm import Budget, Embedder, Model, Pace
    from fathom.llm.by_name import Opening

Evidence = Literal["given", "none"]
"""A question's outside knowledge: given to the method, or not."""
SchemaGiven = Literal["whole", "gold"]
"""The part of a schema that a method is given: all of it, or only the part that the gold query reads."""

_OF_QUERIES = (
    "embeddings", "comparison", "same_database", "packs", "evidence", "schema", "on", "timeout", "executor",
)  # fmt: skip
"""Options that mean nothing where calls are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run goes, whatever is measured. As it is, it asks every question, one by one.

    Which questions: of the benchmark's `split` those of `choice`, the first `limit` of them; `workers` are
    asked at a time. `name` is what figures call what is measured, and `label` what reports call this run of
    it. The run is kept in `out`, else in a folder
    below `runs` named after what is run; `progress` is told how far it is. `settings` are yours to note, and
    part of what makes two runs the same.

    The model: `model` is the language model of methods that ask one, as `provider:name` or opened; a named
    one may record on a `cassette`, or `replay` it without a network. `embeddings` is likewise the model that
    tells methods what is near in meaning, where words and spelling tell it otherwise. A run whose `budget` is
    spent stops with what it has, and goes on from there with a greater one: what its records hold already
    counts. `pace` says how requests are sent to a named model, `reply_tokens` how long replies may be where a
    method allows less, and `seed` goes with each request, where it is given.

    What is known: `with_examples` gives the benchmark's training questions as solved examples; what a model
    is shown of them is about other databases unless `same_database` says so, and never has the gold query.
    `packs` are knowledge packs beside the benchmark's, and beside those that `ask` uses for the same
    databases. With `evidence` "none" a method sees no outside knowledge, with `schema` "gold" nothing of the
    database but what the gold query reads: the gap to a run without these is what they are worth. With `on`
    the same questions are asked of another database, which holds the tables that gold reads, and maybe more.

    Judging: `comparison` is how results are compared, by default the benchmark's own; `timeout` bounds each
    query in seconds; answers are judged in `executor`, or in processes of the run's own.
    """

    split: str | None = None
    choice: QuestionSelection | None = None
    limit: int | None = None
    workers: int = 1
    name: str | None = None
    label: str = ""
    out: str | Path | None = None
    progress: "RunProgress | None" = None
    settings: Mapping[str, Any] | None = None
    model: "str | Model | None" = None
    embeddings: "str | Embedder | None" = None
    cassette: str | Path | None = None
    replay: bool = False
    budget: "Budget | None" = None
    pace: "Pace | None" = None
    reply_tokens: int | None = None
    seed: int | None = None
    with_examples: bool = False
    same_database: bool = False
    packs: Sequence[str | Path] = ()
    evidence: Evidence = "given"
    schema: SchemaGiven = "whole"
    on: str = ""
    comparison: str | None = None
    timeout: float = 30.0
    executor: Executor | None = None

    def load(self, benchmark: str | Path | Benchmark) -> Benchmark:
        """The benchmark with the questions that are asked. Raises the errors of loading it."""
        loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark, self.split)
        loaded = loaded.asked_of(self.on) if self.on else loaded
        return loaded.only(self.choice) if self.choice else loaded

    def opened_model(self) -> "AbstractContextManager[Model | None]":
        """The model to ask, closed at the end where it was opened here. Raises as `open_model`."""
        from fathom.llm import opened_model  # noqa: PLC0415, slow to import

        return opened_model(self.model, **self._opening(), seed=self.seed, reply_tokens=self.reply_tokens)

    def opened_embedder(self) -> "AbstractContextManager[Embedder | None]":
        """The model that tells what is near in meaning, likewise."""
        from fathom.llm import opened_embedder  # noqa: PLC0415, slow to import

        return opened_embedder(self.embeddings, **self._opening())

    def _opening(self) -> "Opening":
        from fathom.llm import PACE  # noqa: PLC0415, slow to import

        return {
            "cassette": self.cassette,
            "replay": self.replay,
            "budget": self.budget,
            "pace": self.pace or PACE,
        }

    def check_of_calls(self) -> None:
        """Raises `ConfigError` for the first option that goes with benchmarks of queries alone."""
        usual = {f.name: f.default for f in fields(self)}
        if given := next((n for n in _OF_QUERIES if getattr(self, n) != usual[n]), None):
            raise ConfigError(f"{given} goes with benchmarks of queries; these are tool questions.")


AS_USUAL = RunOptions()
