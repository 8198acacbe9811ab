"""What methods take beside an instant model, on questions whose database was asked before.

The mark is on the processor's time, which other programs don't lengthen; it holds SQLite's as well.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.figures import Figure
from bench.mini_dev import Item, sample
from fathom import registry
from fathom.llm import ScriptedModel
from fathom.methods import Method, find_method, run_method

TITLE = "Own time of methods, beside model and database"
EVERY = 4
MARK = 0.010
SINGLE = frozenset(
    "zero-shot zero-shot-cot baseline 1-shot 3-shot 5-shot 3-rows 5-rows stat-instruct combo schema-index "
    "dail-sql".split()
)
"""They ask for one query; some ask once more, to word an answer or to pick examples by a first query."""


@dataclass(frozen=True)
class Taken:
    """Seconds of one question: `worked` by the processor, SQLite's included, and `passed` by the clock, less
    those that the trace says model and database took."""

    worked: float
    passed: float


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        items = list(sample(Path(folder), EVERY))
        databases = {id(i.context.database): i.context.database for i in items}
        yield Figure("questions of mini-dev", str(len(items)), note=f"{len(databases)} databases")
        try:
            for name in sorted(registry.names("methods"), key=lambda n: (n not in SINGLE, n)):
                method = find_method(name)
                if isinstance(method, Method) and method.asks_model:
                    yield _figure(name, asyncio.run(own_seconds(method, items)))
        finally:
            for database in databases.values():
                database.close()


def _figure(name: str, taken: Sequence[Taken]) -> Figure:
    (p50, p95), waited = np.percentile([t.worked for t in taken], (50, 95)), [t.passed for t in taken]
    held = name in SINGLE
    return Figure(
        f"{name}, p95",
        f"{p95 * 1e3:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms" if held else "",
        bool(p95 <= MARK) if held else None,
        f"p50 {p50 * 1e3:.1f} ms; by the clock, with other work on the machine, p50 "
        f"{np.percentile(waited, 50) * 1e3:.1f} ms",
    )


async def own_seconds(method: Method, items: Sequence[Item]) -> list[Taken]:
    """What each question took; of each database one more goes first, so that what is built once is there."""
    by_database: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_database[id(item.context.database)].append(item)
    taken = []
    for group in by_database.values():
        for warm, item in enumerate([group[-1], *group]):
            context = replace(
                item.context, model=ScriptedModel.of(rules={"": f"```sql\n{item.gold.sql}\n```"})
            )
            clock, processor = time.perf_counter(), time.process_time()
            draft = await run_method(method, item.asked.question, context)
            worked, passed = time.process_time() - processor, time.perf_counter() - clock
            used = draft.trace.usage
            taken += [Taken(worked, passed - used.model_seconds - used.database_seconds)] if warm else []
    return taken
