"""Keeps Python's cycle collector from walking everything again and again while one question is worked on.

Nearly all that a question makes is freed without the collector. Meanwhile it would be called dozens of times,
and each full walk over the objects of the process takes as long as a good part of an answer.
"""

import gc
from collections.abc import Callable
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_pausing = Lock()


def undisturbed(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Do some work with the collector paused, unless it is off or paused already; gives the result.

    One thread at a time pauses it, so that it is never off for long.
    """
    if not _pausing.acquire(blocking=False):
        return work(*args, **kwargs)
    enabled = gc.isenabled()
    gc.disable()
    try:
        return work(*args, **kwargs)
    finally:
        if enabled:
            gc.enable()
        _pausing.release()
