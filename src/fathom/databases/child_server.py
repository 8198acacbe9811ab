"""The queries of one embedded database, run in a child process for its parent."""

import pickle
import time
from pathlib import Path
from typing import NamedTuple

from fathom.databases.engine import Engine, Row, Session
from fathom.databases.row_sizes import Cut, Fetching, packed
from fathom.errors import ConnectionFailed, FathomError, QueryFailed
from fathom.processes.inside import Channel, data_bytes
from fathom.records import Limits

_PARCEL_BYTES, _PARCEL_ROWS = 250_000, 2_000
_IDLE = 300.0  # seconds without a query, after which the child leaves
_TIRED = 1_500_000_000  # bytes: a child that holds on to more makes room for a fresh one


class JudgedStatement(NamedTuple):
    """One statement that was judged, with the number by which it is stopped."""

    number: int
    sql: str
    limits: Limits


class End(NamedTuple):
    """How a query ended; `usable` tells whether the child takes another one."""

    error: Exception | None
    truncated: Cut | None
    usable: bool
    processor_seconds: float


class Parcel(NamedTuple):
    """Some rows as bytes, that take `size`; the first parcel names the columns, the last one has the end."""

    columns: tuple[str, ...] | None
    rows: list[bytes]
    size: int
    end: End | None


class Stopped(FathomError):
    """The parent stopped the query between two fetches."""


def serve(channel: Channel) -> None:
    """Open the database that the parent names, say so, and run what it sends."""
    dialect, path = channel.receive()
    try:
        engine = embedded_engine(dialect, path)
        session = engine.open()
    except ConnectionFailed as error:
        channel.send(error)
        return
    channel.send(None)
    while True:
        serving = _Serving(engine, session, channel, channel.receive(_IDLE))
        if not serving.run():
            return
        if not serving.session_usable:
            session.close()
            session = engine.open()


def embedded_engine(dialect: str, path: Path) -> Engine:
    """The engine of a file. Raises `ConnectionFailed`."""
    # Each engine's driver is imported where it is used: SQLite alone starts in a fraction of the time.
    if dialect == "sqlite":
        from fathom.databases.sqlite import SQLite  # noqa: PLC0415

        return SQLite(path)
    from fathom.databases.duckdb import DuckDB  # noqa: PLC0415

    return DuckDB(path)


class _Serving:
    """One query on its way."""

    def __init__(self, engine: Engine, session: Session, channel: Channel, query: JudgedStatement) -> None:
        self._engine, self._session, self._channel, self._query = engine, session, channel, query
        self._columns: tuple[str, ...] | None = None
        self._waiting: list[bytes] = []
        self._rows = self._size = 0
        self._stopped = False
        self.session_usable = True

    def run(self) -> bool:
        """Run it and send what it gives; whether the process is fit for another one."""
        started = time.thread_time()
        error: Exception | None = None
        fetching = Fetching(self._fetch, self._query.limits, self._engine.rows_at_once, packed)
        try:
            with self._channel.stoppable(self._query.number, self._stop):
                self._session.begin(self._query.limits)
                self._columns = self._session.execute(self._query.sql)
                if self._columns is not None:
                    self._send_rows(fetching)
        except BrokenPipeError:
            raise
        except Exception as raised:
            error = raised
        complete = error is None and fetching.truncated is None
        self._finish(complete=complete)
        fit = not isinstance(error, self._engine.fatal) and data_bytes() < _TIRED
        self._send(End(_sendable(error), fetching.truncated, fit, time.thread_time() - started))
        return fit

    def _send_rows(self, fetching: Fetching) -> None:
        for rows, content, size in fetching:
            self._waiting.append(content)
            self._rows += len(rows)
            self._size += size
            if self._size >= _PARCEL_BYTES or self._rows >= _PARCEL_ROWS:
                self._send(None)

    def _fetch(self, count: int) -> list[Row]:
        if self._stopped:
            raise Stopped
        return self._session.fetch(count)

    def _stop(self) -> None:
        self._stopped = True
        self._session.interrupt()

    def _finish(self, *, complete: bool) -> None:
        try:
            self.session_usable = self._session.finish(complete=complete)
        except self._engine.errors:
            self.session_usable = False

    def _send(self, end: End | None) -> None:
        self._channel.send(Parcel(self._columns, self._waiting, self._size, end))
        self._waiting, self._rows, self._size = [], 0, 0


def _sendable(error: Exception | None) -> Exception | None:
    """The error as it can be sent: without what led to it, and as its text alone where it doesn't pickle."""
    if error is None:
        return None
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return QueryFailed(f"{type(error).__name__}: {error}")
    return error
