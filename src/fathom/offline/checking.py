"""Runs the first candidates, briefly: what a query gives says much about whether it was meant."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.records import Limits, Result

BRIEF = Limits(seconds=0.25, rows=3_000, bytes=4_000_000)
SECONDS_IN_ALL = 0.15
FAILURES_IN_ALL = 20
ALWAYS = 8
"""Candidates that are run however long it takes: on a busy machine the choice should be the same."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of running a query: `result`, or `error`, or neither where the time was up before it."""

    result: Result | None = None
    error: str | None = None


def check(database: Database, queries: Sequence[str], seconds: float = SECONDS_IN_ALL) -> list[Checked]:
    """Run the queries in order until the time is up; the first ones always run."""
    until = time.monotonic() + seconds
    found: list[Checked] = []
    failures = 0
    for place, sql in enumerate(queries):
        if (place >= ALWAYS and time.monotonic() > until) or failures > FAILURES_IN_ALL:
            found.append(Checked())
            continue
        try:
            found.append(Checked(database.run(sql, BRIEF)))
        except QueryError as error:
            failures += 1
            found.append(Checked(error=str(error)))
    return found
