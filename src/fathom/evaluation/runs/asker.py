"""Asking a method many questions at a time, away from the main thread, which stays free to write and stop."""

import asyncio
import inspect
import queue
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from fathom.errors import FathomError, ModelError
from fathom.evaluation.runs.response import Response, respond
from fathom.records import Usage
from fathom.text import without_passwords

NO_REPLY = "no_reply"
"""The class of an error of a method's model: the question was not answered, rightly or wrongly."""
INTERNAL = "internal_error"
"""The class of an error inside the program that answers or judges: no answer, and asked again on resuming."""
_LONGEST_TRACEBACK = 10_000
Ask = Callable[[Any], Any]
_Job = tuple[Callable[[], Any], "Future[Any]"]


class AskFailed(FathomError):
    """A method raised its `__cause__`, after its model had used `usage`."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        super().__init__()


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of asking: a response, or the error that the method raised, with its class.

    `fault` is the traceback of an error that no `FathomError` tells of; `usage` is what the model used before
    the method raised.
    """

    response: Response | None
    error: str
    seconds: float
    error_class: str = "other"
    fault: str = ""
    usage: Usage = Usage()


class Asker:
    """Asks with up to `workers` questions under way: coroutines on one loop, plain functions in threads.

    All threads are daemons: a method that hangs can't keep the program from ending.
    """

    def __init__(self, ask: Ask, workers: int) -> None:
        self._ask = ask
        self._loop: asyncio.AbstractEventLoop | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        if is_async(ask):
            self._loop = asyncio.new_event_loop()
            self._threads = [threading.Thread(target=_run, args=(self._loop,), daemon=True, name="asking")]
        else:
            self._threads = [
                threading.Thread(target=self._work, daemon=True, name=f"asking-{i}") for i in range(workers)
            ]
        for thread in self._threads:
            thread.start()

    def submit(self, question: Any) -> "Future[Asked]":
        """Begin to ask. What the method raises is in `Asked.error`. A lasting error of its model fails the
        future instead: no other question could be answered either."""
        if self._loop is not None:
            return asyncio.run_coroutine_threadsafe(self._asked(question), self._loop)
        future: Future[Asked] = Future()
        self._jobs.put((lambda: self._asked_here(question), future))
        return future

    async def _asked(self, question: Any) -> Asked:
        started = time.perf_counter()
        try:
            returned: Awaitable[Any] = self._ask(question)
            return Asked(respond(await returned), "", time.perf_counter() - started)
        except Exception as error:  # whatever a method raises is that question's outcome
            return _failed(error, started)

    def _asked_here(self, question: Any) -> Asked:
        started = time.perf_counter()
        try:
            return Asked(respond(self._ask(question)), "", time.perf_counter() - started)
        except Exception as error:
            return _failed(error, started)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except ModelError as error:
                    future.set_exception(error)

    def close(self) -> None:
        """Take no more; what is still under way is abandoned."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._threads[0].join(timeout=1)
            return
        for _ in self._threads:
            self._jobs.put(None)

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_async(ask: Ask) -> bool:
    """True if calling it gives something to await."""
    return inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(type(ask).__call__)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; then cancel what is left on it, so that it ends without complaints.

    All in one thread: in a notebook the main thread runs a loop of its own, beside which no other runs.
    """
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _failed(error: Exception, started: float) -> Asked:
    """Record the error of a method. Raises a model's lasting error."""
    used = Usage()
    if isinstance(error, AskFailed) and isinstance(error.__cause__, Exception):
        used, error = error.usage, error.__cause__
    if isinstance(error, ModelError) and error.lasting:
        raise error
    spent = time.perf_counter() - started
    kind = NO_REPLY if isinstance(error, ModelError) else "other"
    return Asked(None, told_error(error), spent, kind, fault_of(error), used)


def told_error(error: Exception) -> str:
    """An error as records keep it: its class and what it says, without passwords."""
    return without_passwords(f"{type(error).__name__}: {error}".strip().removesuffix(":"))


def fault_of(error: Exception) -> str:
    """The traceback of an error that nobody raised on purpose, its end where it is long; else empty."""
    if isinstance(error, FathomError):
        return ""
    return without_passwords("".join(traceback.format_exception(error)))[-_LONGEST_TRACEBACK:]
