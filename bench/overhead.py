"""What methods take beside the model and the database: each question once, its database asked before."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
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


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        items = list(sample(Path(folder), EVERY))
        databases = {id(i.context.database): i.context.database for i in items}
        told = f"{len(items)} questions of mini-dev, {len(databases)} databases, an instant model"
        try:
            for name in sorted(registry.names("methods"), key=lambda n: (n not in SINGLE, n)):
                method = find_method(name)
                if isinstance(method, Method) and method.asks_model:
                    taken = asyncio.run(own_seconds(method, items))
                    yield _figure(name, taken, told)
        finally:
            for database in databases.values():
                database.close()


def _figure(name: str, taken: Sequence[float], told: str) -> Figure:
    p50, p95 = (float(np.percentile(taken, p)) for p in (50, 95))
    held = name in SINGLE
    return Figure(
        f"{name}, p95",
        f"{p95 * 1e3:.1f} ms",
        f"<= {MARK * 1e3:.0f} ms" if held else "",
        p95 <= MARK if held else None,
        f"p50 {p50 * 1e3:.1f} ms" + (f"; {told}" if name == min(SINGLE) else ""),
    )


async def own_seconds(method: Method, items: Sequence[Item]) -> list[float]:
    """The seconds of each question, less those that the trace says model and database took.

    Of each database one more question goes first, so that what is built once is there.
    """
    by_database: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_database[id(item.context.database)].append(item)
    taken = []
    for group in by_database.values():
        for warm, item in enumerate([group[-1], *group]):
            model = ScriptedModel.of(rules={"": f"```sql\n{item.gold.sql}\n```"})
            started = time.perf_counter()
            draft = await run_method(method, item.asked.question, replace(item.context, model=model))
            spent = time.perf_counter() - started
            used = draft.trace.usage
            taken += [spent - used.model_seconds - used.database_seconds] if warm else []
    return taken
