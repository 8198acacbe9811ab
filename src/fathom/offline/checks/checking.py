"""Runs the first candidates, briefly: what a query gives says much about whether it was meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.databases import Database
from fathom.errors import QueryError, QueryTimedOut
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, all_queries, mentioned_tables
from fathom.records import Limits, Result

BRIEF = Limits(seconds=1.0, rows=3_000, bytes=4_000_000, steps=1_000_000)
FAILURES_IN_ALL = 20
FEWEST = 5
"""Candidates that are run on any database."""
RUN_OF_LARGE, LARGE = 20, 50_000
"""Candidates that are run on a database of more rows than this."""
TOO_LONG = 200_000
MOST_READ = 600_000
"""Rows of tables that all runs for one question may read, within a tenth of a second. No clock decides: the
same question gets the same answer."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of running a query: `result`, or `error`, or neither where it wasn't run to its end.

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
    most = RUN_OF_LARGE if large else len(candidates)
    found: list[Checked] = []
    known: dict[str, Checked] = {}
    failures = read = 0
    for place, (query, sql) in enumerate(candidates):
        read += _rows_read(query, planner)
        if place >= most or (place >= FEWEST and read > MOST_READ) or failures > FAILURES_IN_ALL:
            found.append(Checked())
            continue
        if sql not in known:
            known[sql] = _run(database, sql)
        found.append(known[sql])
        failures += known[sql].error is not None
        read += TOO_LONG if known[sql].stopped else 0
    return found


def _run(database: Database, sql: str) -> Checked:
    try:
        return Checked(database.run(sql, BRIEF))
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
