"""What a verdict on honest statements takes today, beside an earlier commit's guard in the same run."""

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from bench.figures import ROOT, Figure

EARLIER = "a3b408ee"
"""Before DuckDB's and PostgreSQL's own parsers read each statement."""
HONEST = ROOT / "tests" / "databases" / "guard" / "honest"
MOST = 1.5
_ROUNDS = 3  # of both guards in turn, each in a process of its own
_CODE = """
import json, sys, time
from fathom.databases.guard import check
from fathom.errors import QueryRefused
dialect, statements = json.load(sys.stdin)
found = {}
for _ in range(5):
    for sql in statements:
        started = time.process_time_ns()
        try:
            check(sql, dialect)
        except QueryRefused:
            continue
        found.setdefault(sql, []).append(time.process_time_ns() - started)
print(json.dumps({sql: min(times) / 1e9 for sql, times in found.items()}))
"""
Times = Mapping[str, float]
"""Seconds of the processor for each statement that is let through, the least of several verdicts."""


def compared() -> Iterable[Figure]:
    """The median and p95 of today's verdicts, over those of the earlier guard."""
    with tempfile.TemporaryDirectory() as name:
        earlier = Path(name)
        if reason := _extracted(earlier):
            yield Figure(f"verdicts on honest statements, beside {EARLIER}", "not measured", note=reason)
            return
        for dialect in ("duckdb", "postgres", "mysql", "sqlite"):
            yield from _of(dialect, earlier)


def _extracted(folder: Path) -> str:
    """Put the earlier code into a folder; gives the reason where the history doesn't have it."""
    command = ["git", "-C", str(ROOT), "archive", EARLIER, "src/fathom"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return f"the history isn't there: {done.stderr.decode().strip()[:100]}"
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return ""


def _of(dialect: str, earlier: Path) -> Iterable[Figure]:
    statements = yaml.safe_load((HONEST / f"{dialect}.yaml").read_text(encoding="utf-8"))["passes"]
    before, today = dict[str, float](), dict[str, float]()
    for _ in range(_ROUNDS):
        for times, folder in ((before, earlier), (today, ROOT)):
            for sql, seconds in _times(dialect, statements, folder).items():
                times[sql] = min(seconds, times.get(sql, seconds))
    both = [sql for sql in statements if sql in before and sql in today]
    for what, of in (("median", statistics.median), ("p95", _p95)):
        now, then = (of([times[sql] for sql in both]) for times in (today, before))
        yield Figure(
            f"{len(both)} honest statements, {dialect}, {what}, beside {EARLIER}",
            f"{now / then:.2f} times",
            f"<= {MOST}",
            now / then <= MOST,
            f"{now * 1000:.2f} against {then * 1000:.2f} ms of the processor; those that both let through",
        )


def _times(dialect: str, statements: list[str], folder: Path) -> Times:
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        input=json.dumps((dialect, statements)),
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found: Times = json.loads(done.stdout)
    return found


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]
