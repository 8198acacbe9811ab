"""The sample knowledge base at 10 million rows: time and memory of a whole process, and its content."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure

TITLE = "Sample knowledge base: 10 million rows"
ROWS = 10_000_000
_MADE = """
import resource, sys, time
start = time.perf_counter()
from fathom.benchmarks.biomed import build
build(sys.argv[1], rows=int(sys.argv[2]))
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
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
        seconds, _ = _run(_MADE, small, 200_000)
        yield Figure("200 K rows (the demo), process", f"{seconds:.1f} s")
        seconds, gigabytes = _run(_MADE, large, ROWS)
        yield Figure("10 M rows, process", f"{seconds:.0f} s", "≤ 60 s", seconds <= 60)
        yield Figure("10 M rows, most memory", f"{gigabytes:.2f} GB", "≤ 1.5 GB", gigabytes <= 1.5)
        rows, tables = _run(_COUNTED, large)
        yield Figure("rows made", f"{rows:,.0f}", f"≥ {ROWS:,}", rows >= ROWS * 0.999, f"{tables:.0f} tables")
        yield Figure("size of the file", f"{large.stat().st_size / 1e6:,.0f} MB")
