"""The small file beside the log that says how the log ends, so that a cut, emptied or removed log shows.

It is written in place, always at the same length: that needs no room on a full disk, and a kill leaves the
earlier or the later state of it.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from fathom.errors import InputError

BEGIN = "0" * 64
"""The hash that comes before the first line."""
_LENGTH = 256


@dataclass(frozen=True, slots=True)
class LogEnd:
    """How many lines were ever written, the hash of the last, and how many of them were purged.

    `purging` is how many will have been purged once the purge that is under way has ended.
    """

    lines: int = 0
    hash: str = BEGIN
    purged: int = 0
    purging: int = 0


def end_file(log: Path) -> Path:
    """The file for the end of a log."""
    return log.with_name(f"{log.name}.end")


def read_end(log: Path) -> LogEnd | None:
    """The end that is noted of a log; None where none is. Raises `InputError` for anything else."""
    file = end_file(log)
    try:
        written = file.read_bytes()
        if not written:  # made on a full disk
            return None
        content = json.loads(written)
        end = LogEnd(**content)
        whole = all(type(v) is (str if k == "hash" else int) for k, v in content.items())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from error
    except (ValueError, TypeError):
        whole = False
    if not whole:
        raise InputError("does not say how an audit log ends", file=file)
    return end


def write_end(log: Path, end: LogEnd) -> None:
    """Note the end of a log. Raises `OSError`."""
    content = json.dumps(asdict(end)).encode().ljust(_LENGTH - 1) + b"\n"
    handle = os.open(end_file(log), os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        os.write(handle, content)
        os.ftruncate(handle, len(content))
    finally:
        os.close(handle)
