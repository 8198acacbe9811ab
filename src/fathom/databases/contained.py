"""An embedded engine as SQL from outside meets it: each session works in a child that can be killed."""

from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from fathom.databases.child_server import JudgedStatement, Parcel, Stopped
from fathom.databases.engine import Engine, Read, Reflection, Row, Session
from fathom.databases.row_sizes import unpacked
from fathom.errors import ConnectionFailed, ErrorClass, QueryError, QueryFailed, QueryTimedOut
from fathom.processes.inside import in_child
from fathom.records import Limits

if TYPE_CHECKING:
    from fathom.processes.child import Child

_SERVE = "fathom.databases.child_server:serve"


def contained(engine: Engine, path: Path) -> Engine:
    """The engine of a file in child processes; itself in a child, and where no child can be started."""
    from fathom.processes.child import can_start  # noqa: PLC0415, a child needs none

    return engine if in_child() or not can_start() else Contained(engine, path)


class Contained(Engine):
    """The same file, opened by child processes: one for each query under way, kept for the next ones."""

    def __init__(self, engine: Engine, path: Path) -> None:
        from fathom.processes.child import ChildEnded  # noqa: PLC0415

        self._engine, self._path = engine, path
        self.errors = (*engine.errors, MemoryError, ChildEnded, Stopped)
        self._ended = ChildEnded
        self._begun: list[Child] = []

    def prepare(self) -> None:
        """Start a child in advance: it gets ready while the query is judged."""
        if not self._begun:
            self._begun.append(self._started())

    def open(self) -> Session:
        with suppress(IndexError, ConnectionFailed):
            child = self._begun.pop()
            session = self._opened(child)
            if not child.has_ended():  # one that waited for long has left
                return session
            child.end()
        return self._opened(self._started())

    def _opened(self, child: "Child") -> Session:
        try:
            failed = child.receive()
        except self._ended as error:
            raise ConnectionFailed(f"{self._path} can't be opened: {error.how}.") from error
        except BaseException:
            child.end()
            raise
        if failed is not None:
            child.end()
            raise failed
        return ContainedSession(child)

    def _started(self) -> "Child":
        from fathom.processes.child import Child  # noqa: PLC0415

        try:
            child = Child(_SERVE)
        except OSError as error:
            raise ConnectionFailed(f"No process can be started for queries: {error}.") from error
        child.send((self._engine.dialect, self._path))
        return child

    def close(self) -> None:
        """End the child that waits; those of sessions end with them."""
        while self._begun:
            self._begun.pop().end()

    def is_lost(self, error: Exception) -> bool:
        return isinstance(error, self._ended)

    def translate(self, error: Exception, sql: str, limits: Limits) -> QueryError:
        if isinstance(error, self._ended):
            return QueryFailed(f"The query was ended: {error.how}.", sql=sql)
        if isinstance(error, Stopped):
            return QueryTimedOut(limits.seconds, sql=sql)
        return self._engine.translate(error, sql, limits)

    def classify(self, error: Exception) -> ErrorClass | None:
        return self._engine.classify(error)

    def reflect(self, read: Read) -> Reflection:
        return self._engine.reflect(read)

    def state(self) -> str:
        return self._engine.state()


class ContainedSession(Session):
    """A child with a session of its own. What stops and kills comes from other threads."""

    grace = 0.9  # so that the child is gone a second after the limit, with the time that killing takes
    contained = True

    def __init__(self, child: "Child") -> None:
        self._child = child
        self._number = 0
        self._limits = Limits()
        self._parcel: Parcel | None = None
        self._under_way = False
        self._usable = True

    def begin(self, limits: Limits) -> None:
        self._limits = limits
        if self._child.has_ended():
            raise self._child.ended()

    def execute(self, sql: str) -> tuple[str, ...] | None:
        self._number += 1
        self._under_way, self.truncated = True, None
        self._child.send(JudgedStatement(self._number, sql, self._limits))
        self._parcel = self._received()
        return self._parcel.columns

    def fetch(self, count: int) -> list[Row]:
        while True:
            parcel, self._parcel = self._parcel, None
            if parcel is None:
                if not self._under_way:
                    return []
                parcel = self._received()
            if parcel.rows:
                self.last_size = parcel.size
                return list(chain.from_iterable(map(unpacked, parcel.rows)))
            if not self._under_way:
                return []

    def _received(self) -> "Parcel":
        """The next parcel. Raises what the engine raised, and `ChildEnded`."""
        try:
            parcel: Parcel = self._child.receive()
        except BaseException:
            self._usable = False
            raise
        if parcel.end is not None:
            self._under_way = False
            self._usable, self.truncated = parcel.end.usable, parcel.end.truncated
            self.processor_seconds = parcel.end.processor_seconds
            if parcel.end.error is not None:
                raise parcel.end.error
        return parcel

    def finish(self, *, complete: bool) -> bool:
        """Stop the child where it still works, and read what it sent meanwhile; the deadline kills it."""
        if self._under_way and self._usable:
            self._child.stop(self._number)
            while self._under_way:
                try:
                    self._received()
                except Exception:
                    break
        self._parcel = None
        return self._usable

    def close(self) -> None:
        self._child.end()

    def interrupt(self) -> None:
        self._child.stop(self._number)

    def abandon(self) -> None:
        self._child.kill()
