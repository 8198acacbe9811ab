"""Runs the first candidates, briefly: what a query gives says much about whether it was meant."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from fathom.databases import Database
from fathom.errors import QueryError, QueryTimedOut
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, all_queries, mentioned_tables
from fathom.records import Limits, Result
from fathom.watch import tell

_BRIEF = Limits(seconds=1.0, rows=3_000, bytes=4_000_000, steps=1_000_000)
FAILURES_IN_ALL = 20
FEWEST = 5
"""Candidates that are run on any database."""
RUN_OF_LARGE, LARGE = 16, 50_000
"""Candidates that are run on a database of more rows than this."""
AT_ONCE = 2
"""How many of them run side by side: drivers wait for a query outside Python, so that both cores work."""
TOO_LONG = 200_000
MOST_READ = 500_000
"""Rows of tables that all runs for one question may read, within a tenth of a second. No clock decides: the
same question gets the same answer."""


def brief(database: Database) -> Limits:
    """The limits of a query that is tried, beside what any query takes there."""
    return replace(_BRIEF, seconds=(_BRIEF.seconds or 0.0) + database.latency)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of running a query: `result`, or `error`, or neither where it wasn't run to its end.

    `stopped` says that it was begun and took too long.
    """

    result: Result | None = None
    error: str | None = None
    stopped: bool = False


def check(database: Database, planner: JoinPlanner, candidates: Sequence[tuple[Query, str]]) -> list[Checked]:
    """Run queries, each with its SQL, in order, as long as they read few rows between them.

    Queries of the same SQL are run once, though each counts as if it were run.
    """
    large = sum(table.row_count or 0 for table in database.schema.tables) > LARGE
    reads = list(accumulate(_rows_read(query, planner) for query, _ in candidates))
    most = RUN_OF_LARGE if large else len(candidates)
    affordable = [
        sql for place, (_, sql) in enumerate(candidates) if place < most and _fits(place, reads[place])
    ]
    at_once = max(database.at_once, AT_ONCE if large else 1)
    with _running(database, affordable, at_once) as run:
        return _until_enough(candidates, reads, run, len(affordable))


def _until_enough(
    candidates: Sequence[tuple[Query, str]], reads: Sequence[int], run: Callable[[str], Checked], most: int
) -> list[Checked]:
    """Run the candidates in turn; slow ones and failures leave time for fewer behind them."""
    found: list[Checked] = []
    failures = stopped = 0
    for place, (_, sql) in enumerate(candidates):
        late = place >= most or not _fits(place, reads[place] + stopped) or failures > FAILURES_IN_ALL
        if not late:
            tell("trying likely queries", place, min(most, len(candidates)))
        checked = Checked() if late else run(sql)
        found.append(checked)
        failures += checked.error is not None
        stopped += TOO_LONG if checked.stopped else 0
    return found


def _fits(place: int, read: int) -> bool:
    return place < FEWEST or read <= MOST_READ


@contextmanager
def _running(database: Database, sqls: Iterable[str], at_once: int) -> Iterator[Callable[[str], Checked]]:
    """Gives what becomes of a query. Where several run at once they are begun ahead, in their order."""
    if at_once == 1:
        yield cache(lambda sql: _run(database, sql))
        return
    pool = ThreadPoolExecutor(at_once, "candidates")
    try:
        begun = {sql: pool.submit(copy_context().run, _run, database, sql) for sql in dict.fromkeys(sqls)}
        yield lambda sql: begun[sql].result()
    finally:
        pool.shutdown(cancel_futures=True)


def _run(database: Database, sql: str) -> Checked:
    try:
        return Checked(database.run(sql, brief(database), trusted=True))
    except QueryTimedOut:
        return Checked(stopped=True)
    except QueryError as error:
        return Checked(error=str(error))


def _rows_read(query: Query, planner: JoinPlanner) -> int:
    """The rows of all tables that a query reads, as often as it does: what it costs, roughly."""
    rows = 0
    for part in all_queries(query):
        named = {j.table for join in part.joins for j in (join.left, join.right)}
        plans = () if part.joins else planner.plans(mentioned_tables(part))
        tables = named or (plans[0].tables if plans else mentioned_tables(part))
        rows += sum(planner.schema.table(t.name).row_count or 0 for t in tables)
    return rows
