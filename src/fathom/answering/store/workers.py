"""The processes that work on the questions of one file: each holds a lock, which its end lets go.

Neither the id of a process nor the time tells whether it lives: containers number theirs alike, and a machine
that slept has lost minutes. A lock is let go by the system, however its process ends.
"""

import os
import secrets
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

WORKER = f"{os.getpid()}.{secrets.token_hex(4)}"
"""This process, as unfinished questions name who works on them."""
_held: dict[Path, FileLock] = {}
_holding = Lock()


class Workers:
    """Those who work on the questions of a file. Being made, this process is one of them until it ends."""

    def __init__(self, store: Path) -> None:
        self._folder = store.absolute().with_name(f"{store.name}-workers")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _holding:
            if self._folder not in _held:
                _held[self._folder] = self._taken()
        for mark in self._marks():
            self.lives(mark)  # which takes away what a dead one left

    def lives(self, mark: str) -> bool:
        """True if the process of this mark is still there."""
        if mark == WORKER:
            return True
        file = self._folder / f"{mark}.lock"
        if not mark or not file.exists():
            return False
        lock = FileLock(file, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        file.unlink(missing_ok=True)
        lock.release()
        return False

    def others(self) -> bool:
        """True if another process works on the questions of the file as well."""
        return any(self.lives(mark) for mark in self._marks() if mark != WORKER)

    def _marks(self) -> list[str]:
        return [file.name.removesuffix(".lock") for file in self._folder.glob("*.lock")]

    def _taken(self) -> FileLock:
        file = self._folder / f"{WORKER}.lock"
        while True:
            lock = FileLock(file, thread_local=False)
            lock.acquire()
            if file.exists():  # else somebody took it for a dead one's before it was locked
                return lock
            lock.release()
