"""Values that hold for all that runs inside a `with`, in its thread or task alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def holding(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Have a variable hold a value inside, and after it what it held before."""
    mark = variable.set(value)
    try:
        yield
    finally:
        variable.reset(mark)
