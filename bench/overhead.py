"""What methods take beside an instant model, on questions whose database was asked before.

The mark is on the processor's time, which other programs don't lengthen. What SQLite itself takes to prepare
and run queries is measured by its threads and taken off.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from unittest.mock import patch

import numpy as np

from bench.figures import Figure, thinned, wanted
from bench.mini_dev import Item, sample
from fathom import registry
from fathom.databases.sqlite import SQLiteSession
from fathom.llm import ScriptedModel
from fathom.methods import Method, find_method, run_method

TITLE = "Own time of methods, beside model and database"
MODELS = "simulated"
EVERY = 4
MARK = 0.010
SINGLE = frozenset(
    "zero-shot zero-shot-cot baseline 1-shot 3-shot 5-shot 3-rows 5-rows stat-instruct combo schema-index "
    "dail-sql".split()
)
"""They ask for one query; some ask once more, to word an answer or to pick examples by a first query."""


@dataclass(frozen=True)
class Taken:
    """Seconds of one question: `own` of the processor, `database` of it in SQLite, and `passed` by the clock,
    less those that the trace says model and database took."""

    own: float
    database: float
    passed: float


class Engine:
    """Adds up the processor's seconds of the threads that are in SQLite: preparing, with the guard's judging
    of what each statement may do, and stepping."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = Lock()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While it lasts, sessions tell what they take."""
        with (
            patch.object(SQLiteSession, "execute", self._timing(SQLiteSession.execute)),
            patch.object(SQLiteSession, "fetch", self._timing(SQLiteSession.fetch)),
        ):
            yield

    def _timing(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            started = time.thread_time()
            try:
                return work(*args)
            finally:
                with self._lock:
                    self.seconds += time.thread_time() - started

        return timed


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        items = thinned(list(sample(Path(folder), EVERY)))
        databases = {id(i.context.database): i.context.database for i in items}
        yield Figure("questions of mini-dev", str(len(items)), note=f"{len(databases)} databases")
        try:
            names = filter(wanted, registry.names("methods"))
            for name in sorted(names, key=lambda n: (n not in SINGLE, n)):
                method = find_method(name)
                if isinstance(method, Method) and method.asks_model:
                    yield _figure(name, asyncio.run(own_seconds(method, items)))
        finally:
            for database in databases.values():
                database.close()


def _figure(name: str, taken: Sequence[Taken]) -> Figure:
    p50, p95 = np.percentile([t.own for t in taken], (50, 95))
    asked, waited = [t.database for t in taken], [t.passed for t in taken]
    held = name in SINGLE
    return Figure(
        f"{name}, p95",
        f"{p95 * 1e3:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms" if held else "",
        bool(p95 <= MARK) if held else None,
        f"p50 {p50 * 1e3:.1f} ms; SQLite beside it p95 {np.percentile(asked, 95) * 1e3:.1f} ms; by the "
        f"clock, with other work on the machine, p50 {np.percentile(waited, 50) * 1e3:.1f} ms",
    )


async def own_seconds(method: Method, items: Sequence[Item]) -> list[Taken]:
    """What each question took; of each database one more goes first, so that what is built once is there."""
    by_database: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_database[id(item.context.database)].append(item)
    taken, engine = [], Engine()
    for group in by_database.values():
        for warm, item in enumerate([group[-1], *group]):
            context = replace(
                item.context, model=ScriptedModel.of(rules={"": f"```sql\n{item.gold.sql}\n```"})
            )
            before, clock, processor = engine.seconds, time.perf_counter(), time.process_time()
            with engine.watched():
                draft = await run_method(method, item.asked.question, context)
            worked, passed = time.process_time() - processor, time.perf_counter() - clock
            database, used = engine.seconds - before, draft.trace.usage
            passed -= used.model_seconds + used.database_seconds
            taken += [Taken(worked - database, database, passed)] if warm else []
    return taken
