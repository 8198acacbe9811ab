"""The inside of a child process: a ceiling of memory, one channel to the parent, and an end as soon as it is
gone."""

import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from io import FileIO
from typing import Any

from fathom.processes.messages import receive, send, waits

OUT_OF_MEMORY, GAVE_UP = 77, 78  # exit codes
_CODE_AND_MAPS = (
    1_500_000_000  # bytes of address space beside data: libraries, mapped files, what is reserved
)
_LOOKS = 0.05  # seconds between looks at the memory, where the operating system doesn't watch it
_state = {"child": False}


def in_child() -> bool:
    """True if this process is such a child, so that what it does needs no further one."""
    return _state["child"]


def give_up() -> None:
    """In a child: end it, for its work goes on whatever is asked of it. Elsewhere nothing."""
    if in_child():
        os._exit(GAVE_UP)


class Channel:
    """A child's pipes: messages both ways, and a third pipe by which the parent stops a piece of work.

    The parent numbers its pieces of work, so that a stop that comes late stops no other one. When the parent
    is gone or lets go of the pipes the process ends at once, whatever it is doing.
    """

    def __init__(self, requests: int, replies: int, control: int, ceiling: int | None = None) -> None:
        self._source, self._target = FileIO(requests, "r"), FileIO(replies, "w")
        self._control, self._ceiling = control, ceiling
        self._lock = threading.Lock()
        self._number = -1
        self._stop: Callable[[], object] | None = None
        threading.Thread(target=self._watch, daemon=True).start()

    def receive(self, idle: float | None = None) -> Any:
        """The next message. Raises `EOFError` after `idle` seconds without one, and where no parent is."""
        if idle is not None and not waits(self._source, idle):
            raise EOFError
        return receive(self._source)

    def send(self, message: Any) -> None:
        """Send a message. Raises `BrokenPipeError` where the parent is gone."""
        send(self._target, message)

    @contextlib.contextmanager
    def stoppable(self, number: int, stop: Callable[[], object]) -> Iterator[None]:
        """While it lasts, `stop` is called (in a thread of its own) when the parent stops work `number`."""
        with self._lock:
            self._number, self._stop = number, stop
        try:
            yield
        finally:
            with self._lock:
                self._stop = None

    def _watch(self) -> None:
        while True:
            if self._ceiling is not None and not waits(self._control, _LOOKS):
                if peak_bytes() > self._ceiling:
                    os._exit(OUT_OF_MEMORY)
                continue
            asked = os.read(self._control, 8)
            if not asked:
                os._exit(0)
            with self._lock:
                if self._stop is not None and int.from_bytes(asked) == self._number:
                    self._stop()


def run(serve: str, pipes: tuple[int, int, int], ceiling: int) -> None:
    """Be a child: call the function `module:name` with the channel; its end is the process's."""
    _state["child"] = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to mind
    watched = None if limit_memory(ceiling) else ceiling
    module, _, name = serve.partition(":")
    with contextlib.suppress(EOFError, BrokenPipeError):
        getattr(importlib.import_module(module), name)(Channel(*pipes, watched))
    sys.stdout.flush()
    os._exit(0)  # nothing to tidy up: what is open is read-only, and engines take their time to close


def limit_memory(ceiling: int) -> bool:
    """Have the operating system refuse more than `ceiling` bytes of data; whether it can (Linux)."""
    if sys.platform != "linux":
        return False
    import resource  # noqa: PLC0415, not on every system

    # RLIMIT_DATA counts what can be written, which is near what is resident. Some sandboxes only know
    # RLIMIT_AS, which counts libraries and reserved space as well.
    for kind, most in ((resource.RLIMIT_DATA, ceiling), (resource.RLIMIT_AS, ceiling + _CODE_AND_MAPS)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    return True


def data_bytes() -> int:
    """Measure the bytes that count towards the ceiling; 0 where the system doesn't tell."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123, on the way of each query
            return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def peak_bytes() -> int:
    """The most memory that this process ever had."""
    import resource  # noqa: PLC0415, not on every system

    return bytes_of(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def bytes_of(maxrss: int) -> int:
    """The bytes of what the system counts: kilobytes everywhere but on macOS."""
    return maxrss if sys.platform == "darwin" else maxrss * 1024
