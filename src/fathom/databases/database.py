"""A connected database: its schema, its profile, and queries that only read, within limits."""

import hashlib
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock, RLock
from typing import Any

from fathom.databases.engine import Engine, Reflection, Row, Session
from fathom.databases.stream import Stream
from fathom.errors import DatabaseError, QueryRefused
from fathom.records import ForeignKey, Limits, Result, Schema, Table, TableProfile

NO_LIMITS = Limits(seconds=None, rows=None, bytes=None)
_IDLE_SESSIONS = 4
_CHECKED_STATEMENTS = 10_000


class Database:
    """One database, open for reading only. Several threads may use it; each query gets its own connection.

    `url` hides the password. `dialect` is sqlglot's name: sqlite, duckdb, postgres or mysql. `known_as` is
    the name that the settings give it, or `demo:NAME`; empty for a database named by its path or URL. `kept`
    is for what others work out about the database: it goes when the database goes.
    """

    def __init__(self, engine: Engine, *, name: str, url: str, cache_folder: Path | None = None) -> None:
        self.name, self.url, self.dialect = name, url, engine.dialect
        self.known_as = ""
        self.kept: dict[Hashable, Any] = {}
        self._engine = engine
        self._cache = cache_folder
        self._sessions = _Sessions(engine)
        self._checked: set[str] = set()
        self._working = RLock()
        self._profiles: Mapping[str, TableProfile] | None = None

    def __repr__(self) -> str:
        return f"<Database {self.name!r} ({self.dialect})>"

    @property
    def gaps(self) -> Mapping[str, str]:
        """What this engine can't do, and why."""
        return self._engine.gaps

    @property
    def file(self) -> Path | None:
        """The file of an embedded database; None for a server's."""
        return self._engine.file

    def check_connection(self) -> None:
        """Open a connection, and keep it for the first query. Raises `ConnectionFailed`."""
        self._sessions.give_back(self._sessions.take()[0], complete=True)

    def run(self, sql: str, limits: Limits = Limits()) -> Result:  # noqa: B008, frozen
        """Run one statement that only reads, and give its rows within the limits.

        Raises `QueryRefused` for anything but one reading statement, `QueryTimedOut` when the time is up
        (the engine has stopped by then), `QueryFailed` with the engine's message for every other failure.
        """
        started = time.perf_counter()
        with self.stream(sql, limits) as stream:
            rows = tuple(chain.from_iterable(stream))
        return Result(stream.columns, rows, sql, time.perf_counter() - started, stream.truncated)

    def stream(self, sql: str, limits: Limits = Limits()) -> Stream:  # noqa: B008
        """Like `run`, but the rows come in batches and aren't kept: `with db.stream(sql) as batches`."""
        if sql not in self._checked:
            _check_text(sql)
            self._engine.check(sql)
            if len(self._checked) >= _CHECKED_STATEMENTS:
                self._checked.clear()
            self._checked.add(sql)
        return self._start(sql, limits)

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
        found = self._reflection
        declared = Schema(self.dialect, found.tables, found.foreign_keys)
        inferred = self._inferred(declared)
        return replace(declared, foreign_keys=(*declared.foreign_keys, *inferred)) if inferred else declared

    def _inferred(self, declared: Schema) -> tuple[ForeignKey, ...]:
        from fathom.databases import cache  # noqa: PLC0415, running queries needs none of this
        from fathom.databases.joins import infer_joins  # noqa: PLC0415

        file = self._cache_file("joins")
        if file and (kept := cache.joins_from_json(cache.load(file))) is not None:
            return kept
        found = infer_joins(declared, self._read, self._reflection.identifiers, self._engine.quote)
        if file:
            cache.store(file, [asdict(k) for k in found])
        return found

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits of what the schema declares: they change with a table or column."""
        with self._working:
            return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        found = self._reflection
        shape = [
            (t.name, t.is_view, t.primary_key, t.unique, [(c.name, c.type, c.nullable) for c in t.columns])
            for t in sorted(found.tables, key=lambda t: t.name)
        ]
        keys = sorted((k.table, k.columns, k.target_table, k.target_columns) for k in found.foreign_keys)
        return hashlib.sha256(repr((self.dialect, shape, keys)).encode()).hexdigest()[:16]

    @cached_property
    def _reflection(self) -> Reflection:
        return self._engine.reflect(self._read)

    def profile(self, seconds: float = 20.0) -> Mapping[str, TableProfile]:
        """What every table's columns hold, by table; within about `seconds`, or from the cache.

        Tables too big to read whole are sampled, and their profiles say so (`exact=False`).
        """
        with self._working:
            if self._profiles is None:
                self._profiles = self._kept_profile(seconds)
            return self._profiles

    def _kept_profile(self, seconds: float) -> Mapping[str, TableProfile]:
        from fathom.databases import cache  # noqa: PLC0415
        from fathom.databases.profiling import profile_tables  # noqa: PLC0415

        file = self._cache_file("profiles")
        if file and (kept := cache.profiles_from_json(cache.load(file))) is not None:
            return kept
        found = profile_tables(self._schema, self._sample, seconds)
        if file:
            cache.store(file, cache.profiles_to_json(found))
        return found

    def _sample(self, table: Table, count: int, limits: Limits) -> Stream:
        source = self._engine.sample(self._reflection.identifiers[table.name], table, count)
        columns = ", ".join(self._engine.quote(c.name) for c in table.columns)
        return self._start(f"SELECT {columns} FROM {source} AS sampled LIMIT {count + 1}", limits)

    def _cache_file(self, kind: str) -> Path | None:
        """Where something found out about this database is kept, until its schema or data change."""
        if self._cache is None:
            return None
        counts = [(t.name, t.row_count) for t in self._reflection.tables]
        state = repr((self.url, self._fingerprint, self._engine.state(), counts))
        return self._cache / kind / f"{hashlib.sha256(state.encode()).hexdigest()[:32]}.json"

    def refresh(self) -> None:
        """Forget the schema and the profile, so that they are made anew when next asked for."""
        with self._working:
            self._profiles = None
            for known in ("_schema", "_fingerprint", "_reflection"):
                self.__dict__.pop(known, None)

    def close(self) -> None:
        """Close every connection; running queries of other threads finish first or fail."""
        self._sessions.close()
        self._engine.close()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, sql: str, seconds: float | None = None, /) -> list[Row]:
        """Rows of one of our own queries: not judged by the guard, for nothing in it comes from outside."""
        with self._start(sql, Limits(seconds=seconds, rows=None, bytes=None)) as stream:
            return list(chain.from_iterable(stream))

    def _start(self, sql: str, limits: Limits) -> Stream:
        engine = self._engine
        session, is_new = self._sessions.take()
        try:
            try:
                columns = session.execute(sql, limits)
            except engine.errors as error:
                if is_new or not engine.is_lost(error):
                    raise
                session.close()
                self._sessions.forget_idle()
                session, _ = self._sessions.take()
                columns = session.execute(sql, limits)
        except engine.errors as error:
            self._sessions.give_back(session, complete=not engine.is_lost(error))
            raise engine.translate(error, sql, limits) from error
        except QueryRefused:
            self._sessions.give_back(session, complete=True)
            raise
        except BaseException:
            session.close()
            raise
        if columns is None:
            self._sessions.give_back(session, complete=True)
            raise QueryRefused("no_rows", "there is no statement in it that gives rows.", sql=sql)
        return Stream(engine, session, columns, sql=sql, limits=limits, release=self._sessions.give_back)


def _check_text(sql: str) -> None:
    """Refuse what no driver can send: half of a surrogate pair, as broken JSON escapes leave behind."""
    try:
        sql.encode("utf-8")
    except UnicodeEncodeError as error:
        where = f"character {error.start + 1} is no character of Unicode text"
        raise QueryRefused("encoding", f"{where}.", sql=sql) from None


class _Sessions:
    """The open sessions that no thread uses at the moment."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._idle: list[Session] = []
        self._closed = False

    def take(self) -> tuple[Session, bool]:
        """A session, and whether it is newly opened."""
        with self._lock:
            if self._closed:
                raise DatabaseError("The database is closed.")
            if self._idle:
                return self._idle.pop(), False
        return self._engine.open(), True

    def give_back(self, session: Session, complete: bool) -> None:
        """End the session's query, and keep the session for the next one if it can be used again."""
        try:
            usable = session.finish(complete=complete)
        except self._engine.errors:
            usable = False
        with self._lock:
            if usable and not self._closed and len(self._idle) < _IDLE_SESSIONS:
                self._idle.append(session)
                return
        session.close()

    def forget_idle(self) -> None:
        """Close the idle sessions: the server that they were open to has gone."""
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self.forget_idle()
