"""Mutated statements, 100,000 a dialect: what passes the guard, held against the engine's own reading."""

import multiprocessing
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

from tests.databases.guard.comparing import Compared, compared, comparing

from bench.figures import Figure, thinned
from fathom.databases.guard import check

TITLE = "Mutated statements held against each engine's own reading"
DIALECTS = {"postgres": "PostgreSQL", "duckdb": "DuckDB", "sqlite": "SQLite", "mysql": "MariaDB"}
STATEMENTS = 100_000
SEED = 37


def measure() -> Iterable[Figure]:
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(DIALECTS), mp_context=fresh) as workers:
        for dialect, found in zip(DIALECTS, workers.map(_compared, DIALECTS), strict=True):
            yield from _figures(DIALECTS[dialect], found)


def _compared(dialect: str) -> Compared:
    with tempfile.TemporaryDirectory() as folder, comparing(dialect, Path(folder)) as compare:
        return compared(dialect, check, compare, _times(), Random(SEED))


def _times() -> int:
    return len(thinned(range(STATEMENTS)))


def _figures(engine: str, found: Compared) -> Iterable[Figure]:
    example = next(iter(found.beyond.items()), None)
    yield Figure(
        f"{engine}: statements that name what the guard didn't judge",
        f"{len(found.beyond)}",
        mark="0",
        ok=not found.beyond,
        note=f"{example[1][0]}: {example[0][:200]!r}" if example else "",
    )
    yield Figure(
        f"{engine}: passed, of {_times():,} mutated statements",
        f"{found.passed:,}",
        note=f"{found.read:,} of them the engine could read",
    )
