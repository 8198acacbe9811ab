"""How often the offline method is right, how well it knows, and how long it takes."""

import asyncio
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.figures import DATA, Figure, wanted
from fathom.benchmarks import Benchmark, BenchmarkQuestion, load_benchmark
from fathom.databases import Database, connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context, find_method, run_method
from fathom.records import SolvedExample

TITLE = "The offline method"
SPLITS = Path(__file__).parent / "splits" / "spider.json"
READ = SPLITS.with_name("read.json")
"""The databases of a benchmark whose questions were read while the method was made."""
DUMP = os.environ.get("FATHOM_BENCH_DUMP")
COVERAGE = 0.4


@dataclass(frozen=True)
class Answered:
    """What became of one question; `source` says what made the query.

    One that is asked back is `declined` as well.
    """

    asked: BenchmarkQuestion
    sql: str
    right: bool
    declined: bool
    confidence: float
    seconds: float
    source: str
    asks_back: bool = False


def measure() -> Iterable[Figure]:
    report = databases_of(os.environ.get("FATHOM_BENCH_SPLIT", "report"))
    times: list[float] = []
    sets = {
        "Spider, databases never seen": ("spider", None, 0.64, 0.90, report, False),
        "BIRD train with evidence": ("bird-train", None, 0.25, 0.80, None, False),
        "GeoQuery dev": ("geoquery", "dev", 0.60, 0.80, None, False),
        "GeoQuery dev, solved examples": ("geoquery", "dev", 0.80, 0.80, None, True),
        "sql_eval": ("sql-eval", None, 0.30, 0.80, None, False),
    }
    for what, (name, split, mark, selective, databases, taught) in sets.items():
        if not wanted(name):
            continue
        benchmark = load_benchmark(name, split, data=DATA)
        answered = list(ask(benchmark, databases, taught=taught))
        dump(name + ("-taught" if taught else ""), answered)
        times += [a.seconds for a in answered]
        yield from _figures(what, answered, mark, selective)
        yield from _unread(what, answered, set(json.loads(READ.read_text(encoding="utf-8")).get(name, ())))
    if wanted("sql-eval-idk"):
        unanswerable = list(ask(load_benchmark("sql-eval-idk", data=DATA), None, taught=False))
        refused = sum(a.declined and not a.asks_back for a in unanswerable)
        yield rate("unanswerable questions refused", refused, len(unanswerable), 0.95)
    p50, p95 = (1000 * float(np.percentile(times, p)) for p in (50, 95))
    note = f"p50 {p50:.0f} ms, {len(times)} questions"
    yield Figure("time for one question, warm, p95", f"{p95:.0f} ms", "300 ms", p95 <= 300, note)


def databases_of(split: str) -> set[str]:
    """The databases of a split of Spider's: `report`, or those trained on that are asked first, `tuning`."""
    return set(json.loads(SPLITS.read_text(encoding="utf-8"))[split])


def ask(benchmark: Benchmark, databases: set[str] | None, *, taught: bool) -> Iterator[Answered]:
    """Ask the questions about these databases (None: all), those to train on being solved where `taught`."""
    method = find_method("offline")
    contexts: dict[str, Context] = {}
    with TemporaryDirectory() as cache:
        for item in benchmark:
            if databases is not None and item.database_name not in databases:
                continue
            if item.database not in contexts:
                contexts[item.database] = _context(benchmark, item, Path(cache), taught=taught)
                asyncio.run(run_method(method, item.question, contexts[item.database]))  # warm
            started = time.perf_counter()
            draft = asyncio.run(run_method(method, item.question, contexts[item.database]))
            seconds = time.perf_counter() - started
            response = respond(draft)
            marks = judge(Exam(item, response, benchmark.comparison, seconds=5.0))
            yield Answered(
                item,
                draft.sql or "",
                right=marks.final.outcome.value == "correct",
                declined=response.declined,
                confidence=draft.confidence or 0.0,
                seconds=seconds,
                source=str(draft.trace.steps[-1].found.get("source", "")),
                asks_back=draft.refusal is None and bool(draft.readings),
            )
    for context in contexts.values():
        context.database.close()


def dump(name: str, answered: Iterable[Answered]) -> None:
    """Write what became of each question into the folder FATHOM_BENCH_DUMP, where that is set."""
    if DUMP:
        rows = [
            [a.asked.database_name, a.asked.text, a.asked.evidence, a.asked.gold[:1], a.sql, a.right,
             a.confidence, a.declined, a.source, a.asks_back]
            for a in answered
        ]  # fmt: skip
        (Path(DUMP) / f"{name}.json").write_text(json.dumps(rows, indent=0), encoding="utf-8")


def _context(benchmark: Benchmark, item: BenchmarkQuestion, cache: Path, *, taught: bool) -> Context:
    database: Database = connect(item.database)
    packs = benchmark.packs(item.database_name)
    examples: tuple[SolvedExample, ...] = tuple(benchmark.examples(item.database_name)) if taught else ()
    knowledge = load_packs(*packs) if packs else KnowledgePack()
    return Context(database, knowledge, examples, cache=cache)


def _figures(what: str, answered: list[Answered], mark: float, selective: float) -> Iterator[Figure]:
    by_database = defaultdict(list)
    for one in answered:
        by_database[one.asked.database_name].append(one.right)
    shares = sorted(float(np.mean(rights)) for rights in by_database.values())
    spread = f"by database {shares[0]:.0%} to {shares[-1]:.0%}" if len(shares) > 1 else ""
    yield rate(f"{what}: correct", sum(a.right for a in answered), len(answered), mark, spread)
    kept = [a for a in answered if not a.declined]
    back = sum(a.asks_back for a in answered)
    note = f"coverage {len(kept) / len(answered):.0%} (mark {COVERAGE:.0%}), {back} asked back"
    figure = rate(
        f"{what}: correct of those answered", sum(a.right for a in kept), len(kept), selective, note
    )
    covered = len(kept) >= COVERAGE * len(answered)
    yield Figure(figure.what, figure.value, figure.mark, bool(figure.ok) and covered, figure.note)
    best = sorted(answered, key=lambda a: -a.confidence)[: int(COVERAGE * len(answered))]
    yield Figure(
        f"{what}: correct of the surest {COVERAGE:.0%}",
        f"{np.mean([a.right for a in best]):.1%}",
    )


def _unread(what: str, answered: list[Answered], read: set[str]) -> Iterator[Figure]:
    """The same of the databases whose questions nobody read, where some were."""
    if not read:
        return
    others = [a for a in answered if a.asked.database_name not in read]
    kept = [a for a in others if not a.declined]
    yield rate(f"{what}, databases nobody read: correct", sum(a.right for a in others), len(others))
    note = f"coverage {len(kept) / len(others):.0%}" if others else ""
    right = sum(a.right for a in kept)
    yield rate(f"{what}, databases nobody read: correct of those answered", right, len(kept), note=note)


def rate(what: str, hits: int, trials: int, mark: float | None = None, note: str = "") -> Figure:
    """A share, with its counts, held against a mark where there is one."""
    share = hits / trials if trials else 0.0
    value = f"{share:.1%} ({hits}/{trials})"
    return (
        Figure(what, value, note=note)
        if mark is None
        else Figure(what, value, f"{mark:.0%}", share >= mark, note)
    )
