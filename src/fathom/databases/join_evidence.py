"""Evidence for joins from a database's values, asked within the time there is."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

from fathom.databases.engine import Read
from fathom.errors import QueryError
from fathom.records import Table

_PROBED_ROWS = 2_000
_PROBED_VALUES = 200
_UNIQUE_UP_TO_ROWS = 300_000
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def side_by_side(work: Callable[[Item], Outcome], items: Sequence[Item], at_once: int) -> list[Outcome]:
    """The outcome of work on each item, in their order; so much of it at once."""
    if at_once == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(at_once, "joins") as pool:
        # In the context of who asks: whoever cancels the question ends these queries too.
        return [one.result() for one in [pool.submit(copy_context().run, work, item) for item in items]]


@dataclass(slots=True)
class Prober:
    """Asks the database about values, until and each for so many seconds; what can't be known is None."""

    read: Read
    identifiers: Mapping[str, str]
    quote: Callable[[str], str]
    until: float
    each: float
    _unique: dict[tuple[str, str], bool] = field(default_factory=dict)

    def share_found(
        self,
        child: Table,
        column: str,
        parent: Table,
        target: str,
        least: int = 1,
        *,
        above_zero: bool = False,
    ) -> float | None:
        """The share of the child's values that the parent has; None where there are too few, or no time.

        `above_zero` leaves numbers out that often stand for none.
        """
        value, key = self.quote(column), self.quote(target)
        kept = f" AND c.{value} > 0" if above_zero else ""
        sql = (
            "SELECT count(*), sum(CASE WHEN EXISTS"
            f" (SELECT 1 FROM {self.identifiers[parent.name]} p WHERE p.{key} = s.v) THEN 1 ELSE 0 END)"
            f" FROM (SELECT DISTINCT f.v FROM (SELECT c.{value} AS v FROM {self.identifiers[child.name]} c"
            f" WHERE c.{value} IS NOT NULL{kept} LIMIT {_PROBED_ROWS}) f LIMIT {_PROBED_VALUES}) s"
        )
        row = self._ask(sql)
        return None if row is None or row[0] < least else float(row[1]) / row[0]

    def is_unique(self, table: Table, column: str) -> bool:
        """True if no two rows share a value; False where the table is too big to see."""
        known = self._unique.get((table.name, column))
        if known is not None:
            return known
        unique = table.row_count == 0  # nothing speaks against it
        if table.row_count and table.row_count <= _UNIQUE_UP_TO_ROWS:
            name = self.quote(column)
            row = self._ask(
                f"SELECT count(*), count({name}), count(DISTINCT {name}) FROM {self.identifiers[table.name]}"
            )
            unique = row is not None and row[0] == row[1] == row[2]
        self._unique[table.name, column] = unique
        return unique

    def _ask(self, sql: str) -> tuple[int, ...] | None:
        left = self.until - time.monotonic()
        if left > 0:
            with suppress(QueryError):
                return self.read(sql, min(left, self.each))[0]
        return None
