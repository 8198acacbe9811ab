"""`evaluate`: ask a benchmark's questions, judge the answers, keep each as soon as it is there."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fathom.benchmarks import Benchmark, BenchmarkQuestion, QuestionSelection, load_benchmark
from fathom.errors import ConfigError, InputError, ModelError
from fathom.evaluation.runs.asking import Ask, Asked, Asker
from fathom.evaluation.runs.configuration import Configuration
from fathom.evaluation.runs.folder import RunFolder, read_records, spent_in
from fathom.evaluation.runs.judging import Exam, Marks, failed, judge
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.recording import record_of
from fathom.evaluation.runs.response import Response
from fathom.evaluation.runs.scoring import InThreads, Scorers, WorkerDied
from fathom.evaluation.runs.subject import (
    Contexts,
    Evidence,
    SchemaGiven,
    Subject,
    name_subject,
    settings_json,
)
from fathom.evaluation.runs.summary import Summary, summarise
from fathom.records import Trace
from fathom.records.display import Displayed

if TYPE_CHECKING:
    from fathom.llm import Budget, Embedder, Model, Pace


class RunProgress(Protocol):
    """Told what happens while a run goes on."""

    def begin(self, run: str, total: int, done: int) -> None:
        """A run starts, or goes on where `done` questions were answered before."""

    def advance(self, record: QuestionRecord) -> None:
        """One more question is answered, judged and kept."""

    def end(self) -> None:
        """The run is over, or was stopped."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, run: str, total: int, done: int) -> None:
        """Say nothing."""

    def advance(self, record: QuestionRecord) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class RunStopped(KeyboardInterrupt):
    """Ctrl-C stopped a run; what was answered is kept in `folder`, and the same call goes on from there."""

    def __init__(self, folder: Path, done: int, total: int) -> None:
        self.folder, self.done, self.total = folder, done, total
        super().__init__(f"stopped after {done:,} of {total:,} questions")


@dataclass(frozen=True, slots=True)
class Run(Displayed):
    """A stored run."""

    folder: Path

    def summary(self) -> Summary:
        """Its figures."""
        return summarise(self.folder)

    def records(self) -> Iterator[QuestionRecord]:
        """Its records, in the order in which they were answered."""
        return read_records(self.folder)


