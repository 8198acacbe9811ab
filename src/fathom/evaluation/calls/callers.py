"""Asking callers: each learns from solved questions, but never from one that gives the asked one away."""

import inspect
import random
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.benchmarks.calls import SEED, ToolCall, found_before, kin, solved
from fathom.errors import ModelError
from fathom.evaluation.runs.asker import Ask, fault_of, told_error
from fathom.evaluation.runs.response import Response, in_a_row
from fathom.records import Question, SolvedCall, Step, Trace, Usage

LEAVE_ONE_OUT, FOLDS = 100, 20
"""Up to so many groups of questions each is left out by itself; of more, a twentieth at a time."""


class ProposedCall(Protocol):
    """A call as callers propose it."""

    @property
    def endpoint(self) -> Any:
        """The endpoint, with its name as `name`."""
        ...

    @property
    def arguments(self) -> Any:
        """Argument values by name."""
        ...


class Proposed(Protocol):
    """A caller's proposal for a question: a call or a refusal, its confidence, and the usage."""

    @property
    def call(self) -> Any:
        """A `ProposedCall`, or None."""
        ...

    @property
    def endpoint(self) -> str:
        """The endpoint thought of first, also where there is no call."""
        ...

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        ...

    @property
    def refusal(self) -> str:
        """Why there is no call."""
        ...

    @property
    def alternatives(self) -> Sequence[tuple[str, float]]:
        """Other endpoints with scores."""
        ...

    @property
    def usage(self) -> Usage:
        """The usage of proposing."""
        ...


class Followed(Protocol):
    """The record of following a question: see `fathom.biotools.callers.Chain`."""

    @property
    def answered(self) -> Sequence[Any]:
        """The services' answers, in order; each has a `ProposedCall` as `call`."""
        ...

    @property
    def confidence(self) -> float:
        """From 0 to 1, of the whole."""
        ...

    @property
    def endpoint(self) -> str:
        """That of the last call, or the one thought of first."""
        ...

    @property
    def refusal(self) -> str:
        """Why there is no (further) call."""
        ...

    @property
    def stopped(self) -> str:
        """Why the calls ended before the caller was done."""
        ...

    @property
    def usage(self) -> Usage:
        """The usage of proposing."""
        ...


@runtime_checkable
class CallProposer(Protocol):
    """A proposer of calls; see `fathom.biotools.callers.Caller`."""

    async def propose(self, question: str) -> Any:
        """A `Proposed`."""
        ...


@runtime_checkable
class ReadsFound(Protocol):
    """A caller that takes the identifiers which an earlier step found."""

    def read(self, question: str, *, found: Sequence[str]) -> Any:
        """A `Proposed`."""
        ...


MakeCaller = Callable[[Sequence[SolvedCall]], CallProposer]


class Lessons:
    """The solved questions that a caller may know when it is asked one of a benchmark's.

    Where the benchmark has no training questions, they are its own without the group of the asked one: the
    questions of the same text or the same call. At most `most`, drawn at random; fewer are among the more.
    """

    def __init__(self, benchmark: Benchmark, most: int | None) -> None:
        own = benchmark.read_training is None
        asked = list(benchmark)
        self._pool = asked if benchmark.read_training is None else list(benchmark.read_training())
        groups = kin(asked) if own else [0] * len(asked)
        many = max(groups, default=0) >= LEAVE_ONE_OUT
        self._fold = {q.id: g % FOLDS if many else g for q, g in zip(asked, groups, strict=True)}
        self._own, self._most = own, most
        if most is not None:
            random.Random(SEED).shuffle(self._pool)

    def fold(self, question: BenchmarkQuestion) -> int:
        """A number that questions share which may know the same lessons."""
        return self._fold[question.id]

    def of(self, fold: int) -> list[SolvedCall]:
        """The lessons of a fold."""
        known = solved(q for q in self._pool if not self._own or self._fold[q.id] != fold)
        return known[: self._most]


Follow = Callable[[str, Any], Awaitable[Any]]
"""Makes the calls that a caller proposes for a question until it is done; what came of it is a `Followed`."""


def asking_caller(make: MakeCaller, lessons: Lessons | None, follow: Follow | None = None) -> Ask:
    """One way to ask a caller: made once without lessons, else once for each fold of them.

    It is asked for its first call, or followed to its last where calls in a row are measured.
    """
    making = threading.Lock()

    @lru_cache(maxsize=FOLDS)
    def made(fold: int) -> CallProposer:
        return make(lessons.of(fold) if lessons else ())

    async def ask(question: BenchmarkQuestion) -> Response:
        with making:
            caller = made(lessons.fold(question) if lessons else 0)
        return await (chain_of(follow, caller, question) if follow else proposal_of(caller, question))

    return ask


async def proposal_of(caller: CallProposer, question: BenchmarkQuestion) -> Response:
    """Ask a caller for its first call; one that can't take what an earlier step found is told in words."""
    found = found_before(question.evidence)
    if found and isinstance(caller, ReadsFound):
        return _response(caller.read(question.text, found=found))
    told = f"{question.text}\nFound before: {', '.join(found)}" if found else question.text
    return _response(await caller.propose(told))


async def chain_of(follow: Follow, caller: CallProposer, question: BenchmarkQuestion) -> Response:
    """All calls of a caller's for a question that the service answered, if it came to an end with them."""
    chain: Followed = await follow(question.text, caller)
    calls = tuple(ToolCall(one.call.endpoint.name, dict(one.call.arguments)) for one in chain.answered)
    stopped = chain.refusal or chain.stopped
    trace = Trace((Step("make calls in a row", "generation", {}, chain.usage),))
    told = in_a_row(() if stopped else calls)
    return replace(
        told, refusal=stopped, confidence=chain.confidence, guess=chain.endpoint or told.guess, trace=trace
    )


def surviving(ask: Ask) -> Ask:
    """The same way to ask, where an error becomes a response without a call: such a question counts too.

    A model's lasting error alone stays one, for it ends the run.
    """
    if inspect.iscoroutinefunction(ask):

        async def asked(question: BenchmarkQuestion) -> Any:
            try:
                return await ask(question)
            except Exception as error:  # whatever a caller raises is that question's outcome
                return _without_call(error)

        return asked

    def answered(question: BenchmarkQuestion) -> Any:
        try:
            return ask(question)
        except Exception as error:
            return _without_call(error)

    return answered


def _without_call(error: Exception) -> Response:
    if isinstance(error, ModelError) and error.lasting:
        raise error
    return Response(None, refusal=told_error(error), fault=fault_of(error))


def asking_function(function: Callable[[Question], Any]) -> Ask:
    """The function gets the question alone; it returns a `ToolCall`, a `Response`, or None to decline."""
    if inspect.iscoroutinefunction(function):

        async def ask(question: BenchmarkQuestion) -> Any:
            return await function(question.question)

        return ask
    return lambda question: function(question.question)


def _response(proposed: Proposed) -> Response:
    call = proposed.call
    found = {"alternatives": [list(one) for one in proposed.alternatives]} if proposed.alternatives else {}
    return Response(
        None,
        declined=call is None,
        refusal=proposed.refusal,
        confidence=proposed.confidence,
        call=ToolCall(call.endpoint.name, dict(call.arguments)) if call is not None else None,
        guess=proposed.endpoint,
        trace=Trace((Step("propose a call", "generation", found, proposed.usage),)),
    )
