"""The subject of a measurement: a registered method, a composed one, or any callable."""

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.config import Settings, read_settings
from fathom.databases import connect
from fathom.databases.query_columns import items_of
from fathom.errors import ConfigError, FathomError, ModelNeeded
from fathom.evaluation.runs.asker import Ask, AskFailed, is_async
from fathom.evaluation.runs.options import RunOptions
from fathom.knowledge import KnowledgePack, load_packs, packs_beforehand
from fathom.methods import Context, Meter, Method, find_method, run_method
from fathom.records import Draft, Question, SolvedExample, query_digest

if TYPE_CHECKING:
    from fathom.llm import Embedder, Model

Subject = str | Method | Callable[[Question], Any]
NO_EXAMPLES = (
    "The method {name!r} shows a model solved questions, and there are none here. Give it the benchmark's "
    "training questions about other databases (--with-examples), those about the same one too "
    "(--same-database), or a knowledge pack with solved examples (--pack)."
)


@dataclass(frozen=True, slots=True)
class NamedSubject:
    """A subject with the name that its figures are printed with; `is_method` where it is given contexts."""

    name: str
    ask: Ask
    is_method: bool = False


class Contexts:
    """The context of each database that a benchmark asks, made when first needed.

    With the gold schema each question has a database that holds only what its gold query reads. A database
    has the packs that it has where people ask it, then the benchmark's own, then those given.
    """

    def __init__(
        self, benchmark: Benchmark, options: RunOptions, *, settings: Settings | None = None
    ) -> None:
        self._benchmark = benchmark
        self._settings = settings or read_settings()
        self._packs = tuple(map(Path, options.packs))
        self._with_examples = options.with_examples
        self._same_database = options.same_database
        self.demonstrates = False
        self.model: Model | None = None
        self.embedder: Embedder | None = None
        self._gold_schema = options.schema == "gold"
        self._scratch: TemporaryDirectory[str] | None = None
        self._made: dict[str, Context] = {}
        self._lock = threading.Lock()

    def of(self, question: BenchmarkQuestion) -> Context:
        """The context of a question. Raises what connecting and reading packs raise."""
        with self._lock:
            if question.database not in self._made:
                self._made[question.database] = self._make(question)
            whole = self._made[question.database]
            return self._narrowed(whole, question) if self._gold_schema and question.gold else whole

    def _narrowed(self, whole: Context, question: BenchmarkQuestion) -> Context:
        """The context of a database that holds nothing but what the question's gold query reads."""
        try:
            needed = items_of(question.gold[0], whole.database.schema)
        except FathomError:  # gold that can't be parsed tells no schema
            return whole
        if self._scratch is None:  # indexes of narrowed databases are of no use to anybody later
            self._scratch = TemporaryDirectory(prefix="fathom-")
        narrow = whole.database.narrowed(needed.as_json())
        return replace(whole, database=narrow, cache=Path(self._scratch.name))

    def _make(self, question: BenchmarkQuestion) -> Context:
        name = question.database_name
        packs = (*self._beforehand(question.database), *self._benchmark.packs(name), *self._packs)
        return Context(
            connect(question.database),
            load_packs(*packs) if packs else KnowledgePack(),
            examples=tuple(self._examples(name)),
            cache=self._settings.cache,
            model=self.model,
            embedder=self.embedder,
        )

    def _examples(self, database_name: str) -> Iterator[SolvedExample]:
        """The training questions that a method is given for a database.

        What a model is shown comes from other databases, unless it was asked for otherwise, as the published
        methods have it; a method without a model learns from the database's own.
        """
        if not self._with_examples:
            return iter(())
        if not self.demonstrates or self._same_database:
            return self._benchmark.examples(database_name or None)
        return (e for e in self._benchmark.examples() if e.database != database_name)

    def has_examples(self) -> bool:
        """True if there is a solved question for the database of the first question."""
        first = next(iter(self._benchmark), None)
        if first is None:
            return False
        name = first.database_name
        packs = (*self._beforehand(first.database), *self._benchmark.packs(name), *self._packs)
        taught = bool(packs) and bool(load_packs(*packs).examples)
        return taught or next(self._examples(name), None) is not None

    def _beforehand(self, database: str) -> tuple[Path, ...]:
        return packs_beforehand(database, self._settings)

    def packs_by_database(self, limit: int | None) -> dict[str, dict[str, str]]:
        """The packs that databases have beforehand: by database, the digest of each file or folder by name.

        Of the benchmark's first `limit` questions. A pack that can't be read says so when it is used.
        """
        named = dict.fromkeys(q.database for q in islice(self._benchmark, limit))
        found = {d: {p.name: _digest(p) for p in self._beforehand(d)} for d in named}
        return {known_as: packs for known_as, packs in found.items() if packs}

    def close(self) -> None:
        """Close the databases."""
        for context in self._made.values():
            context.database.close()
        if self._scratch is not None:
            self._scratch.cleanup()


