"""`evaluate`: ask a benchmark's questions, judge the answers, keep each as soon as it is there."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.databases import from_any_folder
from fathom.errors import ConfigError, InputError, ModelError
from fathom.evaluation.runs.asker import Ask, Asked, Asker
from fathom.evaluation.runs.configuration import Configuration
from fathom.evaluation.runs.exams import Exam, Marks, failed, judge
from fathom.evaluation.runs.folder import RunFolder, read_records, spent_in
from fathom.evaluation.runs.made_record import record_of
from fathom.evaluation.runs.options import AS_USUAL, RunOptions
from fathom.evaluation.runs.progress import Silent
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.response import Response
from fathom.evaluation.runs.scorers import InBatches, InThreads, Scorers, WorkerDied
from fathom.evaluation.runs.subject import Contexts, Subject, name_subject, settings_json
from fathom.evaluation.runs.summary import Summary, summarise
from fathom.records import Trace
from fathom.records.display import Displayed

if TYPE_CHECKING:
    from fathom.llm import Budget


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


def evaluate(benchmark: str | Path | Benchmark, method: Subject, options: RunOptions = AS_USUAL) -> Run:
    """Measure a method on a benchmark and keep the run in a folder; go on where it stopped before.

    `method` is a registered name, a `Method`, or any callable (plain or async) from a `Question` to a
    `Draft`, an `Answer`, SQL as text, or None where it declines. `RunOptions` says which questions are asked,
    of which model, and where the run is kept.

    Raises `DifferentRun` when the folder holds another run, `RunInUse` when another process writes there,
    `RunStopped` on Ctrl-C, a `ModelError` after which no question could be answered (the budget is spent, the
    key isn't taken, nothing answers, the replayed cassette lacks a request), and the errors of loading
    benchmark, method and packs.
    """
    loaded = options.load(benchmark)
    contexts = Contexts(loaded, options)
    named = name_subject(
        method,
        contexts,
        with_model=options.model is not None,
        name=options.name,
        evidence=options.evidence == "given",
    )
    if options.schema == "gold" and not named.is_method:
        raise ConfigError("Only a method that reads a database's schema can be given the gold schema.")
    with closing(contexts), options.opened_model() as opened, options.opened_embedder() as embedder:
        contexts.model, contexts.embedder = opened, embedder
        settings = settings_json(method, options, loaded, model=opened, embedder=embedder)
        if named.is_method and (packs := contexts.packs_by_database(options.limit)):
            settings["packs_of_databases"] = packs
        configuration = Configuration(
            method=named.name,
            model=opened.name if opened is not None else None,
            benchmark=loaded.name,
            split=loaded.split,
            digest=loaded.digest,
            comparison=options.comparison or loaded.comparison,
            settings=settings,
            seed=options.seed or 0,
            limit=options.limit,
        )
        scorers = InBatches(options.executor) if options.executor else Scorers(options.workers)
        return conduct(loaded, configuration, named.ask, judge, scorers, options=options)


def conduct(
    benchmark: Benchmark,
    configuration: Configuration,
    ask: Ask,
    judging: Callable[[Exam], Marks],
    scorers: Scorers | InThreads,
    *,
    options: RunOptions,
) -> Run:
    """Ask, judge and keep what is not kept yet of a run. Raises as `evaluate`, and what `scorers` settle."""
    ids = _ids(benchmark, configuration.limit)
    total, workers = len(ids), options.workers
    path = Path(options.out) if options.out is not None else default_folder(configuration)
    watching = options.progress or Silent()
    try:
        kept = RunFolder(path, configuration, cassette=options.cassette, ids=ids, label=options.label)
        with (
            kept as folder,
            _all_spending_kept(options.budget, folder),
            Asker(ask, workers) as asker,
            scorers,
        ):
            watching.begin(f"{configuration.method} on {benchmark.name}", total, len(folder.done))
            work = _Work(
                folder, asker, scorers, judging, configuration.comparison, options.timeout, watching.advance,
                cache(from_any_folder),
            )  # fmt: skip
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


@contextmanager
def _all_spending_kept(budget: "Budget | None", folder: RunFolder) -> Iterator[None]:
    """Count against the budget what the run has spent before, and keep at the end what has no record.

    What a question under way had spent when the run stopped would else be spent anew by each new start.
    """
    if budget is None:
        yield
        return
    kept = spent_in(folder.path)
    budget.count_earlier(str(folder.path.resolve()), kept)
    before = budget.spent
    try:
        yield
    finally:
        unrecorded = (budget.spent - before) - (spent_in(folder.path) - kept)
        if unrecorded.calls > 0:
            folder.keep_unrecorded(unrecorded)


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
    whole: Callable[[str], str]

    def through(self, todo: Iterator[tuple[int, BenchmarkQuestion]], *, most: int) -> None:
        """Work all questions through, asking `most` at a time, and more under way only if judging takes more.

        No more than these are lost by a kill.
        """
        asking: dict[Future[Asked], tuple[int, BenchmarkQuestion]] = {}
        judging: dict[Future[Marks], _Answered] = {}
        lasting: ModelError | None = None
        while True:
            room = max(most, self.scorers.ahead) - len(asking) - len(judging)
            for position, question in islice(todo, max(0, min(room, most - len(asking)))):
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
        asked_of = replace(question, database=self.whole(question.database))
        exam = Exam(asked_of, response, self.comparison, self.timeout, asked.error, error_class)
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
