"""The interface of a database engine. One module per engine implements it; nothing else knows its driver."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from fathom.databases.accounts import AccountRisk
from fathom.errors import ErrorClass, QueryError, QueryFailed, QueryRefused, QueryTimedOut, SchemaError
from fathom.processes.inside import give_up
from fathom.records import ForeignKey, Limits, Table

Row = tuple[Any, ...]
LOCK_SECONDS = 5
"""How long a query without a limit of time waits for what another session has locked."""
_SECONDS_TO_COUNT = 5.0
_NOT_AGAIN = "It wasn't sent a second time, in case it was the cause."


class Read(Protocol):
    """Runs one of our own queries."""

    def __call__(self, sql: str, seconds: float | None = None, /) -> list[Row]:
        """Its rows, within seconds if given. Raises `QueryError`."""


@dataclass(frozen=True, slots=True)
class Reflection:
    """The declarations of a database. `identifiers` maps each table's name to its quoted form in SQL."""

    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...]
    identifiers: Mapping[str, str]


class Mark(NamedTuple):
    """The looks of a database from far off: `shape` changes with tables and files, `data` with values."""

    shape: object
    data: object = None


class Session(ABC):
    """One open, read-only connection, used by one thread at a time but for `interrupt` and `abandon`.

    `grace` are the seconds that the engine has to stop when asked to, before `abandon`. A `contained` session
    works in a child process, which `abandon` kills: it gives rows up to the limits alone, tells the bytes of
    those fetched last and in the end what cut them, and a stop that comes late stops no other query.
    """

    grace: ClassVar[float] = 2.0
    contained: ClassVar[bool] = False
    last_size = 0
    truncated: Literal["rows", "bytes"] | None = None
    processor_seconds: float | None = None
    bytes_read: int | None = None
    """Of the query that ended last, where the engine tells."""

    @abstractmethod
    def begin(self, limits: Limits) -> None:
        """Get ready for a query within limits. Where the connection broke before, this tells."""

    @abstractmethod
    def execute(self, sql: str) -> tuple[str, ...] | None:
        """Start a query; its column names, or None where the statement gives no rows."""

    @abstractmethod
    def fetch(self, count: int) -> list[Row]:
        """At most `count` more rows; none when all have been given."""

    @abstractmethod
    def finish(self, *, complete: bool) -> bool:
        """End the query, stopping the engine where rows are left. Whether the session can be used again."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def interrupt(self) -> None:
        """From another thread: ask the engine to stop the query; this may take a few seconds."""

    def abandon(self) -> None:
        """From another thread: cut the connection, so that whoever waits for the query is let go.

        What works in this very process can't be left behind; it ends with the process, if that is a child.
        """
        give_up()

    def seconds(self, limits: Limits) -> float | None:
        """After how many seconds `interrupt` is to be called; None where the session minds the time."""
        return limits.seconds


class ActingSession(Session):
    """A session of an engine whose queries can be run with the rights of one of the database's own roles."""

    @abstractmethod
    def act_as(self, role: str) -> None:
        """Run the query that was begun with the rights of a role."""


