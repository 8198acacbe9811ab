"""`suggest_indexes`: indexes that measurably help given queries, tried on copies, never on the data."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from fathom.benchmarks.sql_text import without_semicolon
from fathom.databases import Database
from fathom.databases.copies import WorkingCopy, working_copy
from fathom.efficiency.candidates import Index, candidates
from fathom.efficiency.equality import fingerprint
from fathom.errors import DatabaseError, QueryError
from fathom.evaluation.timing import LEAST_GAIN, LEAST_ROUNDS, Ratio, clock_for, compare_times, seconds_of

_ROUNDS = 10
_WRITTEN_ROWS = 10_000
_INSERTS = 5


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One index: the statement that makes it, what it gives and what it costs.

    `helps` holds the queries that it makes measurably faster; `saved` is the seconds that one run of all
    queries takes less, beside the suggestions before it. `size` is in bytes; `insert_ratio` is how many times
    as long inserting rows into a table with this index alone takes, None where that couldn't be measured.
    """

    sql: str
    table: str
    columns: tuple[str, ...]
    helps: tuple[tuple[str, Ratio], ...]
    saved: float
    size: int
    insert_ratio: float | None

    def as_json(self) -> dict[str, Any]:
        """The suggestion as JSON values."""
        return {
            "sql": self.sql,
            "table": self.table,
            "columns": list(self.columns),
            "seconds_saved": self.saved,
            "bytes": self.size,
            "insert_ratio": self.insert_ratio,
            "helps": [{"sql": q, "times_faster": r.value, "at_least": r.low} for q, r in self.helps],
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """Suggestions in the order of their use. `seconds` is one run of all queries as things are.

    `tried` counts the candidates, `skipped` the queries that can't be run, with why; `complete` says whether
    the budget sufficed for all candidates.
    """

    suggestions: tuple[Suggestion, ...]
    queries: int
    seconds: float
    tried: int
    skipped: tuple[tuple[str, str], ...] = ()
    complete: bool = True

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "queries": self.queries,
            "seconds": self.seconds,
            "suggestions": [s.as_json() for s in self.suggestions],
            "tried": self.tried,
            "skipped": [{"sql": sql, "why": why} for sql, why in self.skipped],
            "complete": self.complete,
        }


def suggest_indexes(
    database: Database, queries: Sequence[str], *, most: int = 5, seconds: float = 30.0, budget: float = 120.0
) -> Advice:
    """Find up to `most` indexes that make these queries faster, each measured on a copy of the file.

    Candidates come from conditions, joins, groups and orders, of up to three columns. Each round takes the
    one that saves most time over all queries, while it makes one of them at least 1.1 times as fast by the
    95 % interval. `seconds` bounds each query, `budget` about all measuring. Raises `DatabaseError` for a
    database on a server: nothing can be tried there without changing it.
    """
    with ExitStack() as stack:
        before = stack.enter_context(working_copy(database))
        after = stack.enter_context(working_copy(database))
        times, skipped = _times(before.database, queries, seconds)
        trial = _Trial(database, before, after, times, time.monotonic() + budget)
        left = list(dict.fromkeys(i for sql in times for i in candidates(sql, database.schema)))
        tried, total = len(left), sum(times.values())
        found: list[Suggestion] = []
        while left and len(found) < most and not trial.is_over:
            measured = {index: gain for index in left if (gain := trial.gain(index))}
            if not measured:
                break
            best = max(measured, key=lambda index: measured[index].saved)
            found.append(trial.take(best, measured[best]))
            left = [i for i in measured if i != best]
        return Advice(tuple(found), len(times), total, tried, tuple(skipped), complete=not trial.is_over)


def _times(
    database: Database, queries: Sequence[str], seconds: float
) -> tuple[dict[str, float], list[tuple[str, str]]]:
    """Seconds of each query, and those that don't run."""
    times: dict[str, float] = {}
    skipped = []
    for sql in dict.fromkeys(map(without_semicolon, queries)):
        try:
            times[sql] = min(fingerprint(database, sql, seconds).seconds for _ in range(2))
        except QueryError as error:
            skipped.append((sql, str(error)))
    return times, skipped


