"""The token itself; what engines do with it is told in `tests/databases/test_cancellation.py`."""

import asyncio

import pytest

from fathom.cancellation import Cancellation, current_cancellation
from fathom.errors import Cancelled, FathomError, QueryError


def test_work_is_stopped_once() -> None:
    stopped: list[str] = []
    cancellation = Cancellation()
    cancellation.check()
    cancellation.on_cancel(lambda: stopped.append("first"))
    take_back = cancellation.on_cancel(lambda: stopped.append("taken back"))
    take_back()
    cancellation.cancel()
    cancellation.cancel()
    assert stopped == ["first"]
    cancellation.on_cancel(lambda: stopped.append("late"))
    assert stopped == ["first", "late"]
    with pytest.raises(Cancelled):
        cancellation.check()


def test_it_is_no_failure_of_a_query() -> None:
    assert issubclass(Cancelled, FathomError)
    assert not issubclass(Cancelled, QueryError)


def test_it_covers_a_thread_a_task_and_the_threads_of_the_task() -> None:
    cancellation = Cancellation()

    async def seen() -> object:
        return current_cancellation(), await asyncio.to_thread(current_cancellation)

    assert current_cancellation() is None
    with cancellation.covering():
        assert current_cancellation() is cancellation
        assert asyncio.run(seen()) == (cancellation, cancellation)
    assert asyncio.run(seen()) == (None, None)
