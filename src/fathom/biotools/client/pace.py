"""Rate limits, kept together by every thread and process of a user.

A service's pace is one number in one file: when the next request may start. Whoever wants to call takes
that moment and puts the next one later, under a lock, and then sleeps until its own moment. So requests
never come closer than the limit allows, whoever makes them.
"""

import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from fathom.errors import ConfigError
from fathom.files import private_folder

LONGEST_WAIT = 3600.0
"""Seconds; a later moment in the file is from a clock that was set back, and is forgotten."""


class RequestSpacing:
    """Spaces the requests to one service `interval` seconds apart, over all processes that share `folder`."""

    def __init__(
        self, folder: Path, service: str, interval: float, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        private_folder(folder)
        self.interval = interval
        self._file = folder / f"{service}.next"
        self._lock = FileLock(folder / f"{service}.lock", thread_local=True)
        self._sleep = sleep

    def wait(self) -> float:
        """Take the next free moment and sleep until it comes. Returns the seconds slept."""
        with self._lock:
            now = time.time()
            mine = self._next(now)
            self._write(mine + self.interval)
        if mine > now:
            self._sleep(mine - now)
        return max(mine - now, 0.0)

    def pause(self, seconds: float) -> None:
        """Let nobody start a request for some seconds: the service asked for it."""
        with self._lock:
            now = time.time()
            self._write(max(self._next(now), now + min(seconds, LONGEST_WAIT)))

    def _next(self, now: float) -> float:
        try:
            moment = float(self._file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return now
        return max(moment, now) if moment <= now + LONGEST_WAIT else now

    def _write(self, moment: float) -> None:
        try:
            self._file.write_text(repr(moment), encoding="ascii")
        except OSError as error:
            raise ConfigError(
                f"The rates of calls can't be kept in {self._file.parent}: {error}. Set FATHOM_CACHE to a "
                "folder that can be written to."
            ) from error
