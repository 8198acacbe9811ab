"""What it costs a query to run in a child process, against the same engine in this process, in one run."""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from itertools import chain
from pathlib import Path

import duckdb

from bench.figures import Figure
from fathom.databases import Database, connect
from fathom.records import Limits

TITLE = "Queries in a child process, against this process"
_LIMITS = Limits(rows=None)
_MADE = "SELECT i AS n, 'name ' || i AS name, i * 1.5 AS price FROM "
_ROWS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 10000) "


def measure() -> Iterable[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(sqlite3.connect(folder / "t.sqlite")) as connection:
            connection.execute(f"CREATE TABLE t AS {_ROWS}{_MADE}r")
            connection.commit()
        with duckdb.connect(folder / "t.duckdb") as made:
            made.execute(f"CREATE TABLE t AS {_MADE}range(10000) AS r(i)")
        for file, title in (("t.sqlite", "SQLite"), ("t.duckdb", "DuckDB")):
            with connect(folder / file) as database:
                yield from _of(database, title)


def _of(database: Database, title: str) -> Iterable[Figure]:
    inside, child = _alternately(database, "SELECT name FROM t WHERE n = 77", 500)
    more = 1000 * (_p95(child) - _p95(inside))
    note = f"{1000 * _p95(child):.2f} against {1000 * _p95(inside):.2f} ms"
    yield Figure(
        f"{title}: one row, p95, more than in this process", f"{more:.2f} ms", "<= 3 ms", more <= 3, note
    )
    inside, child = _alternately(database, "SELECT * FROM t", 100)
    for what, of in (("median", statistics.median), ("p95", _p95)):
        ratio = of(child) / of(inside)
        note = f"{1000 * of(child):.1f} against {1000 * of(inside):.1f} ms"
        yield Figure(f"{title}: 10,000 rows, {what}", f"{ratio:.2f} times", "<= 1.2", ratio <= 1.2, note)
    inside, child = _processor(database, "SELECT * FROM t", 100)
    ratio = statistics.median(child) / statistics.median(inside)
    note = (
        f"{1000 * statistics.median(child):.1f} against {1000 * statistics.median(inside):.1f} ms;"
        " both work at once where there are two cores"
    )
    yield Figure(
        f"{title}: 10,000 rows, processor of both processes, median", f"{ratio:.2f} times", "", None, note
    )


def _alternately(database: Database, sql: str, times: int) -> tuple[list[float], list[float]]:
    """Seconds in this process and in a child, run by turns after one of each."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(times + 1):
        for kept, trusted in zip(found, (True, False), strict=True):
            started = time.perf_counter()
            database.run(sql, _LIMITS, trusted=trusted)
            kept.append(time.perf_counter() - started)
    return found[0][1:], found[1][1:]


def _processor(database: Database, sql: str, times: int) -> tuple[list[float], list[float]]:
    """Seconds of the processor for the same, of this process and its child together."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(times + 1):
        for kept, trusted in zip(found, (True, False), strict=True):
            started = time.process_time()
            with database.stream(sql, _LIMITS, trusted=trusted) as stream:
                tuple(chain.from_iterable(stream))
            kept.append(time.process_time() - started + (stream.processor_seconds or 0))
    return found[0][1:], found[1][1:]


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]
