"""What is measured: a registered method, a composed one, or any callable, made into one way to ask."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import connect
from fathom.errors import ConfigError, ModelNeeded
from fathom.evaluation.runs.asking import Ask, is_async
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import Draft, Question, SolvedExample

if TYPE_CHECKING:
    from fathom.llm import Embedder, Model

Subject = str | Method | Callable[[Question], Any]


@dataclass(frozen=True, slots=True)
class Named:
    """A subject with the name that its figures are printed with."""

    name: str
    ask: Ask


class Contexts:
    """The context of each database that a benchmark asks, made when first needed."""

    def __init__(
        self,
        benchmark: Benchmark,
        *,
        packs: Sequence[Path],
        with_examples: bool,
    ) -> None:
        self._benchmark = benchmark
        self._packs = tuple(packs)
        self._with_examples = with_examples
        self.model: Model | None = None
        self.embedder: Embedder | None = None
        self._made: dict[str, Context] = {}
        self._lock = threading.Lock()

    def of(self, question: BenchmarkQuestion) -> Context:
        """The context of a question. Raises what connecting and reading packs raise."""
        with self._lock:
            if question.database not in self._made:
                self._made[question.database] = self._make(question)
            return self._made[question.database]

    def _make(self, question: BenchmarkQuestion) -> Context:
        name = question.database_name
        packs = (*self._benchmark.packs(name), *self._packs)
        examples: tuple[SolvedExample, ...] = ()
        if self._with_examples:
            examples = tuple(self._benchmark.examples(name or None))
        knowledge = load_packs(*packs) if packs else KnowledgePack()
        database = connect(question.database)
        return Context(database, knowledge, examples=examples, model=self.model, embedder=self.embedder)

    def close(self) -> None:
        """Close the databases."""
        for context in self._made.values():
            context.database.close()


def name_subject(
    subject: Subject, contexts: Contexts, *, with_model: bool = False, name: str | None = None
) -> Named:
    """Look a method up by its name, or take it as it is. Raises `UnknownName` with the nearest name.

    Raises `ModelNeeded` where a method asks a model and there is none, `ConfigError` where there is one and
    it doesn't.
    """
    found = find_method(subject) if isinstance(subject, str) else subject
    name = name or (subject if isinstance(subject, str) and not subject.endswith(".toml") else _name(found))
    if isinstance(found, Method):
        if found.asks_model and not with_model:
            raise ModelNeeded
        if with_model and not found.asks_model:
            raise ConfigError(
                f"The method {name!r} asks no language model: leave out the model, or name a method that "
                "asks one, such as adaptive (fathom methods)."
            )
        return Named(name, _asking_method(found, contexts))
    if not callable(found):
        raise ConfigError(f"{name!r} is no method: it is neither a Method nor callable.")
    return Named(name, _asking_callable(found))


def _name(subject: object) -> str:
    if isinstance(subject, Method):
        return subject.name
    name = str(getattr(subject, "__qualname__", None) or type(subject).__qualname__)
    return name.rpartition("<locals>.")[2]


def _asking_method(method: Method, contexts: Contexts) -> Ask:
    async def ask(question: BenchmarkQuestion) -> Draft:
        context = await asyncio.to_thread(contexts.of, question)
        return await run_method(method, question.question, context)

    return ask


def _asking_callable(function: Callable[[Question], Any]) -> Ask:
    """The callable gets the question alone, never the gold; what it returns is read by `respond`."""
    if is_async(function):

        async def ask(question: BenchmarkQuestion) -> Any:
            return await function(question.question)

        return ask
    return lambda question: function(question.question)


def settings_json(
    settings: Mapping[str, Any] | None,
    subject: Subject,
    *,
    with_examples: bool,
    packs: Sequence[Path],
    embedder: "Embedder | None" = None,
) -> Any:
    """The settings that decide outcomes, as `run.json` keeps them, with the steps of a composed method."""
    kept = dict(settings or {})
    method = find_method(subject) if isinstance(subject, str) and subject.endswith(".toml") else subject
    if isinstance(method, Method):
        kept["steps"] = [{"step": s.name, **s.settings} for s in method.steps]
    if embedder is not None:
        kept["embeddings"] = embedder.name
    if with_examples:
        kept["with_examples"] = True
    if packs:
        kept["packs"] = [p.name for p in packs]
    return kept
