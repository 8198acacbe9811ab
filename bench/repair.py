"""Repair by the schema on recorded replies of small language models to questions with gold.

The replies are those of Qwen2.5-Coder-1.5B-Instruct (q4_k_m), asked once and greedily, with the schema and
sample values before the question. They are kept in `bench/recorded/`; those to messy databases were written
under the schema's grammar (`python -m training.recording`).
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import Figure, thinned, wanted
from bench.parts.replies import RECORDED, Recorded, by_database, database_file, read
from fathom.databases import connect
from fathom.evaluation.comparisons import ComparedTable, ComparisonCase, load_comparison
from fathom.methods import Context
from fathom.nl2sql.query_runs import QueryRun, execute
from fathom.nl2sql.repair import repaired
from fathom.nl2sql.replies import find_sql
from fathom.records import Limits

TITLE = "Repair by the schema, on real replies"
MODELS = "real"
LIMITS = Limits(seconds=10.0, rows=20_000)


def measure() -> Iterator[Figure]:
    total: Counter[str] = Counter()
    for file in sorted(RECORDED.glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        if wanted(name):
            counts = asyncio.run(_counted(thinned(read(file))))
            total += counts
            yield from _figures(counts, name)
    yield from _figures(total, "all")


async def _counted(recorded: Sequence[Recorded]) -> Counter[str]:
    replies_of = by_database([one for one in recorded if one["golds"]])
    counts: Counter[str] = Counter(databases=len(replies_of))
    with TemporaryDirectory() as cache:
        for name, replies in replies_of.items():
            with connect(database_file(name, Path(cache))) as database:
                context = Context(database, limits=LIMITS, cache=Path(cache))
                for one in replies:
                    counts += await _one(context, one)
    return counts


async def _one(context: Context, one: Recorded) -> Counter[str]:
    sql = find_sql(one["reply"])
    if sql is None:
        return Counter(replies=1, lost=1)
    golds = [run for g in one["golds"] if (run := await execute(context, g)).ran]
    before = await execute(context, sql)
    mended = await repaired(context, sql, before)
    after = mended.run if mended else before
    was, now = (_right(run, golds, one["question"]) for run in (before, after))
    failing = not before.ran
    return Counter(
        replies=1,
        failing=failing,
        run=failing and after.ran,
        made_right=failing and now,
        corrected=not failing and now and not was,
        broken=was and not now,
        right_before=was,
        right_after=now,
        touched=not failing and mended is not None,
    )


def _right(run: QueryRun, golds: Sequence[QueryRun], question: str) -> bool:
    if run.result is None or run.result.truncated:
        return False
    comparison = load_comparison("sql_eval")
    case = ComparisonCase(question=question)
    return any(
        gold.result is not None
        and not gold.result.truncated
        and comparison.compare(ComparedTable.of(run.result), ComparedTable.of(gold.result), case).correct
        for gold in golds
    )


def _figures(counts: Counter[str], name: str) -> Iterator[Figure]:
    failing, replies = counts["failing"], counts["replies"]
    yield Figure(
        f"{name}: replies, databases",
        f"{replies}, {counts['databases']}",
        note=f"without SQL: {counts['lost']}",
    )
    made = f"{counts['made_right']} of {failing}"
    yield Figure(
        f"{name}: failing queries made right",
        made,
        "half",
        2 * counts["made_right"] >= failing,
        f"made to run: {counts['run']}",
    )
    yield Figure(
        f"{name}: right queries broken",
        f"{counts['broken']}",
        "0",
        counts["broken"] == 0,
        f"queries that ran and were changed: {counts['touched']}, {counts['corrected']} of them made right",
    )
    yield Figure(
        f"{name}: right without and with repair", f"{counts['right_before']}, {counts['right_after']}"
    )
