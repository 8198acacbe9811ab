"""SQLite: the standard library's driver, with SQLite's own parser judging what each statement may do."""

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote as quote_path

from fathom.databases.contained import contained
from fathom.databases.engine import (
    LOCK_SECONDS,
    Engine,
    Mark,
    Read,
    Reflection,
    Row,
    Session,
    double_quoted,
    percent_of,
)
from fathom.databases.freshness import file_state
from fathom.databases.guard_sqlite import UNMEASURED, Authorizer, statement_reason
from fathom.databases.readable import readable
from fathom.databases.sqlite_catalogue import SQLiteCatalogue
from fathom.errors import ConnectionFailed, ErrorClass, QueryError, QueryFailed, QueryRefused
from fathom.records import Limits, Table

_STEPS_PER_CHECK = 10_000
_RTREES = """SELECT name FROM sqlite_master WHERE type = 'table'
AND sql LIKE 'create virtual table%' AND (sql LIKE '%using%rtree%' OR sql LIKE '%using%geopoly%')"""
_PRIME = 2_654_435_761
"""Larger than any step between sampled rows, so that its multiples go through all places of a step."""
_LONGEST_PATTERN = 200  # bytes of LIKE and GLOB, inside which SQLite can't be stopped
_LONGEST_VALUE = 1_000_000_000
_MEMORY = 1_000_000_000  # bytes, of all SQLite connections in the process: SQLite knows no smaller bound


class SQLiteSession(Session):
    """One connection: `mode=ro`, `query_only`, nothing attached, and a judge of every statement."""

    grace = 0.9  # as of a child process that it may work in

    def __init__(self, path: Path) -> None:
        self._connection = _open(path)
        self._authorizer = Authorizer()
        self._rows: Iterator[Row] = iter(())
        self._sql, self._given = "", 0
        self._deadline = self._steps_left = math.inf
        self._stopped = False
        self._connection.set_authorizer(self._authorizer)
        self._connection.set_progress_handler(self._is_over, _STEPS_PER_CHECK)

    def begin(self, limits: Limits) -> None:
        self._deadline = math.inf if limits.seconds is None else time.monotonic() + limits.seconds
        self._steps_left = math.inf if limits.steps is None else limits.steps
        self._stopped = False
        longest = min(limits.bytes or _LONGEST_VALUE, _LONGEST_VALUE)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def seconds(self, limits: Limits) -> float | None:
        """A few steps on giant values take longer than many on others, so steps alone don't tell the time.

        Where they are limited, the same query has to stop at the same place every time.
        """
        return limits.seconds if limits.steps is None else None

    def execute(self, sql: str) -> tuple[str, ...] | None:
        try:
            cursor = self._judged(sql)
        except sqlite3.DatabaseError as error:
            if refusal := self._authorizer.refusal:
                raise QueryRefused(refusal.rule, refusal.text, sql=sql) from error
            self._raise_if_stopped_by_hand(error)
            raise
        if cursor.description is None:
            return None
        self._rows, self._sql, self._given = cursor, sql, 0
        return tuple(d[0] for d in cursor.description)

    def _judged(self, sql: str) -> sqlite3.Cursor:
        self._authorizer.begin()
        try:
            return self._connection.execute(sql)
        except sqlite3.DatabaseError:
            if self._authorizer.refusal is not UNMEASURED:
                raise
        from fathom.databases.guard import check_size  # noqa: PLC0415, few queries need a parser

        check_size(sql, "sqlite")
        self._authorizer.begin(sizes_known=True)
        return self._connection.execute(sql)

    def fetch(self, count: int) -> list[Row]:
        try:
            rows = list(islice(self._rows, count))
        except sqlite3.OperationalError as error:
            self._raise_if_stopped_by_hand(error)
            if "Could not decode" not in str(error):
                raise
            self._run_again_reading_any_text()
            rows = list(islice(self._rows, count))
        self._given += len(rows)
        return rows

    def finish(self, *, complete: bool) -> bool:
        self._rows = iter(())
        return True

    def close(self) -> None:
        self._rows = iter(())
        self._connection.close()

    def interrupt(self) -> None:
        self._stopped = True
        self._connection.interrupt()

    def _is_over(self) -> bool:
        self._steps_left -= _STEPS_PER_CHECK
        self._stopped |= self._steps_left < 0 or time.monotonic() > self._deadline
        return self._stopped

    def _raise_if_stopped_by_hand(self, error: sqlite3.Error) -> None:
        # Ctrl-C lands inside the progress handler, where the driver swallows it and stops the query.
        if "interrupted" in str(error) and not self._stopped:
            raise KeyboardInterrupt from error

    def _run_again_reading_any_text(self) -> None:
        """After the first text that isn't UTF-8; the driver's own decoder is fast, so it is tried first."""
        self._connection.text_factory = readable
        self._rows = islice(self._connection.execute(self._sql), self._given, None)


