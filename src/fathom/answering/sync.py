"""The public API in both forms: waiting for asynchronous work from code that isn't."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Wait for asynchronous work, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()
