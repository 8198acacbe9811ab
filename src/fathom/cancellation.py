"""Stopping work that is under way: one token, held by whoever may stop the work."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from threading import Lock

from fathom.context_values import holding
from fathom.errors import Cancelled

Stop = Callable[[], object]


class Cancellation:
    """Stops what runs under it, once and for all; any thread may cancel.

        stop = Cancellation()
        with stop.covering():     # this thread or task, and what `asyncio.to_thread` starts from it
            fathom.ask(...)       # raises Cancelled within a second of:
        stop.cancel()             # elsewhere

    Every query under way is stopped in its engine, every later one refused.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._cancelled = False
        self._stops: dict[object, Stop] = {}

    @property
    def cancelled(self) -> bool:
        """True if `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop the work; does nothing the second time. Gives back at once: engines are stopped meanwhile."""
        with self._lock:
            self._cancelled = True
            stops, self._stops = list(self._stops.values()), {}
        for stop in stops:
            stop()

    def check(self) -> None:
        """Raise `Cancelled` if `cancel` was called; long work of our own calls this now and then."""
        if self._cancelled:
            raise Cancelled

    def on_cancel(self, stop: Stop) -> Callable[[], None]:
        """Have `stop` called on `cancel`, in that thread, or now if that has happened; it has to be quick.

        Gives a function that takes it back.
        """
        key = object()
        with self._lock:
            if not self._cancelled:
                self._stops[key] = stop
                return lambda: self._forget(key)
        stop()
        return lambda: None

    def _forget(self, key: object) -> None:
        with self._lock:
            self._stops.pop(key, None)

    def covering(self) -> AbstractContextManager[None]:
        """Make it the one that work in this thread or task looks at, unless it is given another."""
        return holding(_current, self)


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


def current_cancellation() -> Cancellation | None:
    """The token that covers this thread or task, if any."""
    return _current.get()
