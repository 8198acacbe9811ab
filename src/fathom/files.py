"""Writing files, or lines of them, whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_DISK_ERRORS = (errno.ENOSPC, getattr(errno, "EDQUOT", None), errno.EIO)


def private_folder(folder: Path) -> Path:
    """The folder, made where there is none, with those above it: what is made, its owner alone may look into.

    Raises `OSError`.
    """
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    for new in reversed(missing):
        new.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises where a file has the name
    return folder


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Name the file in an error of its disk: the system names it only where a file is opened."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_ERRORS and error.filename is None:
            error.filename = str(file)
        raise


def write_whole(file: Path, content: str | bytes, *, mode: int = 0o600, sync: bool = False) -> None:
    """Write a file, its folder too; an earlier one is replaced only once the new one is whole.

    Text is written as UTF-8. `mode` are the permissions; where it is the owner's file alone, so are the
    folders that are made for it. `sync` waits until a power failure can't lose it. Raises `OSError`,
    and leaves nothing behind.
    """
    if mode & 0o077:
        file.parent.mkdir(parents=True, exist_ok=True)
    else:
        private_folder(file.parent)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    new = Path(name)
    try:
        with _named(file), os.fdopen(handle, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            if sync:
                stream.flush()
                os.fsync(handle)
        new.chmod(mode)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextmanager
def written_whole(file: Path) -> Iterator[IO[str]]:
    """A stream of text to a file, its folder made too, which appears whole once the block has ended well.

    A kill leaves a stray file beside it, which the next writing replaces. What is no plain file, such as
    /dev/stdout, is written at once. Raises `OSError`.
    """
    if file.exists() and not file.is_file():
        with file.open("w", encoding="utf-8", errors="replace") as stream:
            yield stream
        return
    file = file.resolve()  # what a link leads to is replaced, not the link
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.partial")
    try:
        with _named(file), partial.open("w", encoding="utf-8", errors="replace") as stream:
            yield stream
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def whole_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their ends, numbered from 1, but a torn last one. Raises `OSError`."""
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                return
            yield number, line


class LineFile:
    """A file that lines are added to, safe against kills and full disks; two at once need a lock.

    A line is one write, so that a killed process leaves at most one torn line, the last; opening the file
    cuts it off. What the operating system has accepted survives the end of the process, and a power failure
    what was synced.
    """

    def __init__(self, file: Path, seen: Callable[[int, bytes], object] = lambda *_: None) -> None:
        """Open a file, made in its folder where there is none; `seen` is told the lines in it, numbered.

        Raises `OSError`, and what `seen` raises.
        """
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        self._file, self._size = file, 0
        try:
            for number, line in whole_lines(file):
                seen(number, line)
                self._size += len(line)
            self._cut()
        except BaseException:
            os.close(self._handle)
            raise

    def append(self, line: bytes, *, sync: bool = False) -> None:
        """Add a line with its end. Raises `OSError`, and leaves the file as it was."""
        try:
            with _named(self._file):
                _write(self._handle, line)
                if sync:
                    os.fsync(self._handle)
        except OSError:
            self._cut()
            raise
        self._size += len(line)

    def close(self) -> None:
        """Make sure of what was written, and close the file."""
        try:
            os.fsync(self._handle)
        finally:
            os.close(self._handle)

    def _cut(self) -> None:
        os.ftruncate(self._handle, self._size)
        os.lseek(self._handle, self._size, os.SEEK_SET)


def _write(handle: int, line: bytes) -> None:
    if os.write(handle, line) != len(line):
        raise OSError("only a part of the line was written")
