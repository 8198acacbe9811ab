"""Asking a method many questions at a time, away from the main thread, which stays free to write and stop."""

import asyncio
import inspect
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from fathom.errors import ModelError
from fathom.evaluation.runs.response import Response, respond

NO_REPLY = "no_reply"
"""The class of an error of a method's model: the question was not answered, rightly or wrongly."""
Ask = Callable[[Any], Any]
_Job = tuple[Callable[[], Any], "Future[Any]"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking: a response, or the error that the method raised, and of which class it is."""

    response: Response | None
    error: str
    seconds: float
    error_class: str = "other"


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
            self._threads = [threading.Thread(target=self._loop.run_forever, daemon=True, name="asking")]
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
            if not self._threads[0].is_alive():
                _settle(self._loop)
            return
        for _ in self._threads:
            self._jobs.put(None)

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_async(ask: Ask) -> bool:
    """Whether calling it gives something to await."""
    return inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(type(ask).__call__)


def _settle(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left on a stopped loop, so that it ends without complaints."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _failed(error: Exception, started: float) -> Asked:
    """What became of a question whose method raised. Raises a model's lasting error."""
    of_model = isinstance(error, ModelError)
    if isinstance(error, ModelError) and error.lasting:
        raise error
    spent = time.perf_counter() - started
    return Asked(None, told_error(error), spent, NO_REPLY if of_model else "other")


def told_error(error: Exception) -> str:
    """An error as records keep it: its class and what it says."""
    return f"{type(error).__name__}: {error}".strip().removesuffix(":")
