"""Making benchmarks: forty templates over the sample knowledge base; business questions without a model."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import DATA, Figure, wanted

TITLE = "Making benchmarks"
TRIPLES = 68_000
_MADE = """
import os, resource, sys, time
from fathom.interfaces.cli import main
start = time.perf_counter()
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print()
print("MEASURED", time.perf_counter() - start, sum(u.ru_utime + u.ru_stime for u in used),
      used[0].ru_maxrss / 1e6, used[1].ru_maxrss / 1e6)
"""
"""Seconds, seconds of CPU of all processes, the most memory in GB of this one and of the largest worker."""


def _made(*arguments: object) -> list[float]:
    command = [sys.executable, "-c", _MADE, *map(str, arguments)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(x) for x in told.rpartition("MEASURED")[2].split()]


def _templates(folder: Path) -> Iterator[Figure]:
    workers = 2
    told = ("author", "templates", "biomed", "--database", "demo:biomed", "--workers", workers, "-o", folder)
    seconds, cpu, own, largest = _made(*told)
    found = json.loads((folder / "statistics.json").read_text(encoding="utf-8"))
    yield Figure(
        "forty templates: triples",
        f"{found['triples']:,}",
        f"≥ {TRIPLES:,}",
        found["triples"] >= TRIPLES,
        f"{found['negative_share']:.1%} negative; {found['mean_sql_tokens']} tokens a query",
    )
    note = f"{cpu / 60:.1f} minutes of CPU, {workers} workers, load {os.getloadavg()[0]:.0f}"
    yield Figure("forty templates: time", f"{seconds / 60:.1f} min", "≤ 10 min", seconds <= 600, note)
    # Every worker may be as large as the largest.
    memory = own + workers * largest
    yield Figure("forty templates: most memory", f"{memory:.2f} GB", "≤ 1.5 GB", memory <= 1.5)
    started = time.perf_counter()
    _made(*told)
    again = time.perf_counter() - started
    yield Figure("the same again, nothing left to do", f"{again:.0f} s", note="goes on where it was")


def _databases() -> list[Path]:
    places = ("samples/*.sqlite", "sql_eval/sqlite/*.sqlite", "bird/dev_databases/financial/*.sqlite",
              "bird/train_databases/*/*.sqlite")  # fmt: skip
    return [file for place in places for file in sorted(DATA.glob(place))]


def _business(folder: Path) -> Iterator[Figure]:
    databases = _databases()
    seconds, *_ = _made("author", "business", *databases, "-o", folder)
    found = json.loads((folder / "statistics.json").read_text(encoding="utf-8"))
    dropped = found["rejected"].get("answerability", 0)
    share = found["questions"] / max(found["questions"] + dropped, 1)
    note = f"of {len(databases)} databases {found['databases']} have something to ask about"
    yield Figure("business questions without a model", f"{found['questions']}", note=note)
    yield Figure("of them answered by their own SQL", f"{share:.1%}", "100 %", share == 1.0)
    yield Figure("business questions: time", f"{seconds:.0f} s")
    if wanted("asked"):
        yield from _asked(folder / "questions.jsonl", folder / "run")


def _asked(questions: Path, run: Path) -> Iterator[Figure]:
    """The descriptive questions through `offline`; others are answered in words: no rows are gold."""
    lines = questions.read_text(encoding="utf-8").splitlines(keepends=True)
    asked = questions.with_name("descriptive.jsonl")
    asked.write_text("".join(line for line in lines if "gold" in json.loads(line)), encoding="utf-8")
    command = [sys.executable, "-m", "fathom", "evaluate", str(asked), "--comparison", "semantic"]
    command += ["--timeout", "20", "--json", "-o", str(run)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = json.loads(told)
    unjudged = sum(found["unjudged"].values())
    note = f"of {found['n']} descriptive ones judged" + (f", {unjudged} could not be" if unjudged else "")
    yield Figure("asked of offline: answered", f"{found['coverage']:.1%}", note=note)
    yield Figure("asked of offline: right best guesses", f"{found['correct_rate']:.1%}")
    yield Figure("asked of offline: right of those answered", f"{found['selective_accuracy']:.1%}")


def measure() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        if wanted("templates"):
            yield from _templates(Path(folder) / "templates")
        if wanted("business"):
            yield from _business(Path(folder) / "business")