@dataclass(frozen=True, slots=True)
class _Gain:
    saved: float
    helps: tuple[tuple[str, Ratio], ...]


@dataclass(slots=True)
class _Trial:
    """Two copies that differ by one index at a time."""

    original: Database
    before: WorkingCopy
    after: WorkingCopy
    times: dict[str, float]
    until: float

    @property
    def is_over(self) -> bool:
        """True if the budget is spent."""
        return time.monotonic() > self.until

    @property
    def _dialect(self) -> str:
        return self.original.dialect

    def gain(self, index: Index) -> _Gain | None:
        """Measure an index over all queries; None where it makes none measurably faster."""
        if self.is_over:
            return None
        try:
            self.after.execute(index.create(self._dialect))
        except DatabaseError:  # an index of that name is there, or the engine can't index such a column
            return None
        try:
            ratios = [(sql, self._ratio(sql)) for sql in self.times if self._is_used(sql, index)]
        finally:
            self.after.execute(index.drop(self._dialect))
        helps = tuple((sql, ratio) for sql, ratio in ratios if ratio.low > LEAST_GAIN)
        saved = sum(self.times[sql] * (1 - 1 / ratio.value) for sql, ratio in ratios)
        return _Gain(saved, helps) if helps and saved > 0 else None

    def _is_used(self, sql: str, index: Index) -> bool:
        if index not in candidates(sql, self.original.schema):
            return False
        if self._dialect != "sqlite":
            return True
        plan = self.after.database.run(f"EXPLAIN QUERY PLAN {sql}").rows
        return any(index.name in str(row[-1]) for row in plan)

    def _ratio(self, sql: str) -> Ratio:
        new, old = self.after.database, self.before.database
        clock = clock_for(old)
        left = max(self.until - time.monotonic(), 0.0)
        rounds = min(_ROUNDS, max(LEAST_ROUNDS, int(left / (4 * self.times[sql]))))
        return compare_times(
            lambda: seconds_of(new, sql, clock), lambda: seconds_of(old, sql, clock), most=rounds
        )

    def take(self, index: Index, gain: _Gain) -> Suggestion:
        """Make the index in both copies, so that the next one is measured beside it."""
        size = self.before.bytes_used()
        for copy in (self.before, self.after):
            copy.execute(index.create(self._dialect))
        size = self.before.bytes_used() - size
        for sql, ratio in gain.helps:
            self.times[sql] /= ratio.value
        return Suggestion(
            index.create(self._dialect), index.table, index.columns, gain.helps, gain.saved, size,
            self._insert_ratio(index),
        )  # fmt: skip

    def _insert_ratio(self, index: Index) -> float | None:
        """Inserting the same rows into an empty table of this shape with the index, and without."""
        source = self.original.identifier(index.table)
        plain, indexed = "fathom_plain", "fathom_indexed"
        made = Index(indexed, index.columns)
        try:
            self.after.execute(
                f"CREATE TABLE {plain} AS SELECT * FROM {source} LIMIT 0",
                f"CREATE TABLE {indexed} AS SELECT * FROM {source} LIMIT 0",
                made.create(self._dialect),
            )
            return compare_times(
                lambda: self._insert(plain, source), lambda: self._insert(indexed, source), most=_INSERTS
            ).value
        except DatabaseError:
            return None
        finally:
            self.after.execute(f"DROP TABLE IF EXISTS {indexed}", f"DROP TABLE IF EXISTS {plain}")

    def _insert(self, table: str, source: str) -> float:
        self.after.execute(f"DELETE FROM {table}")
        started = time.perf_counter()
        self.after.execute(f"INSERT INTO {table} SELECT * FROM {source} LIMIT {_WRITTEN_ROWS}")
        return time.perf_counter() - started
