"""What the guard costs per query, beside parsing alone, an earlier guard, and SQLite unjudged."""

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

import sqlglot

from bench.figures import Figure
from bench.parts.earlier_guard import compared
from bench.parts.long_texts import LONGEST, texts
from fathom.databases.guard import check
from fathom.databases.guard_sqlite import Authorizer
from fathom.errors import QueryRefused

TITLE = "What the guard costs per query"
QUERIES = {
    "a short query": "SELECT name FROM kept WHERE id = 1",
    "a join with grouping": """SELECT k.name, count(*), sum(s.amount) FROM kept k
        JOIN sales s ON s.kept_id = k.id WHERE s.amount > 1 AND k.name LIKE 'A%'
        GROUP BY k.name HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 10""",
    "CTEs, windows and a subquery": """WITH a AS (
        SELECT k.*, row_number() OVER (PARTITION BY parent ORDER BY id) AS n FROM kept k
        ), b AS (SELECT kept_id, sum(amount) AS total FROM sales GROUP BY kept_id)
        SELECT a.name, b.total, rank() OVER (ORDER BY b.total DESC) FROM a LEFT JOIN b ON a.id = b.kept_id
        WHERE a.n = 1 AND b.total > (SELECT avg(amount) FROM sales) ORDER BY b.total DESC, a.name LIMIT 20""",
}
MOST_SECONDS = 0.1
TABLES = "CREATE TABLE kept (id, name, parent); CREATE TABLE sales (kept_id, amount, day);"


def measure() -> Iterable[Figure]:
    for name, sql in QUERIES.items():
        for dialect in ("postgres", "duckdb"):
            parsing = _median(partial(sqlglot.parse_one, sql, dialect=dialect))
            guarding = _median(partial(check, sql, dialect))
            yield Figure(
                f"{name}, {dialect}",
                f"{guarding * 1000:.2f} ms",
                note=f"{guarding / parsing:.1f} times parsing alone ({parsing * 1000:.2f} ms)",
            )
    yield from compared()
    yield from _longest()
    connection = sqlite3.connect(":memory:", cached_statements=0)
    connection.executescript(TABLES)
    for name, sql in QUERIES.items():
        connection.set_authorizer(None)
        plain = _median(partial(_rows, connection, sql))
        connection.set_authorizer(Authorizer())
        with_judge = _median(partial(_rows, connection, sql))
        yield Figure(
            f"{name}, SQLite's authorizer",
            f"{(with_judge - plain) * 1e6:.0f} µs",
            note=f"{with_judge / plain:.1f} times running without it ({plain * 1e6:.0f} µs, empty tables)",
        )


def _longest() -> Iterable[Figure]:
    """The slowest verdicts on texts that are made to take long, in time of the processor."""
    found = texts()
    for dialect in ("postgres", "duckdb", "mysql"):
        times = {name: _least(text, dialect) for name, text in found.items()}
        slowest = max(times, key=times.__getitem__)
        yield Figure(
            f"the slowest of {len(found)} texts made to be slow, {dialect}",
            f"{times[slowest] * 1000:.0f} ms",
            mark="100 ms",
            ok=times[slowest] <= MOST_SECONDS,
            note=f"{slowest}; up to {LONGEST:,} characters",
        )


def _least(sql: str, dialect: str) -> float:
    """The least of three times that a verdict took, in seconds of the processor."""
    times = []
    for _ in range(3):
        started = time.process_time()
        with suppress(QueryRefused):
            check(sql, dialect)
        times.append(time.process_time() - started)
    return min(times)


def _rows(connection: sqlite3.Connection, sql: str) -> object:
    return connection.execute(sql).fetchall()


def _median(call: Callable[[], object], repeats: int = 300) -> float:
    """The median time of a call, in seconds."""
    call()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)
