"""Executors by address."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from fathom.errors import ConfigError, MissingExtra


def workers_of(executor: Executor) -> int:
    """How many pieces of work an executor takes at once: a cluster's threads, else what is usual."""
    client: Any = getattr(executor, "_client", None)  # of distributed's ClientExecutor, which tells nothing
    if client is not None and hasattr(client, "nthreads"):
        threads: dict[str, int] = client.nthreads()
        return max(sum(threads.values()), 1)
    return int(getattr(executor, "_max_workers", 8))


@contextmanager
def connect_cluster(address: str) -> Iterator[Executor]:
    """The executor of a Dask cluster at `dask://host:port`. Raises `ConfigError`, `MissingExtra`.

    Databases and gold stay where they are: workers must reach them by the same paths or URLs.
    """
    scheme, _, place = address.partition("://")
    if scheme != "dask" or not place:
        raise ConfigError(f"There is no executor {address!r}; use dask://host:port.")
    try:
        distributed: Any = import_module("distributed")  # an extra
    except ImportError:
        raise MissingExtra("running on a Dask cluster", "distributed", "dask") from None
    try:
        client = distributed.Client(f"tcp://{place}", timeout="4s")
    except (OSError, TimeoutError) as error:
        raise ConfigError(f"No Dask scheduler answers at {place}: {error}") from error
    with client:
        yield client.get_executor(pure=False)