class Engine(ABC):
    """One database as its engine sees it. `gaps` names what the engine can't do, and why."""

    dialect: ClassVar[str]
    gaps: ClassVar[Mapping[str, str]] = {}
    latency: ClassVar[float] = 0.0
    """Seconds that even the smallest query may take: warehouses plan and queue for a while."""
    is_new: ClassVar[bool] = False
    """True if people ask it as soon as they have it, so that its first question may not wait for long."""
    takes_roles: ClassVar[bool] = False
    role_asked: ClassVar[str] = "SELECT current_user"
    """A query for the role that another one would run as."""
    """True if its sessions are `ActingSession`s."""
    tells_size: ClassVar[bool] = False
    """True if the engine tells what a query would read before it runs."""
    sizes_itself: ClassVar[bool] = False
    """True if its sessions ask for the size of each query themselves, and keep to the budget."""
    budget: int | None = None
    """The most bytes that a query may read, where the engine `tells_size` and can't hold to it by itself."""
    rows_at_once: ClassVar[int] = 64
    probing_seconds: ClassVar[tuple[float, float]] = (3.0, 0.5)
    """How long questions about joins that aren't declared may take: all of them, and one."""
    errors: tuple[type[Exception], ...]
    fatal: tuple[type[Exception], ...] = (MemoryError,)
    """Errors after which the engine's process is no good any more."""
    file: Path | None = None
    remarks: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Remarks on what reading files of rows left out or guessed, by table; "" for those on no table."""

    @abstractmethod
    def open(self) -> Session:
        """A new session. Raises `ConnectionFailed`."""

    @abstractmethod
    def reflect(self, read: Read) -> Reflection:
        """Tables, views and declared keys, by queries through `read` or the engine's own catalogue."""

    @abstractmethod
    def classify(self, error: Exception) -> ErrorClass | None:
        """The class of a driver's error; None where the engine refused a statement that isn't reading."""

    mark_seconds: ClassVar[float] = 0.0
    """How long a mark that was asked for serves: a server isn't asked before each question."""
    contained_only: bool = False
    """True if this process can't open the database any more, and children have to."""

    opened_mark: Mark | None = None
    """The mark of what was opened, where opening takes so long that it may have changed meanwhile."""

    def mark(self, read: Read) -> Mark | None:
        """A mark that changes with the tables and the data, for little; None where nothing tells.

        Raises `ConnectionFailed` where a file is gone, and `QueryError`.
        """
        return None

    def renewed(self) -> "Engine":
        """An engine of the database as it is by now. Raises `ConnectionFailed`."""
        return self

    @abstractmethod
    def state(self) -> str:
        """A mark that changes when the data may have: kept with what is cached; "" where nothing tells."""

    def is_lost(self, error: Exception) -> bool:
        """True if the error says that the connection broke, so that a new one may serve."""
        return False

    def contained(self) -> "Engine":
        """The engine as SQL from outside has to meet it: in a process of its own, where it works in ours."""
        return self

    def prepare(self) -> None:  # noqa: B027, connections are quick
        """A query comes: begin what `open` would have to wait for."""

    def check(self, sql: str, read: Read) -> None:
        """Raise `QueryRefused` unless the SQL is one statement that only reads."""
        # sqlglot is slow to import, so the guard is too
        import_module("fathom.databases.guard").check(sql, self.dialect, self.catalogue(read))

    def catalogue(self, read: Read) -> Any:
        """For the guard, where an engine takes `a.f` for `f(a)`: what the database says of its names."""
        return None

    def account(self) -> str:
        """The account that queries run as; "" where an engine knows none."""
        return ""

    def account_risks(self, read: Read) -> tuple[AccountRisk, ...]:
        """List the account's rights beside reading, and those that can't be seen.

        Raises `QueryError` where that can't be asked.
        """
        return ()

    def estimate(self, sql: str, read: Read) -> int | None:
        """The bytes that a query would read, told without running it, where the engine `tells_size`.

        None where it doesn't know them of this query.
        """
        return None

    def quote(self, name: str) -> str:
        """The name as an SQL identifier."""
        return double_quoted(name)

    def sample(self, identifier: str, table: Table, count: int) -> str:
        """The FROM item that gives about `count` rows, spread over a big table where the engine can."""
        return identifier

    def common_texts(self, read: Read, table: Table) -> Mapping[str, Mapping[str, float]]:
        """By column, texts that the statistics call common, with their shares of the rows; {} for none."""
        return {}

    def close(self) -> None:  # noqa: B027, most engines share nothing
        """Release what sessions share."""

    def message(self, error: Exception) -> str:
        """Give a driver's error as text on one line."""
        return message_of(error)

    def translate(self, error: Exception, sql: str, limits: Limits) -> QueryError:
        """The error that callers see, with the engine's own message."""
        kind, message = self.classify(error), self.message(error)
        if self.is_lost(error):
            return QueryFailed(f"The connection broke while the query ran ({message}). {_NOT_AGAIN}", sql=sql)
        if kind is None:
            return QueryRefused("read_only", f"the database is open for reading only ({message})", sql=sql)
        if kind is ErrorClass.TIMEOUT and (limits.seconds is not None or limits.steps):
            return QueryTimedOut(limits.seconds, sql=sql, steps=limits.steps)
        return QueryFailed(message, sql=sql, error_class=kind)


def counted(read: Read, sql: str) -> int | None:
    """The one number that the query gives; None for a table that is locked, big or may not be read."""
    try:
        rows: int = read(sql, _SECONDS_TO_COUNT)[0][0]
    except QueryError:
        return None
    return rows


def percent_of(table: Table, count: int) -> float | None:
    """How much of a big table gives `count` rows; None for what is read from its start: a view, a small one.

    Somewhat more than are wanted, for pages and blocks differ in how many rows they hold.
    """
    rows = table.row_count or 0
    return None if table.is_view or rows <= 2 * count else 120.0 * count / rows


def message_of(error: Exception) -> str:
    """The driver's message on one line, without the excerpt of the query, or of the engine's code, in it."""
    has_code = len(error.args) == 2 and isinstance(error.args[0], int)
    text = str(error.args[1] if has_code else error)
    return " ".join(text.split("\nLINE ", maxsplit=1)[0].split("\nStack Trace:", maxsplit=1)[0].split())


def double_quoted(name: str) -> str:
    """The name as a standard SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def single_quoted(text: str) -> str:
    """The text as a standard SQL literal."""
    return "'" + text.replace("'", "''") + "'"


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
