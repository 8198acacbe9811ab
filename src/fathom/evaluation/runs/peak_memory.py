"""The most memory that a run took: its process, and the largest of those that it started."""

import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_KILOBYTES = 1024 if sys.platform == "darwin" else 1
"""macOS tells bytes where other systems tell kilobytes."""


def forget_peak() -> None:
    """Count this process's peak from here on, where the system can: else it is that of its whole life."""
    with suppress(OSError):
        _RESET.write_text("5", encoding="ascii")


def peak_megabytes() -> dict[str, float] | None:
    """The peak of this process, and the greatest of its ended processes; None where nobody tells."""
    try:
        import resource  # noqa: PLC0415, not on every system
    except ImportError:
        return None
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES
    with suppress(OSError, StopIteration):
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        own = float(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KILOBYTES
    return {"own": round(own / 1024, 1), "started": round(started / 1024, 1)}
