"""Sending requests to one provider: so many at a time, at its pace, again where that makes sense.

All requests of a provider are sent from one event loop in a thread of its own. The limits therefore hold over
every thread and loop that asks, and connections stay open between questions.
"""

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from fathom.errors import ConfigError, FathomError, MissingExtra, ModelFailed
from fathom.llm.advice import advice
from fathom.llm.exchange import Reply, Request
from fathom.records import Usage

CHARACTERS_A_TOKEN = 4
"""A rough measure, used only to pace requests under a limit of tokens per minute."""


UNREACHABLE = "unreachable"
UNHEARD_ATTEMPTS = 3
"""At an address where nothing ever took a connection: mostly a server that isn't running."""
EMPTY = "empty"
EMPTY_ATTEMPTS = 2
"""Of replies with nothing in them: what brings none twice mostly won't bring one."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How requests are sent. Seconds bound one attempt as a whole, `longest_wait` one pause between two.

    A provider that asks for a longer pause than `longest_wait` is taken to be out of reach.
    """

    concurrency: int = 8
    attempts: int = 6
    seconds: float = 180.0
    first_wait: float = 1.0
    longest_wait: float = 60.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    @classmethod
    def of(
        cls,
        *,
        requests: int | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        model_seconds: float | None = None,
    ) -> "Pace":
        """The usual pace but for what is given, by the names of the command line.

        Raises `ConfigError` for a number that isn't above 0.
        """
        given = {"requests": requests, "rpm": rpm, "tpm": tpm, "model_seconds": model_seconds}
        if wrong := next((n for n, v in given.items() if v is not None and not v > 0), None):
            raise ConfigError(f"--{wrong.replace('_', '-')} must be above 0, not {given[wrong]}.")
        usual = cls(requests_per_minute=rpm, tokens_per_minute=tpm)
        return replace(
            usual,
            concurrency=requests or usual.concurrency,
            seconds=model_seconds or usual.seconds,
        )


PACE = Pace()


class AttemptFailed(FathomError):
    """One attempt that gave no reply; `again` says whether another may, `used` what it used all the same."""

    def __init__(
        self,
        reason: str,
        problem: str,
        *,
        again: bool,
        status: int | None = None,
        retry_after: float | None = None,
        used: Usage | None = None,
    ) -> None:
        self.reason, self.problem, self.again = reason, problem, again
        self.status, self.retry_after = status, retry_after
        self.used = used or Usage()
        super().__init__(problem)


class Unanswered(ModelFailed):
    """`ModelFailed` with what the attempts used all the same."""

    def __init__(self, model: str, last: AttemptFailed, *, attempts: int, usage: Usage) -> None:
        self.usage = usage
        super().__init__(
            model,
            last.reason,
            last.problem,
            status=last.status,
            attempts=attempts,
            advice=advice(model, last.reason),
        )


class Attempt(Protocol):
    """One attempt at a request, over and over; raises `AttemptFailed`."""

    async def __call__(self, request: Request, /) -> Reply:
        """Ask once."""

    async def close(self) -> None:
        """Close connections."""


@dataclass(slots=True)
class _Tally:
    """The total over the failed attempts at one request: their usage, the moment of the first, their number,
    and how many of these found nobody or got an empty reply."""

    used: Usage = field(default_factory=Usage)
    started: float = field(default_factory=time.perf_counter)
    attempts: int = 0
    unreached: int = 0
    empty: int = 0


