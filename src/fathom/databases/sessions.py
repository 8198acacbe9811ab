"""The open sessions of an engine, and taking one for a query."""

from threading import Lock

from fathom.cancellation import Cancellation
from fathom.databases.deadline import Deadline
from fathom.databases.engine import ActingSession, Engine, Session
from fathom.errors import DatabaseError, RightsError
from fathom.records import Limits

IDLE_SESSIONS = 4
"""Sessions that are kept open for the next queries."""


def begun(
    sessions: "Sessions", sql: str, limits: Limits, cancellation: Cancellation | None, role: str = ""
) -> tuple[Session, Deadline]:
    """A session that is ready for the statement: a new one where an idle one's connection had broken.

    The statement runs as the `role`, "" for the account itself.
    """
    engine = sessions.engine
    while True:
        if cancellation:
            cancellation.check()
        session, is_new = sessions.take()
        deadline = Deadline(session, limits, cancellation)
        try:
            session.begin(limits)
            if role:
                _act_as(session, role)
        except BaseException as error:
            deadline.end()
            session.close()
            if not isinstance(error, engine.errors):
                raise
            if stopped := deadline.error(sql):
                raise stopped from error
            if is_new or not engine.is_lost(error):
                raise engine.translate(error, sql, limits) from error
            sessions.forget_idle()
        else:
            return session, deadline


def _act_as(session: Session, role: str) -> None:
    if not isinstance(session, ActingSession):  # its query would run with the account's own rights
        raise RightsError(f"The database can't run a query as the role {role!r}.")
    session.act_as(role)


class Sessions:
    """The open sessions of an engine that no thread uses at the moment."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = Lock()
        self._idle: list[Session] = []
        self._closed = self._retired = False

    def prepare(self) -> None:
        """A query comes: begin what it would have to wait for."""
        with self._lock:
            if self._idle or self._closed:
                return
        self.engine.prepare()

    def take(self) -> tuple[Session, bool]:
        """A session, and whether it is newly opened."""
        with self._lock:
            if self._closed:
                raise DatabaseError("The database is closed; connect to it again.")
            if self._idle:
                return self._idle.pop(), False
        return self.engine.open(), True

    def release(self, session: Session, deadline: Deadline, complete: bool) -> None:
        """End the session's query, and keep the session if it can be used again."""
        if not complete:
            deadline.leave()
        try:
            usable = session.finish(complete=complete)
        except self.engine.errors:
            usable = False
        finally:
            deadline.end()
        # The halt of this query may reach a server late, and would then stop the session's next one.
        self.give_back(session, usable=usable and (session.contained or deadline.stopped is None))

    def give_back(self, session: Session, *, usable: bool) -> None:
        """Keep the session for the next query, if it can be used again."""
        with self._lock:
            if usable and not self._closed and not self._retired and len(self._idle) < IDLE_SESSIONS:
                self._idle.append(session)
                return
        session.close()

    def forget_idle(self) -> None:
        """Close the idle sessions: the server that they were open to has gone."""
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()

    def retire(self) -> None:
        """Keep no session any more: those in use are closed when their queries end."""
        with self._lock:
            self._retired = True
        self.forget_idle()

    def close(self) -> None:
        """Close the idle sessions; those in use are closed when their queries end."""
        with self._lock:
            self._closed = True
        self.forget_idle()
        self.engine.close()
