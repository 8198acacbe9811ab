"""What Fathom asks of a database engine. One module per engine answers; nothing else knows its driver."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from threading import Lock, Timer
from typing import Any, ClassVar, Protocol

from fathom.errors import ErrorClass, QueryError, QueryFailed, QueryRefused, QueryTimedOut, SchemaError
from fathom.records import ForeignKey, Limits, Table

Row = tuple[Any, ...]


class Read(Protocol):
    """Runs one of our own queries."""

    def __call__(self, sql: str, seconds: float | None = None, /) -> list[Row]:
        """Its rows, within seconds if given. Raises `QueryError`."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """What a database declares. `identifiers` maps each table's name to its quoted form in SQL."""

    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...]
    identifiers: Mapping[str, str]


class Session(ABC):
    """One open, read-only connection, used by one thread at a time."""

    @abstractmethod
    def execute(self, sql: str, limits: Limits) -> tuple[str, ...] | None:
        """Start a query under a deadline; its column names, or None where the statement gives no rows."""

    @abstractmethod
    def fetch(self, count: int) -> list[Row]:
        """At most `count` more rows; none when all have been given."""

    @abstractmethod
    def finish(self, *, complete: bool) -> bool:
        """End the query, stopping the engine where rows are left. Whether the session can be used again."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


class Engine(ABC):
    """One database as its engine sees it. `gaps` names what the engine can't do, and why."""

    dialect: ClassVar[str]
    gaps: ClassVar[Mapping[str, str]] = {}
    rows_at_once: ClassVar[int] = 64
    errors: tuple[type[Exception], ...]
    file: Path | None = None

    @abstractmethod
    def open(self) -> Session:
        """A new session. Raises `ConnectionFailed`."""

    @abstractmethod
    def reflect(self, read: Read) -> Reflection:
        """Tables, views and declared keys, by queries through `read` or the engine's own catalogue."""

    @abstractmethod
    def classify(self, error: Exception) -> ErrorClass | None:
        """The class of a driver's error; None where the engine refused a statement that isn't reading."""

    @abstractmethod
    def state(self) -> str:
        """A mark that changes when the data may have: kept with what is cached; "" where nothing tells."""

    def is_lost(self, error: Exception) -> bool:
        """Whether the error says that the connection broke, so that a new one may serve."""
        return False

    def check(self, sql: str) -> None:
        """Raise `QueryRefused` unless the SQL is one statement that only reads."""
        # sqlglot is slow to import, so the guard is too
        import_module("fathom.databases.guard").check(sql, self.dialect)

    def quote(self, name: str) -> str:
        """The name as an SQL identifier."""
        return double_quoted(name)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        """The FROM item that gives about `count` rows, spread over a big table where the engine can."""
        return identifier

    def close(self) -> None:  # noqa: B027, most engines share nothing
        """Release what sessions share."""

    def translate(self, error: Exception, sql: str, limits: Limits) -> QueryError:
        """The error that callers see, with the engine's own message."""
        kind, message = self.classify(error), message_of(error)
        if kind is None:
            return QueryRefused("read_only", f"the database is open for reading only ({message})", sql=sql)
        if kind is ErrorClass.TIMEOUT and (limits.seconds is not None or limits.steps):
            return QueryTimedOut(limits.seconds, sql=sql, steps=limits.steps)
        return QueryFailed(message, sql=sql, error_class=kind)


class Deadline:
    """Calls `stop` from another thread after some seconds, unless the query has ended by then."""

    def __init__(self, seconds: float | None, stop: Callable[[], None]) -> None:
        self._stop, self._lock, self._over = stop, Lock(), False
        self._timer = Timer(seconds, self._fire) if seconds is not None else None
        if self._timer:
            self._timer.daemon = True
            self._timer.start()

    def _fire(self) -> None:
        with self._lock:
            if not self._over:
                self._stop()

    def end(self) -> None:
        """The query has ended: `stop` won't be called any more once this returns."""
        with self._lock:
            self._over = True
        if self._timer:
            self._timer.cancel()


def message_of(error: Exception) -> str:
    """The driver's message on one line, without the excerpt of the query that some add."""
    has_code = len(error.args) == 2 and isinstance(error.args[0], int)
    text = str(error.args[1] if has_code else error)
    return " ".join(text.split("\nLINE ", maxsplit=1)[0].split())


def double_quoted(name: str) -> str:
    """The name as a standard SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def tidy_keys(tables: Iterable[Table], keys: Iterable[ForeignKey]) -> tuple[ForeignKey, ...]:
    """The keys that hold: in the tables' own spelling, without those to tables or columns that aren't there.

    A key that names no target columns means the target's primary key.
    """
    by_name = {t.name.casefold(): t for t in tables}
    kept: dict[ForeignKey, None] = {}
    for key in keys:
        table, target = by_name.get(key.table.casefold()), by_name.get(key.target_table.casefold())
        if table is None or target is None:
            continue
        with suppress(SchemaError):
            columns = tuple(table.column(c).name for c in key.columns)
            targets = tuple(target.column(c).name for c in key.target_columns or target.primary_key)
            if len(columns) == len(targets):
                kept[
                    replace(
                        key,
                        table=table.name,
                        columns=columns,
                        target_table=target.name,
                        target_columns=targets,
                    )
                ] = None
    return tuple(kept)