def evaluate(
    benchmark: str | Path | Benchmark,
    method: Subject,
    *,
    name: str | None = None,
    out: str | Path | None = None,
    model: "str | Model | None" = None,
    embeddings: "str | Embedder | None" = None,
    cassette: str | Path | None = None,
    replay: bool = False,
    budget: "Budget | None" = None,
    pace: "Pace | None" = None,
    reply_tokens: int | None = None,
    split: str | None = None,
    choice: QuestionSelection | None = None,
    limit: int | None = None,
    workers: int = 1,
    comparison: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    with_examples: bool = False,
    same_database: bool = False,
    packs: Sequence[str | Path] = (),
    evidence: Evidence = "given",
    schema: SchemaGiven = "whole",
    timeout: float = 30.0,
    executor: Executor | None = None,
    progress: RunProgress | None = None,
) -> Run:
    """Measure a method on a benchmark and keep the run in a folder; go on where it stopped before.

    `method` is a registered name, a `Method`, or any callable (plain or async) from a `Question` to a
    `Draft`, an `Answer`, SQL as text, or None where it declines; `name` is what figures call it. Of the
    questions of `choice`, `workers` are asked at a time; answers are judged in `executor`, or in processes of
    its own.
    `with_examples` gives the method the benchmark's training questions as solved examples; what a model is
    shown of them is about other databases unless `same_database` says so, and never has the gold query.
    `packs` are knowledge packs beside the benchmark's, and beside those that `ask` uses for the same
    databases.
    `model` is the language model of methods that ask one, as `provider:name` or opened; a named one may
    record on a `cassette`, or `replay` it without a network. `embeddings` is likewise the model that tells
    methods what is near in meaning, where words and spelling tell it otherwise. A run whose `budget` is spent
    stops with what it has, and goes on from there with a greater one: what its records hold already counts.
    `pace` says how requests are sent to a named model, `reply_tokens` how long replies may be where a method
    allows less, and `seed` goes with each request, where it is given. With `evidence` "none" the method sees
    no outside knowledge, with `schema` "gold" nothing of the database but what the gold query reads: the gap
    to a run without these is what they are worth.
    `settings` are yours to note, and part of what makes two runs the same. `timeout` bounds each query in
    seconds. `out` defaults to a folder below `runs` named after what is run.

    Raises `DifferentRun` when the folder holds another run, `RunInUse` when another process writes there,
    `RunStopped` on Ctrl-C, a `ModelError` after which no question could be answered (the budget is spent, the
    key isn't taken, nothing answers, the replayed cassette lacks a request), and the errors of loading
    benchmark, method and packs.
    """
    from fathom.llm import PACE, opened_embedder, opened_model  # noqa: PLC0415, slow to import

    loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark, split)
    loaded = loaded.only(choice) if choice else loaded
    paths = [Path(p) for p in packs]
    contexts = Contexts(
        loaded,
        packs=paths,
        with_examples=with_examples,
        same_database=same_database,
        gold_schema=schema == "gold",
    )
    named = name_subject(
        method, contexts, with_model=model is not None, name=name, evidence=evidence == "given"
    )
    if schema == "gold" and not named.is_method:
        raise ConfigError("Only a method that reads a database's schema can be given the gold schema.")
    with (
        closing(contexts),
        opened_model(
            model,
            cassette=cassette,
            replay=replay,
            budget=budget,
            pace=pace or PACE,
            seed=seed,
            reply_tokens=reply_tokens,
        ) as opened,
        opened_embedder(
            embeddings, cassette=cassette, replay=replay, budget=budget, pace=pace or PACE
        ) as embedder,
    ):
        contexts.model, contexts.embedder = opened, embedder
        configuration = Configuration(
            method=named.name,
            model=opened.name if opened is not None else None,
            benchmark=loaded.name,
            split=loaded.split,
            digest=loaded.digest,
            comparison=comparison or loaded.comparison,
            settings=settings_json(
                settings,
                method,
                with_examples=with_examples,
                same_database=same_database,
                packs=paths,
                beforehand=contexts.packs_by_database(limit) if named.is_method else None,
                embedder=embedder,
                choice=loaded.choice,
                translated=next((e for q in loaded if (e := loaded.runs_on(q))), "")
                if loaded.dialect == "bigquery"
                else "",
                model=opened,
                evidence=evidence,
                schema=schema,
            ),
            seed=seed or 0,
            limit=limit,
        )
        return conduct(
            loaded,
            configuration,
            named.ask,
            judge,
            Scorers(executor, workers=workers),
            out=out,
            workers=workers,
            timeout=timeout,
            progress=progress,
            cassette=cassette,
            budget=budget,
        )


def conduct(
    benchmark: Benchmark,
    configuration: Configuration,
    ask: Ask,
    judging: Callable[[Exam], Marks],
    scorers: Scorers | InThreads,
    *,
    out: str | Path | None = None,
    workers: int = 1,
    timeout: float = 30.0,
    progress: RunProgress | None = None,
    cassette: str | Path | None = None,
    budget: "Budget | None" = None,
) -> Run:
    """Ask, judge and keep what is not kept yet of a run. Raises as `evaluate`, and what `scorers` settle."""
    ids = _ids(benchmark, configuration.limit)
    total = len(ids)
    path = Path(out) if out is not None else default_folder(configuration)
    watching = progress or Silent()
    try:
        kept = RunFolder(path, configuration, cassette=cassette, ids=ids)
        with kept as folder, Asker(ask, workers) as asker, scorers:
            if budget is not None:
                budget.count_earlier(str(path.resolve()), spent_in(path))
            watching.begin(f"{configuration.method} on {benchmark.name}", total, len(folder.done))
            work = _Work(folder, asker, scorers, judging, configuration.comparison, timeout, watching.advance)
            asked = islice(benchmark.numbered(), configuration.limit)
            todo = ((i, q) for i, q in asked if q.id not in folder.done)
            try:
                work.through(todo, most=max(1, workers))
            except KeyboardInterrupt:
                raise RunStopped(path, len(folder.done), total) from None
            except ModelError as error:
                done = f"{len(folder.done):,} of {total:,} questions"
                error.add_note(f"{done} are kept in {path}; the same run goes on from there.")
                raise
    finally:
        watching.end()
    return Run(path)


