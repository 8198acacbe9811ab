"""Where queries of annotators run: on a project's databases, and on changed copies of them."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import RLock
from typing import Self

from fathom.authoring.annotation.records import Execution, Project
from fathom.authoring.annotation.responses import SHOWN_ROWS
from fathom.config import Settings
from fathom.databases import Database, connect
from fathom.databases.changed_copies import changed_copies
from fathom.errors import DatabaseError, QueryError, UnknownName
from fathom.evaluation.comparisons import ComparedTable
from fathom.evaluation.comparisons.digests import digest, plain
from fathom.evaluation.scoring.judge import fetch
from fathom.evaluation.timing import LEAST_ROUNDS, MOST_ROUNDS, time_ratio
from fathom.records import Limits

SECONDS = 30.0
"""The time limit of one query, in seconds."""
_PREVIEW_BYTES = 1_000_000
_TIMING_SECONDS = 10.0
"""About how long it may take to tell which of two queries is faster."""
_WRAP = (1 << 128) - 1


@dataclass(frozen=True, slots=True)
class RanQuery:
    """A query as it ran on one database: its rows, or why there are none."""

    sql: str
    copy: int
    table: ComparedTable | None
    error: str
    seconds: float

    @property
    def is_empty(self) -> bool:
        """True if it gave no rows, or no value in any."""
        return self.table is not None and all(cell is None for row in self.table.held for cell in row)

    def as_execution(self, part: int, state: str) -> Execution:
        """The record of this run."""
        table = self.table
        held = [] if table is None else table.held
        bag = sum(digest(map(plain, row)) for row in held) & _WRAP
        return Execution(
            part, self.copy, self.sql, () if table is None else table.columns,
            tuple(map(tuple, held[:SHOWN_ROWS])), None if table is None else len(held),
            f"{bag:032x}" if table is not None else "", self.error, self.seconds,
            table is not None and not table.complete, state,
        )  # fmt: skip


class Workbench:
    """Opens the projects' databases when first needed, and keeps them open. Safe to use from threads."""

    def __init__(self, settings: Settings, *, seconds: float = SECONDS) -> None:
        self._settings, self._seconds = settings, seconds
        self._databases: dict[str, Database] = {}
        self._copies: dict[tuple[str, str], tuple[Database, ...]] = {}
        self._lock = RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every database."""
        with self._lock:
            for database in (*self._databases.values(), *(c for cs in self._copies.values() for c in cs)):
                database.close()
            self._databases.clear()
            self._copies.clear()

    def database(self, project: Project, name: str) -> Database:
        """One of a project's databases. Raises `UnknownName`, `ConnectionFailed`."""
        if name not in project.databases:
            raise UnknownName("database", name, project.databases)
        address = project.databases[name]
        with self._lock:
            if address not in self._databases:
                self._databases[address] = connect(address, settings=self._settings)
            return self._databases[address]

    def copies(self, database: Database) -> tuple[Database, ...]:
        """The changed copies of a database as it is now, made where there are none; none of a server's."""
        key = (database.url, database.state())
        with self._lock:
            if key not in self._copies:
                opened: tuple[Database, ...] = ()
                # Where no copy can be made, agreement rests on the database alone, and the figures say so.
                with suppress(DatabaseError, OSError):
                    files = changed_copies(database, self._settings.cache / "changed-copies")
                    opened = tuple(connect(file) for file in files)
                self._copies[key] = opened
            return self._copies[key]

    def prepare(self, project: Project) -> None:
        """Open the databases of a project and make the copies. Raises `ConnectionFailed`."""
        for name in project.databases:
            self.copies(self.database(project, name))

    def preview(self, project: Project, name: str, queries: Sequence[str]) -> list[Execution]:
        """Run queries as their author sees them: the first rows, or the error, which is nothing unusual.

        Raises `UnknownName`, `ConnectionFailed`.
        """
        database = self.database(project, name)
        limits = Limits(self._seconds, SHOWN_ROWS, _PREVIEW_BYTES)
        found, state = [], database.state()
        for part, sql in enumerate(queries):
            started = time.perf_counter()
            try:
                result = database.run(sql, limits)
            except QueryError as error:
                spent = time.perf_counter() - started
                found.append(Execution(part, 0, sql, (), (), None, "", str(error), spent, False, state))
                continue
            found.append(
                Execution(
                    part, 0, sql, result.columns, result.rows, len(result.rows), "", "", result.seconds,
                    result.truncated is not None, state,
                )
            )  # fmt: skip
        return found

    def ran(self, database: Database, sql: str, copy: int = 0) -> RanQuery:
        """Run a query whole."""
        started = time.perf_counter()
        try:
            table = fetch(database, sql, self._seconds)
        except QueryError as error:
            return RanQuery(sql, copy, None, str(error), time.perf_counter() - started)
        return RanQuery(sql, copy, table, "", time.perf_counter() - started)

    def everywhere(self, database: Database, sql: str) -> list[RanQuery]:
        """Run a query on the database, and where it ran on each changed copy."""
        first = self.ran(database, sql)
        if first.table is None:
            return [first]
        copies = enumerate(self.copies(database), start=1)
        return [first, *(self.ran(copy, sql, number) for number, copy in copies)]

    def is_faster(self, database: Database, sql: str, other: str) -> tuple[bool, float]:
        """Time a query and an equal one in interleaved runs: is the first faster, and how many times as
        fast?

        Raises `QueryError`.
        """
        once = [self.ran(database, text).seconds for text in (sql, other)]
        rounds = int(_TIMING_SECONDS / max(sum(once), 1e-6))
        most = max(LEAST_ROUNDS, min(MOST_ROUNDS, rounds))
        ratio = time_ratio(database, sql, other, most=most)
        return ratio.value > 1, ratio.value
