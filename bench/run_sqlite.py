"""What running a query within limits costs on SQLite, against the bare driver in the same run."""

import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial

from bench.figures import DATA, Figure
from fathom.databases import connect
from fathom.records import Limits

TITLE = "Running a query on SQLite, against the bare driver"
_CHINOOK = DATA / "samples" / "chinook.sqlite"
_QUERIES = {
    "one row by key": ("SELECT Name FROM Artist WHERE ArtistId = 90", 5_000),
    "a join with grouping, 10 rows": (
        "SELECT a.Name, count(*) FROM Artist a JOIN Album b ON a.ArtistId = b.ArtistId"
        " JOIN Track t ON t.AlbumId = b.AlbumId GROUP BY a.Name ORDER BY 2 DESC LIMIT 10",
        200,
    ),
    "8,715 rows": ("SELECT * FROM PlaylistTrack", 50),
    "3,503 rows of nine columns": ("SELECT * FROM Track", 50),
}
_LIMITS = Limits(rows=None)


def measure() -> Iterable[Figure]:
    with closing(sqlite3.connect(_CHINOOK)) as bare, connect(_CHINOOK) as database:
        for what, (sql, times) in _QUERIES.items():
            ours, theirs = _alternately(
                partial(database.run, sql, _LIMITS), partial(_fetch_all, bare, sql), times
            )
            note = f"{1e6 * ours:.0f} against {1e6 * theirs:.0f} microseconds, medians"
            yield Figure(what, f"{ours / theirs:.2f} times", note=note)
    program = "from fathom.databases import connect; connect({0!r}).run('SELECT 1')"
    bare_program = "import sqlite3; sqlite3.connect({0!r}).execute('SELECT 1').fetchall()"
    ours, theirs = _alternately(partial(_run, program), partial(_run, bare_program), 15)
    note = f"{1000 * ours:.0f} against {1000 * theirs:.0f} ms, medians"
    yield Figure("a whole process: start, connect, one query", f"{ours / theirs:.2f} times", note=note)


def _alternately(ours: Callable[[], object], theirs: Callable[[], object], times: int) -> tuple[float, float]:
    """Median seconds of each, run by turns."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for kept, call in zip(seconds, (ours, theirs), strict=True):
            started = time.perf_counter()
            call()
            kept.append(time.perf_counter() - started)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def _fetch_all(bare: sqlite3.Connection, sql: str) -> object:
    return bare.execute(sql).fetchall()


def _run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program.format(str(_CHINOOK))], check=True)
