"""What runs cost: summaries, reports and memory; and how far the gold schema can be trusted."""

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bench.figures import DATA, Figure
from fathom.evaluation.outcome import JUDGED, Outcome
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.record import JudgedQuery, QuestionRecord, SelectionScore, preview

TITLE = "Evaluation: runs, metrics, reports"
_RECORDS, _MANY, _RUNS, _QUESTIONS = 68_000, 100_000, 10, 1_534


def measure() -> Iterable[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _summary(folder)
        yield from _memory(folder)
        yield from _report(folder)
    if DATA.exists():
        yield from _gold_schema()
        yield from _revision()


def make_run(folder: Path, questions: int, *, seed: int = 0) -> Path:
    """A run with everything that a record can hold: selection, 5 candidates, 3 steps, two previews."""
    from fathom.evaluation.runs.configuration import Configuration
    from fathom.evaluation.runs.folder import RunFolder

    source = random.Random(seed)
    configuration = Configuration(f"method-{seed}", "made", "dev", "0" * 64, "bird", model="made:model")
    with RunFolder(folder, configuration) as run:
        kinds = [_record(i, source) for i in range(min(questions, 2_000))]
        for i in range(questions):
            run.append(replace(kinds[i % len(kinds)], id=str(i), position=i, question=f"Question {i}?"))
    return folder


def _record(number: int, source: random.Random) -> QuestionRecord:
    outcome = source.choices(JUDGED, [0.6, 0.35, 0.05])[0]
    gold = (
        f"SELECT T1.name, COUNT(*) FROM gene AS T1 JOIN drug AS T2 ON T1.id = T2.gene_id "
        f"WHERE T1.chr = '{number % 22}' GROUP BY T1.name ORDER BY COUNT(*) DESC LIMIT {number % 9 + 1}"
    )
    sql = (
        gold if outcome is Outcome.CORRECT else gold.replace("T1.chr", f"T2.phase = {number % 4} AND T1.chr")
    )
    used = {
        module: {
            "calls": 1,
            "prompt_tokens": source.randint(500, 9000),
            "completion_tokens": source.randint(20, 600),
            "cached_tokens": 0,
            "cost_usd": source.random() / 100,
            "model_seconds": source.random(),
            "database_seconds": source.random() / 10,
            "own_seconds": source.random() / 100,
        }
        for module in ("selection", "generation", "revision", "total")
    }
    steps = [
        {"name": m, "module": m, "found": {"sql": sql}, "usage": used[m]}
        for m in ("selection", "generation", "revision")
    ]
    return QuestionRecord(
        id=str(number),
        question="",
        database=f"database_{number % 11}",
        outcome=outcome,
        difficulty=("simple", "moderate", "challenging")[number % 3],
        tags=(("Join", "Effect", "Metadata", "Order-By")[number % 4],),
        gold=(gold,),
        sql=sql,
        verdict="exact" if outcome is Outcome.CORRECT else "different",
        score=1.0 if outcome is Outcome.CORRECT else source.random(),
        jaccard=source.random(),
        soft_f1=source.random(),
        confidence=source.random(),
        declined=source.random() < 0.2,
        candidates=tuple(JudgedQuery(sql, source.choice(list(Outcome))) for _ in range(5)),
        before_revision=JudgedQuery(sql, source.choice(list(Outcome))),
        selection={"gene": ["id", "name"], "drug": ["gene_id"]},
        gold_schema={"gene": ["id", "name", "chr"], "drug": ["gene_id"]},
        selection_score=SelectionScore(1.0, 1.0, 1.0, source.random(), source.random(), source.random()),
        usage=used,
        seconds=source.random() * 3,
        rows=preview(["name", "count"], [[f"G{j}", j] for j in range(10)], 10, cut=False),
        gold_rows=preview(["name", "count"], [[f"G{j}", j + j % 2] for j in range(10)], 10, cut=False),
        trace=tuple(steps),
    )


def _summary(folder: Path) -> Iterator[Figure]:
    from fathom.evaluation.runs.summary import summarise

    run = make_run(folder / "summary", _RECORDS)
    megabytes = (run / "records.jsonl").stat().st_size / 1e6
    started, busy = time.perf_counter(), time.process_time()
    summary = summarise(run)
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    groups = sum(map(len, summary.by.values()))
    note = f"{megabytes:.0f} MB; all metrics with intervals, over all and in {groups} groups"
    note += f"; {busy:.1f} s of processor time"
    yield Figure(f"summarise {_RECORDS:,} records", f"{seconds:.2f} s", "<= 5 s", seconds <= 5, note)


def _memory(folder: Path) -> Iterator[Figure]:
    peaks = {}
    for count in (_MANY // 10, _MANY):
        code = (
            "from pathlib import Path; from bench.evaluation import make_run, peak\n"
            f"make_run(Path({str(folder / f'm{count}')!r}), {count}); print(peak())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks[count] = float(done.stdout)
    few, many = peaks.values()
    value = f"{few:.0f} and {many:.0f} MB"
    note = "ids of what is done are all that grows"
    yield Figure(f"peak memory, {_MANY // 10:,} and {_MANY:,} records written", value, "+ 50 MB",
                 many - few <= 50, note)  # fmt: skip


def peak() -> float:
    """The most memory that this process has held, in MB. `getrusage` would count its parent's, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def _report(folder: Path) -> Iterator[Figure]:
    from fathom.reports.page import build_page

    runs = [make_run(folder / f"r{seed}", _QUESTIONS, seed=seed) for seed in range(_RUNS)]
    started, busy = time.perf_counter(), time.process_time()
    page = build_page(runs)
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    note = f"{len(page) / 1e6:.1f} MB of HTML; {busy:.1f} s of processor time"
    yield Figure(
        f"report of {_RUNS} runs of {_QUESTIONS:,} questions",
        f"{seconds:.1f} s",
        "<= 20 s",
        seconds <= 20,
        note,
    )
    yield Figure("peak memory of all the above", f"{peak():.0f} MB")


def _gold_schema() -> Iterator[Figure]:
    """Against what SQLite's own compiler asks leave to read."""
    from tests.evaluation.authorizer import authorized_reads

    from fathom.databases import connect
    from fathom.databases.query_columns import SchemaItems, items_of

    folder = DATA / "spider"
    queries: dict[str, list[str]] = {}
    for entry in json.loads((folder / "train_spider.json").read_text(encoding="utf-8")):
        queries.setdefault(entry["db_id"], []).append(entry["query"])
    checked = agreed = 0
    seconds = 0.0
    for name, found in queries.items():
        path = folder / "database" / name / f"{name}.sqlite"
        with (
            connect(path) as database,
            closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection,
        ):
            for sql in found:
                reads = authorized_reads(connection, sql)
                if reads is not None:
                    started = time.perf_counter()
                    items = items_of(sql, database.schema)
                    seconds += time.perf_counter() - started
                    checked += 1
                    agreed += items == SchemaItems(*map(frozenset, reads))
    yield Figure("gold schema: agrees with SQLite's authorizer", f"{agreed:,} of {checked:,}", "all",
                 agreed == checked, "Spider's training queries")  # fmt: skip
    yield Figure("gold schema: time a query", f"{1000 * seconds / checked:.2f} ms")


def _revision() -> Iterator[Figure]:
    """RSL-SQL's last module, on BIRD's questions whose data are here."""
    from fathom.benchmarks import load_benchmark
    from fathom.evaluation.runs.replay import replay
    from fathom.evaluation.runs.run import evaluate

    whole = load_benchmark(DATA / "bird", "dev")
    part = replace(
        whole,
        read=lambda: (
            q for q in whole if q.database_name == "financial" and "trans" not in q.gold[0].casefold()
        ),
    )
    steps = DATA / "bird" / "predictions" / "rsl_sql_gpt4o"
    files = {n: next((steps / f"step{n}").iterdir()) for n in (1, 2, 3, 4)}
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(1) as pool:
        for step in (2, 3, 4):
            answers = replay(whole, files[step], before=files[step - 1])
            run = evaluate(
                part, answers, RunOptions(name="rsl-sql", out=Path(name) / str(step), executor=pool)
            )
            found = run.summary().all["revision"]
            rates = ", ".join(f"{k} {found[k]['hits']}/{found[k]['n']}" for k in ("I2C", "E2C", "C2I", "C2E"))
            value = f"CI {100 * found['CI']:+.1f} %"
            yield Figure(
                f"RSL-SQL (GPT-4o), step {step - 1} to {step}", value, note=f"{rates}; N = {found['n']}"
            )
