"""A connected database: its schema, its profile, and queries that only read, within limits."""

import hashlib
import time
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import RLock
from typing import Any

from fathom.cancellation import Cancellation, current_cancellation
from fathom.databases import accounts
from fathom.databases.accounts import AccountRisk
from fathom.databases.engine import Engine, Reflection, Row
from fathom.databases.freshness import Freshness
from fathom.databases.schema_parts import fingerprint, narrowed
from fathom.databases.sessions import IDLE_SESSIONS, Sessions
from fathom.databases.sizes import mind_size
from fathom.databases.statements import check_text, is_query
from fathom.databases.stream import Stream, started
from fathom.errors import QueryError, QueryRefused
from fathom.records import Limits, Result, Schema, Table, TableProfile
from fathom.records.display import Displayed
from fathom.rights.grants import Granted

NO_LIMITS = Limits(seconds=None, rows=None, bytes=None)
_CHECKED_STATEMENTS = 10_000
_READ = ("_schema", "_fingerprint", "_reflection")


class Database(Displayed):
    """One database, open for reading only. Several threads may use it; each query gets its own connection.

    `url` hides the password. `dialect` is sqlglot's name, such as sqlite or postgres. `known_as` is
    the name that the settings give it, or `demo:NAME`; empty for a database named by its path or URL. `kept`
    is for what others work out about the database: it goes when the database goes, or is read anew: at
    `read_at` the last time, after so many `renewals`. `indexes_values` says
    whether its values may be read to index them; without, only an index that was kept is used.
    """

    def __init__(self, engine: Engine, *, name: str, url: str, cache_folder: Path | None = None) -> None:
        self.name, self.url, self.dialect = name, url, engine.dialect
        self.known_as = ""
        self.indexes_values = True
        self.granted: Granted | None = None
        self.kept: dict[Hashable, Any] = {}
        self.read_at: datetime | None = None
        self.renewals = 0
        self._cache = cache_folder
        self._use(engine)
        self._freshness: Freshness | None = Freshness(engine, self._read)
        self._checked: set[str] = set()
        self._role = ""
        self._working = RLock()
        self._profiles: Mapping[str, TableProfile] | None = None

    def _use(self, engine: Engine) -> None:
        contained = engine.contained()
        apart = None if contained is engine else Sessions(contained)
        self._engine = engine
        self._sessions = apart if apart is not None and engine.contained_only else Sessions(engine)
        self._contained = apart or self._sessions

    def refresh(self, *, anew: bool = False) -> bool:
        """Forget what was read of the database where it has changed since, or in any case; whether it did so.

        A file is looked at each time, a server asked once in a while. Queries under way end as they began.
        Raises `ConnectionFailed` where the database is gone.
        """
        with self._working:
            watched = self._freshness
            if watched is None or not (watched.has_changed() or anew):
                return False
            before = (self._sessions, self._contained)
            self._use(self._engine.renewed())
            watched.engine = self._engine
            watched.accept()  # what was seen before it is read: later changes are noticed next time
            for sessions in before:
                sessions.retire()
            self._forget()
            self.renewals += 1
            return True

    def _forget(self) -> None:
        self.kept, self._checked, self._profiles = {}, set(), None
        for known in _READ:
            self.__dict__.pop(known, None)

    def took_to_read(self, seconds: float) -> None:
        """Note how long it took to read the values: on a server they aren't read again all the time."""
        if self._freshness is not None:
            self._freshness.reading = seconds

    def __repr__(self) -> str:
        return f"<Database {self.name!r} ({self.dialect})>"

    @property
    def gaps(self) -> Mapping[str, str]:
        """The abilities that this engine lacks, each with the reason."""
        return self._engine.gaps

    @property
    def latency(self) -> float:
        """Seconds that even the smallest query may take on this engine."""
        return self._engine.latency

    @property
    def is_new(self) -> bool:
        """True if people ask it as soon as they have it, so that its first question may not wait for long."""
        return self._engine.is_new

    @property
    def at_once(self) -> int:
        """How many queries of ours are best under way side by side: several where each is a journey."""
        return IDLE_SESSIONS if self._engine.latency else 1

    @property
    def file(self) -> Path | None:
        """The file of an embedded database; None for a server's."""
        return self._engine.file

    @property
    def remarks(self) -> Mapping[str, tuple[str, ...]]:
        """Remarks on what reading its files of rows left out or guessed, by table; "" for those on none."""
        return self._engine.remarks

    def check_connection(self) -> None:
        """Open a connection, and keep it for the first query. Raises `ConnectionFailed`."""
        self._sessions.give_back(self._sessions.take()[0], usable=True)

    @cached_property
    def account_risks(self) -> tuple[AccountRisk, ...]:
        """The account's rights on its server beside reading, and those that can't be seen; none for a file.

        Asked once.
        """
        try:
            return self._engine.account_risks(self._read)
        except QueryError as error:
            return (AccountRisk("unread", f"its rights can't be read ({error.message})"),)

    def check_account(self, *, strict: bool) -> None:
        """Warn (`AccountWarning`) of an account that may do more than read; if `strict`, refuse it.

        Raises `AccountRefused`, which says how to make one that only reads; strictly also where its rights
        can't be read.
        """
        account, risks = self._engine.account(), self.account_risks
        accounts.check(account, risks, name=self.name, url=self.url, dialect=self.dialect, strict=strict)

    def run(
        self,
        sql: str,
        limits: Limits = Limits(),  # noqa: B008, frozen
        cancellation: Cancellation | None = None,
        *,
        trusted: bool = False,
    ) -> Result:
        """Run one statement that only reads, and give its rows within the limits.

        `cancellation` stops it from another thread; without one, the one that covers this thread does. An
        embedded engine works in a child process, below a ceiling of memory, and is killed a second after the
        limit; not for `trusted` SQL, composed by Fathom alone of names and values, whose cost is bounded.
        Raises `QueryRefused` for anything but one reading statement, `QueryTimedOut` when the time is up
        (it says where a server didn't stop when asked), `QueryFailed` with the engine's message for every
        other failure, `Cancelled`.
        """
        began = time.perf_counter()
        with self.stream(sql, limits, cancellation, trusted=trusted) as stream:
            rows = tuple(chain.from_iterable(stream))
        took = time.perf_counter() - began
        return Result(stream.columns, rows, sql, took, stream.truncated, stream.bytes_read)

    def check(self, sql: str) -> None:
        """Check that a statement may run, without running it. Raises `QueryRefused` where it may not."""
        if sql in self._checked:
            return
        check_text(sql)
        self._engine.check(sql, self._read)
        if len(self._checked) >= _CHECKED_STATEMENTS:
            self._checked.clear()
        self._checked.add(sql)

    @property
    def tells_size(self) -> bool:
        """True if the engine tells what a query would read before it runs."""
        return self._engine.tells_size

    def estimate(self, sql: str) -> int | None:
        """The bytes that a query would read, told before it runs; None where that isn't known.

        Raises `QueryRefused`, and `QueryFailed` for what couldn't run.
        """
        self.check(sql)
        if not self.tells_size:
            return None
        if not is_query(sql, self.dialect):  # an engine might run something else to explain it
            raise QueryRefused("statement", "only a query is estimated, without EXPLAIN before it.", sql=sql)
        return self._size(sql)

    def _size(self, sql: str) -> int | None:
        """The bytes that a query would read, as the engine tells them. Raises `QueryError`."""
        try:
            return self._engine.estimate(self._sent(sql), self._read)
        except self._engine.errors as error:
            raise self._told(self._engine, error, sql, NO_LIMITS) from error

    def _mind_size(self, sql: str, cancellation: Cancellation | None) -> None:
        """Hold a query to the budget, and tell who watches how much it reads. Raises `QueryRefused`."""
        with cancellation.covering() if cancellation else nullcontext():
            mind_size(self._engine, sql, self._size)

    def stream(
        self,
        sql: str,
        limits: Limits = Limits(),  # noqa: B008
        cancellation: Cancellation | None = None,
        *,
        trusted: bool = False,
    ) -> Stream:
        """Like `run`, but the rows come in batches and aren't kept: `with db.stream(sql) as batches`."""
        sessions = self._sessions if trusted else self._contained
        sessions.prepare()
        self.check(sql)
        self._mind_size(sql, cancellation)
        return self._start(sql, limits, cancellation, sessions)

    def scan(
        self, table: str, columns: Sequence[str] | None = None, *, limits: Limits = NO_LIMITS
    ) -> Iterator[list[Row]]:
        """All rows of a table in batches, of the named columns or of all. Raises `SchemaError`."""
        described = self.schema.table(table)
        names = [described.column(c).name for c in columns] if columns is not None else None
        chosen = ", ".join(map(self._engine.quote, names or [c.name for c in described.columns]))
        with self._start(f"SELECT {chosen} FROM {self.identifier(table)}", limits) as stream:
            yield from stream

    def identifier(self, table: str, column: str | None = None) -> str:
        """A table's name, or a column's after it, as this engine quotes it in SQL. Raises `SchemaError`."""
        described = self.schema.table(table)
        quoted = self._reflection.identifiers[described.name]
        return quoted if column is None else f"{quoted}.{self._engine.quote(described.column(column).name)}"

    def state(self) -> str:
        """A mark that changes when the data may have, without a query; "" where nothing tells."""
        return self._engine.state()

    @property
    def schema(self) -> Schema:
        """Tables, columns, comments, keys and row counts; read once, when first asked for."""
        with self._working:
            return self._schema

    @cached_property
    def _schema(self) -> Schema:
        from fathom.databases.findings import inferred_keys  # noqa: PLC0415, running queries needs none of this

        found = self._reflection
        declared = Schema(self.dialect, found.tables, found.foreign_keys)
        names, file = found.identifiers, self._cache_file("joins")
        inferred = inferred_keys(declared, names, self._engine, self._read, at_once=self.at_once, file=file)
        return replace(declared, foreign_keys=(*declared.foreign_keys, *inferred)) if inferred else declared

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of what the schema declares: they change with a table or column."""
        with self._working:
            return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        digest = None if self.granted is None else self.granted.digest
        return fingerprint(self._reflection, self.dialect, digest)

    @cached_property
    def _reflection(self) -> Reflection:
        if self._freshness is not None and self._engine.file is None:
            self._freshness.remember()
        self.read_at = datetime.now().astimezone()
        return self._engine.reflect(self._read)

    def profile(self, seconds: float = 20.0) -> Mapping[str, TableProfile]:
        """Give a profile of each table's columns, by table: made within about `seconds`, or from the cache.

        Tables too big to read whole are sampled, and their profiles say so (`exact=False`).
        """
        with self._working:
            if self._profiles is None:
                from fathom.databases.findings import profiles  # noqa: PLC0415

                self._profiles = profiles(self._schema, self.sample, seconds, self._cache_file("profiles"))
            return self._profiles

    def sample(self, table: Table, count: int, limits: Limits) -> Stream:
        """Rows of a table's columns, about `count` from all over a big one. Raises `QueryError`."""
        identifier = self._reflection.identifiers[table.name]
        source = self._engine.sample(identifier, table, count)
        columns = ", ".join(self._engine.quote(c.name) for c in table.columns)
        # DuckDB reads a whole table where a sample has a limit; a sample is bounded without one.
        most = f" LIMIT {count + 1}" if source == identifier else ""
        return self._start(f"SELECT {columns} FROM {source} AS sampled{most}", limits)

    def common_texts(self, table: Table) -> Mapping[str, Mapping[str, float]]:
        """By column, texts that the engine's statistics call common, with their shares of the rows.

        Without a scan; {} where the engine keeps no such statistics.
        """
        return self._engine.common_texts(self._read, table)

    def _cache_file(self, kind: str) -> Path | None:
        """Where something found out about this database is kept, until its schema or data change."""
        if self._cache is None:
            return None
        counts = [(t.name, t.row_count) for t in self._reflection.tables]
        state = repr((self.url, self._fingerprint, self._engine.state(), counts))
        return self._cache / kind / f"{hashlib.sha256(state.encode()).hexdigest()[:32]}.json"

    def narrowed(self, columns: Mapping[str, Collection[str]]) -> "Database":
        """The same database as though it held these tables and columns alone, by folded names.

        For what reads the schema: queries that name other tables still run. It shares the connections of
        this one, and goes with it.
        """
        narrow = copy(self)
        narrow.kept, narrow._checked, narrow._profiles = {}, set(), None
        narrow._cache, narrow._working, narrow._freshness = None, RLock(), None
        for known in _READ:
            narrow.__dict__.pop(known, None)
        narrow.__dict__["_reflection"] = narrowed(self._reflection, columns)
        return narrow

    def restricted(self, granted: Granted) -> "Database":
        """The same database as its user sees it: hidden tables, columns and rows are nowhere in it.

        It shares the connections of this one, and goes with it. Raises `RightsError` where the grants give
        nothing of it, or name what it doesn't have.
        """
        from fathom.databases.restricted import Restricted  # noqa: PLC0415, needs a parser

        return Restricted(self, granted)

    @property
    def filtered_tables(self) -> tuple[str, ...]:
        """The tables of which the user may see some rows only."""
        return ()

    def hides(self, text: str) -> bool:
        """True if a text says the name of something that the user may not see."""
        return False

    def close(self) -> None:
        """Close every connection; running queries of other threads finish first or fail."""
        self._contained.close()
        self._sessions.close()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def reflection(self) -> Reflection:
        """The database's declarations, with each table's name as it is written in SQL."""
        with self._working:
            return self._reflection

    def _read(self, sql: str, seconds: float | None = None, /) -> list[Row]:
        """Rows of one of our own queries: not judged by the guard, for nothing in it comes from outside."""
        with self._start(sql, Limits(seconds=seconds, rows=None, bytes=None)) as stream:
            return list(chain.from_iterable(stream))

    def _start(
        self,
        sql: str,
        limits: Limits,
        cancellation: Cancellation | None = None,
        sessions: Sessions | None = None,
    ) -> Stream:
        return started(
            sessions or self._sessions,
            sql,
            self._sent(sql),
            limits=limits,
            cancellation=cancellation or current_cancellation(),
            role=self._role,
            told=self._told,
        )

    def _sent(self, sql: str) -> str:
        """A query as the engine gets it."""
        return sql

    def _told(self, engine: Engine, error: Exception, sql: str, limits: Limits) -> QueryError:
        """The error that callers see of a query."""
        return engine.translate(error, sql, limits)