def _open(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote_path(str(path.resolve()))}?mode=ro"
    try:
        return _prepare(uri)
    except sqlite3.OperationalError as error:
        # A database in WAL mode on a read-only medium opens only as immutable.
        if "unable to open" not in str(error):
            raise ConnectionFailed(f"SQLite can't open {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise ConnectionFailed(f"SQLite can't read {path}: {error}") from error
    try:
        return _prepare(uri + "&immutable=1")
    except sqlite3.DatabaseError as error:
        raise ConnectionFailed(f"SQLite can't open {path}: {error}") from error


def _prepare(uri: str) -> sqlite3.Connection:
    # Without cached statements every run of a statement is judged anew.
    connection = sqlite3.connect(
        uri,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=0,
        timeout=LOCK_SECONDS,
    )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _LONGEST_PATTERN)
        for pragma in (
            "query_only=on",
            "trusted_schema=off",
            "cache_size=-32000",
            f"hard_heap_limit={_MEMORY}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        _open_rtrees(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_rtrees(connection: sqlite3.Connection) -> None:
    """R-trees prepare writes of their own when they are opened, which the authorizer would refuse."""
    for (name,) in connection.execute(_RTREES).fetchall():
        with suppress(sqlite3.DatabaseError):  # a broken one concerns only those who ask for it
            connection.execute(f"SELECT 1 FROM {double_quoted(name)} LIMIT 0")


class SQLite(Engine):
    """A SQLite file."""

    dialect = "sqlite"
    gaps: ClassVar = {"comments": "SQLite keeps no comments on tables or columns."}
    rows_at_once = 16  # a row may hold a value as long as the limit of bytes
    errors = (sqlite3.Error, sqlite3.Warning, MemoryError)

    def __init__(self, path: Path) -> None:
        self._path = self.file = path
        self._by_rowid: frozenset[str] = frozenset()

    def open(self) -> Session:
        return SQLiteSession(self._path)

    def contained(self) -> Engine:
        return contained(self, self._path)

    def check(self, sql: str, read: Read) -> None:
        """Little: the authorizer judges what SQLite's own parser finds, when it compiles the statement."""
        if reason := statement_reason(sql):
            raise QueryRefused(reason.rule, reason.text, sql=sql)

    def mark(self, read: Read) -> Mark:
        log = self._path.with_name(self._path.name + "-wal")
        written = file_state(log) if log.exists() else None
        # To open a database makes an empty log.
        return Mark((file_state(self._path), written if written and written.size else None))

    def renewed(self) -> Engine:
        return SQLite(self._path)

    def state(self) -> str:
        stats = [p.stat() for p in (self._path, self._path.with_name(self._path.name + "-wal")) if p.exists()]
        return " ".join(f"{s.st_size}.{s.st_mtime_ns}" for s in stats)

    def classify(self, error: Exception) -> ErrorClass | None:
        text = str(error)
        if "interrupted" in text:
            return ErrorClass.TIMEOUT
        if "no such table" in text or "no such column" in text:
            return ErrorClass.NO_SUCH_NAME
        if "no such function" in text:
            return ErrorClass.NO_SUCH_FUNCTION
        if "syntax error" in text or "incomplete input" in text or "unrecognized token" in text:
            return ErrorClass.SYNTAX
        return ErrorClass.OTHER

    def translate(self, error: Exception, sql: str, limits: Limits) -> QueryError:
        if "one statement at a time" in str(error):
            return QueryRefused("statements", "there is more than one statement; only one is run.", sql=sql)
        if isinstance(error, MemoryError):
            return QueryFailed(
                f"It needs more than the {_MEMORY / 1e9:g} GB of memory that SQLite may take.", sql=sql
            )
        return super().translate(error, sql, limits)

    def reflect(self, read: Read) -> Reflection:
        catalogue = SQLiteCatalogue(read)
        self._by_rowid = catalogue.by_rowid
        return catalogue.reflection()

    def sample(self, identifier: str, table: Table, count: int) -> str:
        """One row of each of even steps of the rowid, which SQLite finds without reading those between.

        At another place in every step: what repeats at a divisor of the step would always be met alike.
        """
        if table.name not in self._by_rowid or percent_of(table, count) is None:
            return identifier
        return (
            "(WITH RECURSIVE step(n) AS"
            f" (SELECT (max(rowid) - min(rowid)) / {count} + 1 FROM {identifier}),"
            f" pick(k, id, last) AS (SELECT 0, min(rowid), max(rowid) FROM {identifier}"
            " UNION ALL SELECT k + 1, id + n, last FROM pick, step WHERE id + n <= last)"
            f" SELECT t.* FROM pick CROSS JOIN step CROSS JOIN {identifier} t"
            f" ON t.rowid = pick.id + pick.k * {_PRIME} % step.n)"
        )
