"""Equality of two queries' results: every value with its type, read row by row and never held."""

import time
from dataclasses import dataclass
from itertools import chain

from fathom.databases import Database
from fathom.evaluation.comparisons.digests import digest
from fathom.records import Limits

_WRAP = (1 << 128) - 1
_STEP = 1_000_003


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The result of one run of a query. `bag` is the same for the same rows in any order, `listed` in
    this."""

    columns: tuple[str, ...]
    rows: int
    bag: int
    listed: int
    seconds: float

    def differs(self, other: "Fingerprint", *, ordered: bool) -> str:
        """In what the results differ, for people; empty where they are equal."""
        if _folded(self.columns) != _folded(other.columns):
            return f"columns {', '.join(other.columns)} instead of {', '.join(self.columns)}"
        if self.rows != other.rows:
            return f"{other.rows:,} rows instead of {self.rows:,}"
        if self.bag != other.bag:
            return "other values"
        return "another order of rows" if ordered and self.listed != other.listed else ""


def fingerprint(database: Database, sql: str, seconds: float | None) -> Fingerprint:
    """Run a query that only reads, within `seconds`. Raises `QueryError`, also for what the guard refuses."""
    started = time.perf_counter()
    rows = bag = listed = 0
    with database.stream(sql, Limits(seconds, None, None)) as batches:
        for row in chain.from_iterable(batches):
            found = digest(row)
            rows, bag, listed = rows + 1, (bag + found) & _WRAP, (listed * _STEP + found) & _WRAP
    return Fingerprint(batches.columns, rows, bag, listed, time.perf_counter() - started)


def _folded(names: tuple[str, ...]) -> list[str]:
    """An expression's name is its text, which writers of SQL space and spell differently."""
    return ["".join(name.split()).casefold() for name in names]
