"""Events while one question is worked on: steps as they begin and end, and the progress of long ones.

Work far below a step, such as indexing values, tells with `tell` whoever watches the question at hand. That
goes through a context variable rather than arguments: an index or an engine outlives the question that it is
made for, so that it can't hold on to who asked.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Event:
    """A step begins, goes on or ends. `text` says in words where it is, "" where the step's name says all.

    `done` of `total` is how far a step that goes on has come, where that can be counted; `seconds` is what it
    took since it began.
    """

    step: str
    state: Literal["begun", "going on", "ended"]
    text: str = ""
    done: int | None = None
    total: int | None = None
    seconds: float = 0.0


Watch = Callable[[Event], None]
"""Called in the thread that works, for every event; it must not wait."""


@dataclass(frozen=True, slots=True)
class _Watched:
    watch: Watch
    step: str
    started: float


_watched: ContextVar[_Watched | None] = ContextVar("watched", default=None)


@contextmanager
def watching(watch: Watch | None, step: str) -> Iterator[None]:
    """Tell `watch` that a step begins and ends; meanwhile it hears what is told from below.

    Without a `watch` nobody hears anything, not even who watches a step around this one.
    """
    now = time.monotonic()
    mark = _watched.set(_Watched(watch, step, now) if watch else None)
    try:
        if watch:
            watch(Event(step, "begun"))
        yield
    finally:
        _watched.reset(mark)
        if watch:
            watch(Event(step, "ended", seconds=time.monotonic() - now))


def is_watched() -> bool:
    """True if somebody hears what is told."""
    return _watched.get() is not None


def tell(text: str, done: int | None = None, total: int | None = None) -> None:
    """Tell whoever watches where the step at work is; nothing happens where nobody does."""
    if (at := _watched.get()) is not None:
        spent = time.monotonic() - at.started
        at.watch(Event(at.step, "going on", text, done, total, spent))
