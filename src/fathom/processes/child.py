"""A child process as its parent sees it: started, spoken to, stopped, killed; never left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from fathom.errors import FathomError
from fathom.processes import inside, messages

CEILING = 2_500_000_000
"""Bytes of data a child may take: DuckDB's 2 GB for what it can move to disk, and a fifth beside it.

Together with its parent it stays below 3 GB, which a laptop of 8 GB can lend.
"""
_NEAR = 0.8  # of the ceiling: what ended there ran out of memory, whichever signal its engine chose
_PIPE_BYTES = 1 << 20
_SETS_PIPE_SIZE = 1031  # F_SETPIPE_SZ on Linux
_START = (
    "import sys; sys.path[:] = {path!r};"
    " from fathom.processes.inside import run; run({serve!r}, {pipes!r}, {ceiling})"
)


class ChildEnded(FathomError):
    """The child is gone; `how` says how, for people, `gave_up` whether it ended itself when time was up."""

    def __init__(self, how: str, *, gave_up: bool = False) -> None:
        self.how, self.gave_up = how, gave_up
        super().__init__(how)


def can_start() -> bool:
    """True if this system and this Python can start children: pipes by number are POSIX's."""
    return os.name == "posix" and bool(sys.executable)


@dataclass(slots=True)
class _Process:
    """A started process, reaped once, by whoever comes first."""

    pid: int
    lock: threading.Lock
    code: int | None = None
    peak: int = 0

    def kill(self) -> None:
        with self.lock:
            if self.code is None:
                self._reap(os.WNOHANG)
            if self.code is None:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        with self.lock:
            if self.code is None:
                self._reap(0)
            return self.code or 0

    def _reap(self, options: int) -> None:
        try:
            pid, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # somebody else reaps every child of this process
            self.code = 0
            return
        if pid:
            self.code = os.waitstatus_to_exitcode(status)
            self.peak = inside.bytes_of(used.ru_maxrss)


class Child:
    """One child that runs the function `serve` (`module:name`, given a `Channel`) below a ceiling of memory.

    `forks` starts it in a millisecond where that is safe: this process has one thread and no open database.
    It is killed when this object, or this process, is no more. Raises `OSError` where none can be started.
    """

    def __init__(self, serve: str, *, ceiling: int = CEILING, forks: bool = False) -> None:
        self._ceiling = ceiling
        # A child's peak begins with that of its parent, whose memory it has until it is another program.
        self._much = max(_NEAR * ceiling, inside.peak_bytes() + 1)
        pipes = [os.pipe() for _ in range(3)]
        (requests, target), (source, replies), (control, self._stopping) = pipes
        theirs, ours = (requests, replies, control), (target, source, self._stopping)
        _enlarge(source)
        try:
            start = _forked if forks and _may_fork() else _spawned
            self._process = _Process(start(serve, theirs, ceiling), threading.Lock())
        except BaseException:
            for number in ours:
                os.close(number)
            raise
        finally:
            for number in theirs:
                os.close(number)
        self._source, self._target = FileIO(source, "r"), FileIO(target, "w")
        self._end = weakref.finalize(self, _end, self._process, self._source, self._target, self._stopping)

    def fileno(self) -> int:
        """Give the file number that becomes readable when the child has answered, or died."""
        return self._source.fileno()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def send(self, message: Any) -> None:
        """Send a message. A child that has died takes it too: `receive` tells."""
        with contextlib.suppress(BrokenPipeError):
            messages.send(self._target, message)

    def receive(self) -> Any:
        """The next message. Raises `ChildEnded` where there will be none."""
        try:
            return messages.receive(self._source)
        except EOFError:
            raise self.ended() from None

    def has_ended(self) -> bool:
        """True if it is gone: what can be read while it has nothing to say is its end."""
        return messages.waits(self._source, 0)

    def stop(self, number: int) -> None:
        """From any thread: ask the child to stop the piece of work of that number."""
        with self._process.lock, contextlib.suppress(BrokenPipeError):
            if self._process.code is None:  # else the pipe's number may be another file's by now
                os.write(self._stopping, number.to_bytes(8))

    def kill(self) -> None:
        """From any thread: end it at once, so that who waits in `receive` is let go."""
        self._process.kill()

    def end(self) -> int:
        """Kill it, if it still runs, and let go of everything; its exit code, negative for a signal."""
        self._end()
        return self._process.wait()

    def ended(self) -> ChildEnded:
        """How it ended; it is ended where it didn't."""
        code = self.end()
        if code == inside.GAVE_UP:
            return ChildEnded("nothing else stopped it", gave_up=True)
        if code == inside.OUT_OF_MEMORY or self._process.peak > self._much:
            return ChildEnded(f"it needs more than {self._ceiling / 1e9:g} GB of memory")
        if code == -signal.SIGKILL:
            return ChildEnded("the system killed its process, most likely because memory ran out")
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return ChildEnded(f"the engine crashed on it ({how})")


def _end(process: _Process, source: FileIO, target: FileIO, stopping: int) -> None:
    process.kill()
    process.wait()
    source.close()
    target.close()
    os.close(stopping)


def _enlarge(pipe: int) -> None:
    """Let a pipe hold a whole batch of rows, so that the child needn't wait for its reader."""
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415, not on every system

        with contextlib.suppress(OSError):  # beyond what one user may have in pipes they stay small
            fcntl.fcntl(pipe, _SETS_PIPE_SIZE, _PIPE_BYTES)


def _spawned(serve: str, pipes: tuple[int, int, int], ceiling: int) -> int:
    """A fresh Python, without the user's own script and without what site-packages run at start."""
    home = str(Path(inside.__file__).parents[2])
    path = [home, *(p for p in sys.path if p and p != home)]
    code = _START.format(path=path, serve=serve, pipes=pipes, ceiling=ceiling)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # an engine's last words are told by its exit code
        pass_fds=pipes,
    )
    process.returncode = 0  # reaped here, with what it used
    return process.pid


def _may_fork() -> bool:
    if sys.platform != "linux" or threading.active_count() > 1 or "duckdb" in sys.modules:
        return False
    return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208, names alone


def _forked(serve: str, pipes: tuple[int, int, int], ceiling: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    try:
        _close_all_but(pipes)
        inside.run(serve, pipes, ceiling)
    finally:
        os._exit(1)


def _close_all_but(kept: tuple[int, ...]) -> None:
    """Close what a forked process inherited: other children's pipes must end with their parent."""
    start = 3
    for number in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(start, number)
        start = number + 1
