"""When a query has to stop, and what is done where it doesn't."""

from threading import Lock
from typing import Literal

from fathom.cancellation import Cancellation
from fathom.databases.alarms import Act, Alarm, set_alarm
from fathom.databases.engine import Session
from fathom.errors import Cancelled, QueryTimedOut
from fathom.records import Limits

_ASKED_AGAIN = 0.2  # seconds: what comes just before a statement begins doesn't stop it


class Deadline:
    """Stops a session's query at its limit of time, or as soon as it is cancelled.

    The engine is asked to stop; where it hasn't within the session's grace, the connection is cut, or its
    process killed. `stopped` says why, `abandoned` whether that was needed.
    """

    def __init__(self, session: Session, limits: Limits, cancellation: Cancellation | None = None) -> None:
        self.stopped: Literal["time", "cancel"] | None = None
        self.abandoned = False
        self._session, self._limits = session, limits
        self._stopping, self._cutting = Lock(), Lock()
        self._over = False
        self._alarms: list[Alarm] = []
        seconds = session.seconds(limits)
        if seconds is not None:
            self._after(seconds, self._time_is_up)
        self._forget = cancellation.on_cancel(self._cancelled) if cancellation else None

    def _after(self, seconds: float, act: Act) -> None:
        self._alarms.append(set_alarm(seconds, act))

    def _time_is_up(self) -> None:
        self._stop("time")

    def _cancelled(self) -> None:
        # Engines are asked in a thread of their own: to reach a server takes time, and who cancels has none.
        self._after(0, lambda: self._stop("cancel"))

    def _stop(self, why: Literal["time", "cancel"]) -> None:
        with self._stopping:
            if self._over or self.stopped:
                return
            self.stopped = why
            self._after(self._session.grace, self._cut)
        self._ask()

    def _ask(self) -> None:
        with self._stopping:
            if self._over or self.abandoned:
                return
            self._session.interrupt()
            self._after(_ASKED_AGAIN, self._ask)

    def _cut(self) -> None:
        with self._cutting:
            if not self._over:
                self.abandoned = True
                self._session.abandon()

    def leave(self) -> None:
        """Nobody wants the rest: the engine has the grace to end the query from now on."""
        self._after(self._session.grace, self._cut)

    def end(self) -> None:
        """The query has ended: nothing is done to the session any more once this returns."""
        self._over = True
        with self._stopping, self._cutting:
            if self._forget:
                self._forget()
            for alarm in self._alarms:
                alarm.cancel()

    def error(self, sql: str) -> QueryTimedOut | Cancelled | None:
        """The error that a stopped query ends in."""
        if self.stopped == "cancel":
            return Cancelled()
        if self.stopped == "time":
            return QueryTimedOut(
                self._limits.seconds, sql=sql, may_go_on=self.abandoned and not self._session.contained
            )
        return None
