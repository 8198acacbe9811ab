"""Errors that Fathom didn't foresee: kept with their tracebacks for a report, and told in a line."""

import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

from fathom.config import read_settings
from fathom.errors import FathomError, InternalError
from fathom.files import write_whole
from fathom.text import without_passwords

MOST_KEPT = 50
"""Reports that are kept; the oldest go first."""


def kept_fault(error: BaseException, *, during: str = "", folder: Path | None = None) -> InternalError:
    """The error told in a line, with its traceback in a file that its owner alone may read.

    `during` is what was asked. The file is in `folder`, or where there is none in the folder of the cache.
    """
    told = "".join(traceback.format_exception(error))
    report = (
        f"Fathom {version('askfathom')}, Python {sys.version.split()[0]} on {sys.platform}\n"
        f"Asked: {during}\n\n{told}\n"
        "The question and the traceback may quote data: read this file before you pass it on.\n"
    )
    now = datetime.now(UTC)
    try:
        there = folder or read_settings().cache / "faults"
        file = there / f"{now:%Y%m%d-%H%M%S}-{token_hex(3)}.txt"
        write_whole(file, without_passwords(report))
        _forget_oldest(there)
    except (
        OSError,
        FathomError,
    ):  # a full disk, or settings that can't be read: the line is told all the same
        return InternalError(error, None)
    return InternalError(error, file)


def _forget_oldest(folder: Path) -> None:
    for file in sorted(folder.glob("*.txt"))[:-MOST_KEPT]:
        with suppress(OSError):
            file.unlink()