def _digest(pack: Path) -> str:
    """The SHA-256 of a pack's file, or of all in its folder; empty where it isn't there."""
    whole = hashlib.sha256()
    files = sorted(f for f in pack.iterdir() if f.is_file()) if pack.is_dir() else [pack]
    for file in files:
        if not file.is_file():
            return ""
        whole.update(file.read_bytes())
    return whole.hexdigest()


def name_subject(
    subject: Subject,
    contexts: Contexts,
    *,
    with_model: bool = False,
    name: str | None = None,
    evidence: bool = True,
) -> NamedSubject:
    """Look a method up by its name, or take it as it is; without `evidence` it is shown none.

    Raises `UnknownName` with the nearest name, `ModelNeeded` where a method asks a model and there is none,
    `ConfigError` where there is one and
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
        contexts.demonstrates = found.shows_examples
        if found.shows_examples and not contexts.has_examples():
            if found.needs_examples:
                raise ConfigError(NO_EXAMPLES.format(name=name))
            name = f"{name} without examples"
        return NamedSubject(name, _asking_method(found, contexts, evidence=evidence), is_method=True)
    if not callable(found):
        raise ConfigError(f"{name!r} is no method: it is neither a Method nor callable.")
    return NamedSubject(name, _asking_callable(found, evidence=evidence))


def _name(subject: object) -> str:
    if isinstance(subject, Method):
        return subject.name
    name = str(getattr(subject, "__qualname__", None) or type(subject).__qualname__)
    return name.rpartition("<locals>.")[2]


def _seen(question: BenchmarkQuestion, *, evidence: bool) -> Question:
    """Give the part of a question that a subject gets to see."""
    return question.question if evidence else replace(question.question, evidence="")


def _asking_method(method: Method, contexts: Contexts, *, evidence: bool) -> Ask:
    async def ask(question: BenchmarkQuestion) -> Draft:
        context = await asyncio.to_thread(contexts.of, question)
        asked = _seen(question, evidence=evidence)
        context = replace(context, withheld=frozenset(map(query_digest, question.gold)))
        if context.model is None:
            return await run_method(method, asked, context)
        used = Meter()
        metered = replace(context, model=context.model.metered(used.add))
        try:
            return await run_method(method, asked, metered)
        except Exception as error:  # with what it cost: a budget counts that too
            raise AskFailed(used.usage) from error

    return ask


def _asking_callable(function: Callable[[Question], Any], *, evidence: bool) -> Ask:
    """The callable gets the question alone, never the gold; what it returns is read by `respond`."""
    if is_async(function):

        async def ask(question: BenchmarkQuestion) -> Any:
            return await function(_seen(question, evidence=evidence))

        return ask
    return lambda question: function(_seen(question, evidence=evidence))


def settings_json(
    subject: Subject,
    options: RunOptions,
    benchmark: Benchmark,
    *,
    model: "Model | None" = None,
    embedder: "Embedder | None" = None,
) -> dict[str, Any]:
    """The settings that decide outcomes, as `run.json` keeps them, with the steps of a composed method."""
    kept = dict(options.settings or {})
    method = find_method(subject) if isinstance(subject, str) and subject.endswith(".toml") else subject
    if isinstance(method, Method):
        kept["steps"] = [{"step": s.name, **s.settings} for s in method.steps]
    if model is not None and (drawn := drawn_from(model)):
        kept["sampling"] = drawn
    if embedder is not None:
        kept["embeddings"] = embedder.name
    if options.with_examples:
        kept["with_examples"] = True
        if options.same_database:
            kept["same_database"] = True
    if options.packs:
        kept["packs"] = [Path(p).name for p in options.packs]
    if options.evidence != "given":
        kept["evidence"] = options.evidence
    if options.schema != "whole":
        kept["schema"] = options.schema
    if options.on:
        kept["on"] = options.on
    if engine := _translated_to(benchmark):
        kept["gold_translated_to"] = engine
    if benchmark.choice:
        kept["questions"] = benchmark.choice.as_json()
    return kept


def _translated_to(benchmark: Benchmark) -> str:
    """The engine that gold of a warehouse is translated for; "" where it runs as it is."""
    if benchmark.dialect != "bigquery":
        return ""
    return next((engine for q in benchmark if (engine := benchmark.runs_on(q))), "")


def drawn_from(model: "Model") -> dict[str, int]:
    """Give the model's own settings, beside those of methods."""
    given = {"seed": model.seed, "reply_tokens": model.reply_tokens}
    return {name: value for name, value in given.items() if value is not None}
