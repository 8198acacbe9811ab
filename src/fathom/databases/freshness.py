"""Noticing that a database has changed since it was read: by its file, or by a cheap query to its server."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fathom.databases.engine import Engine, Mark, Read
from fathom.errors import ConnectionFailed, QueryError

_SHARE = 20
"""New values on a server are read only so often that reading takes one part in so many of the time."""


class Freshness:
    """The mark of a database when it was read, held against the one that it has by now.

    `reading` is how many seconds it took to read its values last.
    """

    def __init__(self, engine: Engine, read: Read, clock: Callable[[], float] = time.monotonic) -> None:
        self.engine, self.reading = engine, 0.0
        self._read, self._clock = read, clock
        self._known: Mark | None = None
        self._found = engine.opened_mark
        self._looked = self._remembered = clock()
        if self._found is not None:
            self.accept()
        elif engine.file is not None:
            self.remember()

    def remember(self) -> None:
        """Take the mark that the database has now. Raises `ConnectionFailed` where its file is gone."""
        self._found = self._mark()
        self.accept()

    def accept(self) -> None:
        """Take the mark that was seen last for that of what is read."""
        self._known = self._found or self._known
        self._looked = self._remembered = self._clock()

    def has_changed(self) -> bool:
        """Tell if the mark is another one now; a server isn't asked each time. Raises `ConnectionFailed`."""
        now = self._clock()
        if self._known is None or now - self._looked < self.engine.mark_seconds:
            return False
        self._looked = now
        found = self._found = self._mark()
        if found is None or found == self._known:
            return False
        return found.shape != self._known.shape or now - self._remembered >= _SHARE * self.reading

    def _mark(self) -> Mark | None:
        try:
            return self.engine.mark(self._read)
        except QueryError:  # a server that doesn't answer says so at the next question
            return None


class FileState(NamedTuple):
    """Facts that differ where a file is another one, or was written to."""

    device: int
    inode: int
    size: int
    modified: int


def file_state(path: Path) -> FileState:
    """The state of a file by one look at it. Raises `ConnectionFailed` where it is gone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise ConnectionFailed(
            f"{path.name} is gone: it was removed or renamed after it was opened. "
            "Put it back, or name another file."
        ) from None
    except OSError as error:
        raise ConnectionFailed(f"{path.name} can't be read any more: {error.strerror}.") from error
    return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
