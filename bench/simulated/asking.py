"""Asking many questions of many methods over the simulated model: two processes, each query run once."""

import asyncio
import multiprocessing
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from bench.simulated.corrupting import SYNTAX_ERRORS
from bench.simulated.model import CERTAINTY, Gold, Simulated
from fathom.benchmarks import BenchmarkQuestion
from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.errors import QueryError
from fathom.evaluation.metrics import Rate, Transitions, transitions
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, Method, run_method
from fathom.records import Limits, Result, Usage

T = TypeVar("T")
PROCESSES = 2
SECONDS = 5.0
Pick = tuple[BenchmarkQuestion, str]
"""A question with the comparison that its benchmark uses."""


@dataclass(frozen=True)
class Trial:
    """A method over a model that is right with the chance `p`, under a name of its own.

    `certainty` None makes the model's errors independent; `syntax_errors` is the share of wrong queries that
    are no SQL.
    """

    name: str
    method: Method
    p: float
    certainty: float | None = CERTAINTY
    syntax_errors: float = SYNTAX_ERRORS


@dataclass(frozen=True)
class Told:
    """What became of one question in one trial; `entered` is the outcome before revision, if any."""

    trial: str
    p: float
    question: tuple[str, str]
    outcome: Outcome
    entered: Outcome | None
    usage: Usage


@dataclass(frozen=True)
class Measured:
    """What became of all questions in one trial."""

    right: Rate
    usage: Usage
    moves: Counter[tuple[Outcome, Outcome]]

    @classmethod
    def of(cls, told: Sequence[Told]) -> "Measured":
        """The sums over one trial's questions."""
        right = sum(t.outcome is Outcome.CORRECT for t in told)
        moves = Counter((t.entered, t.outcome) for t in told if t.entered is not None)
        return cls(Rate(right, len(told)), sum((t.usage for t in told), Usage()), moves)

    @property
    def revision(self) -> Transitions:
        """What revision changed."""
        return transitions(self.moves)

    @property
    def calls(self) -> float:
        """Calls a question."""
        return self.usage.calls / self.right.trials

    @property
    def tokens(self) -> float:
        """Tokens a question."""
        return (self.usage.prompt_tokens + self.usage.completion_tokens) / self.right.trials


def ask_all(
    picks: Iterable[Pick], trials: Callable[[], Iterable[Trial]], processes: int = PROCESSES
) -> dict[tuple[str, float], Measured]:
    """Every trial on every question, by name and chance. `trials` is a function of a module's top level."""
    chunks: dict[str, list[Pick]] = defaultdict(list)
    for pick in picks:
        chunks[pick[0].database].append(pick)
    ordered = sorted(chunks.values(), key=len, reverse=True)
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        told = chain.from_iterable(pool.map(_ask_one_database, ordered, [trials] * len(ordered)))
        by_trial: dict[tuple[str, float], list[Told]] = defaultdict(list)
        for one in told:
            by_trial[one.trial, one.p].append(one)
    return {key: Measured.of(found) for key, found in by_trial.items()}


def _ask_one_database(picks: Sequence[Pick], trials: Callable[[], Iterable[Trial]]) -> list[Told]:
    with TemporaryDirectory() as folder, connect(picks[0][0].database) as database:
        remember(database)
        context = Context(database, cache=Path(folder))
        return asyncio.run(_told(picks, list(trials()), context))


class _AtOnce(ThreadPoolExecutor):
    """Does work in the thread that asks for it: what is remembered isn't worth a thread's waking up."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


async def _told(picks: Sequence[Pick], trials: Sequence[Trial], context: Context) -> list[Told]:
    asyncio.get_running_loop().set_default_executor(_AtOnce(1))
    found = []
    for asked, comparison in picks:
        gold = Gold(asked.text, asked.gold[0], context.database.schema)
        for trial in trials:
            simulated = Simulated(
                trial.p, [gold], certainty=trial.certainty, syntax_errors=trial.syntax_errors
            )
            asking = replace(context, model=simulated.model())
            draft = await run_method(trial.method, asked.question, asking)
            marks = judge(Exam(asked, respond(draft), comparison, seconds=SECONDS))
            entered = marks.before_revision.outcome if marks.before_revision else None
            key = (asked.database, asked.text)
            found.append(Told(trial.name, trial.p, key, marks.final.outcome, entered, draft.trace.usage))
    return found


def remember(database: Database) -> None:
    """Have a database keep the result of each query, or why it failed, for all trials that come upon it."""
    run, kept = database.run, dict[Hashable, Result | QueryError]()

    def remembering(
        sql: str,
        limits: Limits = Limits(),  # noqa: B008, frozen
        cancellation: Cancellation | None = None,
        *,
        trusted: bool = False,
    ) -> Result:
        key = (sql, limits)
        if key not in kept:
            try:
                kept[key] = run(sql, limits, cancellation, trusted=trusted)
            except QueryError as error:
                kept[key] = error
        found = kept[key]
        if isinstance(found, QueryError):
            raise found
        return found

    patched: Any = database
    patched.run = remembering
