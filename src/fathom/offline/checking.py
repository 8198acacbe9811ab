"""Runs the first candidates, briefly: what a query gives says much about whether it was meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.records import Limits, Result

BRIEF = Limits(seconds=1.0, rows=3_000, bytes=4_000_000)
FAILURES_IN_ALL = 20
SMALL = 50_000
"""Rows of a database up to which every candidate is run."""
RUN_OF_LARGE = 20
"""Candidates that are run on a larger one. No clock decides: the same question gets the same answer."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of running a query: `result`, or `error`, or neither where it wasn't run."""

    result: Result | None = None
    error: str | None = None


def check(database: Database, queries: Sequence[str]) -> list[Checked]:
    """Run the queries in order, all of them on a small database, else the first ones."""
    rows = sum(table.row_count or 0 for table in database.schema.tables)
    most = len(queries) if rows <= SMALL else RUN_OF_LARGE
    found: list[Checked] = []
    failures = 0
    for place, sql in enumerate(queries):
        if place >= most or failures > FAILURES_IN_ALL:
            found.append(Checked())
            continue
        try:
            found.append(Checked(database.run(sql, BRIEF)))
        except QueryError as error:
            failures += 1
            found.append(Checked(error=str(error)))
    return found
