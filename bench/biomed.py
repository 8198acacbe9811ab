"""The sample knowledge base at any size: time and memory of a whole process, and its content."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure

TITLE = "Sample knowledge base"
ROWS, PUBLISHED_ROWS = 10_000_000, 104_000_000
_MADE = """
import resource, sys, time
start = time.perf_counter()
from fathom.benchmarks.biomed import build
build(sys.argv[1], rows=int(sys.argv[2]), table_count=int(sys.argv[3]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - start, used.ru_maxrss / 1e6, used.ru_utime + used.ru_stime)
"""
_COUNTED = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as c:
    tables = [r[0] for r in c.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
    print(sum(c.execute(f'SELECT COUNT(*) FROM "{t}"').fetchone()[0] for t in tables), len(tables))
"""


def _run(code: str, *arguments: object) -> list[float]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return [
        float(x) for x in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    ]


def measure() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.duckdb", Path(folder) / "large.duckdb"
        seconds, *_ = _run(_MADE, small, 200_000, 10)
        yield Figure("200 K rows (the demo), process", f"{seconds:.1f} s")
        seconds, gigabytes, _ = _run(_MADE, large, ROWS, 10)
        yield Figure("10 M rows, process", f"{seconds:.0f} s", "≤ 60 s", seconds <= 60)
        yield Figure("10 M rows, most memory", f"{gigabytes:.2f} GB", "≤ 1.5 GB", gigabytes <= 1.5)
        rows, tables = _run(_COUNTED, large)
        yield Figure("rows made", f"{rows:,.0f}", f"≥ {ROWS:,}", rows >= ROWS * 0.999, f"{tables:.0f} tables")
        yield Figure("size of the file", f"{large.stat().st_size / 1e6:,.0f} MB")
        large.unlink()
        twenty = Path(folder) / "twenty.duckdb"
        seconds, *_ = _run(_MADE, twenty, 200_000, 20)
        rows, tables = _run(_COUNTED, twenty)
        yield Figure(
            "twenty tables, process", f"{seconds:.1f} s", note=f"{rows:,.0f} rows, {tables:.0f} tables"
        )
        seconds, gigabytes, cpu = _run(_MADE, large, PUBLISHED_ROWS, 10)
        rows, _ = _run(_COUNTED, large)
        note = f"{cpu / 60:.1f} minutes of CPU, load {os.getloadavg()[0]:.0f}"
        yield Figure(
            f"{rows / 1e6:.0f} M rows, process", f"{seconds / 60:.1f} min", "≤ 10 min", seconds <= 600, note
        )
        yield Figure("104 M rows, most memory", f"{gigabytes:.2f} GB", "≤ 2 GB", gigabytes <= 2)
        yield Figure("104 M rows, size of the file", f"{large.stat().st_size / 1e6:,.0f} MB")
