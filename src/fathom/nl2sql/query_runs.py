"""Running candidates: what came of a query, in terms that all methods share."""

from dataclasses import dataclass, replace
from enum import StrEnum

from fathom.errors import QueryError, QueryTimedOut
from fathom.methods import Context
from fathom.nl2sql.prompt_cells import prompt_rows
from fathom.records import Candidate, Result


class Status(StrEnum):
    """The status of a query that was run."""

    OK = "ok"
    EMPTY = "empty"
    HAS_NULL = "has null"
    ERROR = "error"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class QueryRun:
    """A query that was run: its status with its result, or with the database's own words on why not."""

    sql: str
    status: Status
    result: Result | None = None
    error: str = ""

    @property
    def ran(self) -> bool:
        """True if it gave a result, empty or not."""
        return self.result is not None

    def as_candidate(self, score: float | None = None) -> Candidate:
        """The query as a candidate of the draft."""
        return Candidate(self.sql, score, self.result, self.error or None)


async def execute(
    context: Context, sql: str, *, seconds: float | None = None, rows: int | None = None
) -> QueryRun:
    """Run a query within the context's limits, tightened to `seconds` and `rows`; it may fail, not raise."""
    limits = context.limits
    if seconds is not None:
        limits = replace(limits, seconds=min(seconds, limits.seconds or seconds))
    if rows is not None:
        limits = replace(limits, rows=min(rows, limits.rows or rows))
    try:
        result = await context.run(sql, limits)
    except QueryTimedOut as error:
        return QueryRun(sql, Status.TIMED_OUT, error=str(error))
    except QueryError as error:
        return QueryRun(sql, Status.ERROR, error=str(error))
    return QueryRun(sql, _status(result), result)


def _status(result: Result) -> Status:
    if not result.rows:
        return Status.EMPTY
    return Status.HAS_NULL if any(v is None for row in result.rows for v in row) else Status.OK


def preview(outcome: QueryRun, rows: int = 5) -> str:
    """Show a result in a prompt: its columns and first rows, or the error. Data, to be fenced."""
    if outcome.result is None:
        return f"Error: {outcome.error}"
    if not outcome.result.rows:
        return "No rows."
    shown = outcome.result.rows[:rows]
    more = len(outcome.result.rows) - len(shown)
    tail = [f"({more}{'+' if outcome.result.truncated else ''} more rows)"] if more > 0 else []
    return "\n".join([*prompt_rows(outcome.result.columns, shown), *tail])