def default_folder(configuration: Configuration) -> Path:
    """Where a run is kept when nobody says: the same run gets the same folder."""
    parts = (configuration.benchmark, configuration.split, configuration.method, configuration.model)
    return Path("runs") / "-".join(re.sub(r"[^\w.]+", "_", p) for p in parts if p)


def _ids(benchmark: Benchmark, limit: int | None) -> set[str]:
    """The ids of the questions that will be asked; the same one twice could not be told apart later."""
    seen: set[str] = set()
    for question in islice(benchmark, limit):
        if question.id in seen:
            raise InputError(f"holds the id {question.id!r} twice", file=benchmark.files[0], field="id")
        seen.add(question.id)
    if not seen:
        raise InputError("holds no question", file=benchmark.files[0] if benchmark.files else benchmark.name)
    return seen


@dataclass(slots=True)
class _Answered:
    """A question whose answer is being judged."""

    position: int
    question: BenchmarkQuestion
    asked: Asked
    exam: Exam


@dataclass(frozen=True, slots=True)
class _Work:
    """Questions on their way from asking through judging into the folder."""

    folder: RunFolder
    asker: Asker
    scorers: Scorers | InThreads
    judging: Callable[[Exam], Marks]
    comparison: str
    timeout: float
    advance: Callable[[QuestionRecord], None]

    def through(self, todo: Iterator[tuple[int, BenchmarkQuestion]], *, most: int) -> None:
        """Work all questions through, `most` at a time: no more than these are lost by a kill."""
        asking: dict[Future[Asked], tuple[int, BenchmarkQuestion]] = {}
        judging: dict[Future[Marks], _Answered] = {}
        lasting: ModelError | None = None
        while True:
            room = most - len(asking) - len(judging)
            for position, question in islice(todo, room):
                asking[self.asker.submit(question)] = position, question
            if not asking and not judging:
                break
            under_way: list[Future[Any]] = [*asking, *judging]
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for asked in [f for f in asking if f in done]:
                position, question = asking.pop(asked)
                try:
                    self._answered(position, question, asked.result(), judging)
                except ModelError as error:  # ask no more, and keep what is under way
                    lasting, todo = error, iter(())
            for judged in [f for f in judging if f in done]:
                self._judged(judging.pop(judged), judged)
        if lasting is not None:
            raise lasting

    def _answered(
        self,
        position: int,
        question: BenchmarkQuestion,
        asked: Asked,
        judging: dict["Future[Marks]", _Answered],
    ) -> None:
        # The trace stays here: judging doesn't need it, and it may be large.
        response = replace(asked.response or Response(None), trace=Trace())
        error_class = asked.error_class if asked.error else ""
        exam = Exam(question, response, self.comparison, self.timeout, asked.error, error_class)
        judging[self.scorers.submit(self.judging, exam)] = _Answered(position, question, asked, exam)

    def _judged(self, answered: _Answered, future: "Future[Marks]") -> None:
        try:
            marks = self.scorers.settle(future, self.judging, answered.exam)
        except WorkerDied as error:
            sql = answered.exam.response.sql or ""
            marks = replace(failed(str(error), sql=sql, error_class="crash"), fault=error.fault)
        self._keep(answered.position, answered.question, answered.asked, marks)

    def _keep(self, position: int, question: BenchmarkQuestion, asked: Asked, marks: Marks) -> None:
        record = record_of(position, question, asked, marks)
        self.folder.append(record)
        self.advance(record)