class Sender:
    """An `Exchange` over a provider that keeps to a pace. Usable from any thread and loop; to be closed.

    Raises `Unanswered` when the attempts are used up or another makes no sense. What failed attempts used is
    counted in the reply that follows them. Seconds are from asking to the reply, with every wait in between.
    """

    def __init__(self, name: str, attempt: Attempt, pace: Pace = PACE) -> None:
        self.name, self.pace = name, pace
        self._attempt = attempt
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()
        self._not_before = 0.0
        self._heard = False
        self._slots: asyncio.Semaphore | None = None
        self._limiters: list[tuple[Any, bool]] = []

    async def __call__(self, request: Request) -> Reply:
        """The reply to a request, waited for on the caller's own loop."""
        loop = self._running()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._send(request), loop))

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._slots = asyncio.Semaphore(self.pace.concurrency)
                self._limiters = _limiters(self.pace)
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop,), daemon=True, name="models").start()
            return self._loop

    async def _send(self, request: Request) -> Reply:
        from tenacity import AsyncRetrying, retry_if_exception  # noqa: PLC0415

        tally = _Tally()
        problem: AttemptFailed
        try:
            reply: Reply = await AsyncRetrying(
                stop=lambda _: tally.attempts >= self._most_attempts(tally),
                retry=retry_if_exception(self._try_again),
                wait=self._pause,
                reraise=True,
            )(self._once, request, tally)
        except AttemptFailed as error:
            problem = error
        else:
            used = replace(reply.usage + tally.used, model_seconds=time.perf_counter() - tally.started)
            return replace(reply, usage=used, attempts=tally.attempts)
        # Raised out here, so that it doesn't carry the provider's own error along.
        used = replace(tally.used, model_seconds=time.perf_counter() - tally.started)
        raise Unanswered(self.name, problem, attempts=tally.attempts, usage=used)

    def _most_attempts(self, tally: _Tally) -> int:
        if tally.empty >= EMPTY_ATTEMPTS:
            return tally.attempts
        unheard = tally.unreached == tally.attempts and not self._heard
        return min(self.pace.attempts, UNHEARD_ATTEMPTS) if unheard else self.pace.attempts

    async def _once(self, request: Request, tally: _Tally) -> Reply:
        assert self._slots is not None
        failed: AttemptFailed
        async with self._slots:  # not while pausing between attempts: others may use the slot
            await self._hold(request)
            tally.attempts += 1
            try:
                async with asyncio.timeout(self.pace.seconds):
                    reply = await self._attempt(request)
            except TimeoutError:
                failed = AttemptFailed("timeout", f"nothing within {self.pace.seconds:g} s", again=True)
            except AttemptFailed as error:
                failed = error
            else:
                self._heard = True
                return reply
        tally.used = tally.used + failed.used
        if failed.reason == UNREACHABLE:
            tally.unreached += 1
        else:
            self._heard = True
        tally.empty += failed.reason == EMPTY
        raise failed

    async def _hold(self, request: Request) -> None:
        """Wait for the provider's own pause to end, then for the limits per minute."""
        while (left := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(left)
        for limiter, by_token in self._limiters:
            amount = sum(len(m.text) for m in request.messages) / CHARACTERS_A_TOKEN if by_token else 1
            await limiter.acquire(min(amount, limiter.max_rate))

    def _try_again(self, error: BaseException) -> bool:
        if not isinstance(error, AttemptFailed) or not error.again:
            return False
        return (error.retry_after or 0) <= self.pace.longest_wait

    def _pause(self, state: Any) -> float:
        """Seconds until the next attempt: what the provider asks for, else longer each time, with jitter."""
        from tenacity import wait_exponential_jitter  # noqa: PLC0415

        jittered: float = wait_exponential_jitter(
            initial=self.pace.first_wait, max=self.pace.longest_wait, jitter=self.pace.first_wait
        )(state)
        error = state.outcome.exception()
        if error.retry_after is None:
            return jittered
        # The provider's pause holds for all requests: the others would only be turned away as well.
        self._not_before = max(self._not_before, time.monotonic() + error.retry_after)
        return float(error.retry_after)

    def close(self) -> None:
        """End the thread; requests under way are given up."""
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is not None:
            with suppress(TimeoutError):  # what doesn't end by itself goes down with the thread
                asyncio.run_coroutine_threadsafe(self._finish(), loop).result(timeout=5)
            loop.call_soon_threadsafe(loop.stop)

    async def _finish(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._attempt.close()
        await asyncio.get_running_loop().shutdown_asyncgens()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _limiters(pace: Pace) -> list[tuple[Any, bool]]:
    """A limiter for each limit per minute, with whether it counts tokens."""
    if pace.requests_per_minute is None and pace.tokens_per_minute is None:
        return []
    try:
        from aiolimiter import AsyncLimiter  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("A limit per minute", "aiolimiter", "models") from None
    limits = ((pace.requests_per_minute, False), (pace.tokens_per_minute, True))
    return [(AsyncLimiter(rate, 60), by_token) for rate, by_token in limits if rate is not None]
