"""The rows of a running query, given in batches and cut at its limits."""

from collections.abc import Callable, Iterator

from fathom.cancellation import Cancellation
from fathom.databases.deadline import Deadline
from fathom.databases.engine import Engine, Row, Session
from fathom.databases.row_sizes import Cut, Fetching, measured
from fathom.databases.sessions import Sessions, begun
from fathom.errors import QueryError, QueryRefused
from fathom.records import Limits

_BATCH_ROWS = 2_000
_BATCH_BYTES = 4_000_000


class Stream:
    """Batches of rows of one running query; iterate once, and close, best with `with`.

    `truncated` names the limit that cut the rows, once they have been read. No more than one batch is held.
    `processor_seconds` are those of the engine's own process, once all is read; None where it has none.
    `bytes_read` are those that the engine says it read for the query, likewise.
    """

    def __init__(
        self,
        engine: Engine,
        session: Session,
        columns: tuple[str, ...],
        *,
        sql: str,
        limits: Limits,
        deadline: Deadline,
        release: Callable[[Session, Deadline, bool], None],
        told: Callable[[Engine, Exception, str, Limits], QueryError],
    ) -> None:
        self.columns = columns
        self.truncated: Cut | None = None
        self.processor_seconds: float | None = None
        self.bytes_read: int | None = None
        self._engine, self._sql, self._limits = engine, sql, limits
        self._session: Session | None = session
        self._deadline, self._release, self._told = deadline, release, told

    def __iter__(self) -> Iterator[list[Row]]:
        batch: list[Row] = []
        held = 0
        for rows, size in self._fetched():
            batch += rows
            held += size
            if len(batch) >= _BATCH_ROWS or held >= _BATCH_BYTES:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _fetched(self) -> Iterator[tuple[list[Row], int]]:
        """Rows as fetched with their size in bytes, up to the limits."""
        if (session := self._session) is None:
            return
        if session.contained:
            while rows := self._fetch(0):
                yield rows, session.last_size
            self.truncated = session.truncated
            self._end(complete=True)
            return
        fetching = Fetching(self._fetch, self._limits, self._engine.rows_at_once, measured)
        for rows, _, size in fetching:
            self.truncated = fetching.truncated
            yield rows, size
        if self.truncated:
            self.close()
        else:
            self._end(complete=True)

    def _fetch(self, count: int) -> list[Row]:
        if self._session is None:
            return []
        try:
            return self._session.fetch(count)
        except self._engine.errors as error:
            self._end(complete=False)
            stopped = self._deadline.error(self._sql)
            raise stopped or self._told(self._engine, error, self._sql, self._limits) from error
        except BaseException:
            self._end(complete=False)
            raise

    def _end(self, *, complete: bool) -> None:
        session, self._session = self._session, None
        if session is not None:
            self.processor_seconds = session.processor_seconds
            self.bytes_read = session.bytes_read
            self._release(session, self._deadline, complete)

    def close(self) -> None:
        """Stop the query, if it still runs, and give its connection back."""
        self._end(complete=False)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def started(
    sessions: Sessions,
    sql: str,
    sent: str,
    *,
    limits: Limits,
    cancellation: Cancellation | None,
    role: str,
    told: Callable[[Engine, Exception, str, Limits], QueryError],
) -> Stream:
    """Start a statement in a session of its own. `sent` is its text for the engine, `sql` the one in errors.

    Raises `QueryRefused` for a statement without rows, and `QueryError` as `told` words the engine's.
    """
    engine = sessions.engine
    session, deadline = begun(sessions, sql, limits, cancellation, role)
    try:
        columns = session.execute(sent)
    except engine.errors as error:
        sessions.release(session, deadline, complete=not engine.is_lost(error))
        raise deadline.error(sql) or told(engine, error, sql, limits) from error
    except QueryRefused:
        sessions.release(session, deadline, complete=True)
        raise
    except BaseException:  # also Ctrl-C: a session in an unknown state is closed, and the error goes on
        deadline.end()
        session.close()
        raise
    if columns is None:
        sessions.release(session, deadline, complete=True)
        raise QueryRefused("no_rows", "there is no statement in it that gives rows.", sql=sql)
    return Stream(
        engine,
        session,
        columns,
        sql=sql,
        limits=limits,
        deadline=deadline,
        release=sessions.release,
        told=told,
    )
