"""Opening files of rows: the DuckDB file that they were read into, made anew where they have changed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from select import select

from filelock import FileLock

from fathom.databases.contained import contained
from fathom.databases.duckdb import DuckDB
from fathom.databases.engine import Engine, Mark, Read
from fathom.databases.row_files.sources import FileOfRows, sources_of, states_of
from fathom.errors import ConfigError, ConnectionFailed
from fathom.files import private_folder, write_whole
from fathom.processes.child import Child, ChildEnded, can_start
from fathom.watch import tell

Remarks = Mapping[str, tuple[str, ...]]

_FORM = 1
"""Part of a file's name: another whenever files are read otherwise."""
_SECONDS, _SLOWEST = 120.0, 1_000_000
"""Reading may take so long, and a second more for so many bytes: a small file may unpack to a giant."""
_LARGE = 50_000_000
"""Bytes from which reading takes seconds, so that it is told."""


class RowFiles(DuckDB):
    """The tables of a file of rows, or of those in a folder. `remarks` say what reading left out."""

    is_new = True

    def __init__(self, source: Path, cache: Path) -> None:
        self._source, self._cache = source, cache
        self._states = states_of(source)
        self.opened_mark = Mark(self._states)
        made, self.remarks = converted(source, cache)
        super().__init__(made)

    def mark(self, read: Read) -> Mark:
        return Mark(states_of(self._source))

    def renewed(self) -> Engine:
        return RowFiles(self._source, self._cache)

    def contained(self) -> Engine:
        return contained(self, self._path)

    def state(self) -> str:
        return _digest(self._states)


def converted(source: Path, cache: Path) -> tuple[Path, Remarks]:
    """The DuckDB file of what is at a path now, and the remarks on it.

    Raises `ConnectionFailed`, and `ConfigError` where it can't be kept.
    """
    folder = cache / "files"
    try:
        private_folder(folder)
        place = _digest(str(source))
        with FileLock(folder / f"{place}.lock"):  # another process reads the same file once
            made = folder / f"{place}-{_digest((_FORM, states_of(source)))}.duckdb"
            notes = made.with_suffix(".json")
            if made.exists() and (known := _remarks(notes)) is not None:
                return made, known
            for old in folder.glob(f"{place}-*"):  # who has one open keeps it
                old.unlink(missing_ok=True)
            remarks = _read(source, made)
            write_whole(notes, json.dumps(remarks))
            return made, remarks
    except OSError as error:
        raise ConfigError(
            f"The rows of {source} can't be kept in {folder}: {error}. "
            "Set FATHOM_CACHE to a folder that can be written to."
        ) from error


def forget(source: Path, cache: Path) -> None:
    """Remove the rows that were read of what was at a path. Raises `OSError`."""
    for kept in (cache / "files").glob(f"{_digest(str(source.resolve()))}*"):
        kept.unlink(missing_ok=True)


def _remarks(notes: Path) -> Remarks | None:
    with suppress(OSError, ValueError, AttributeError, TypeError):
        found = json.loads(notes.read_text(encoding="utf-8"))
        return {str(table): tuple(map(str, told)) for table, told in found.items()}
    return None


def _read(source: Path, made: Path) -> Remarks:
    """Read the files, in a child where one can be started: they come from anywhere."""
    sources = sources_of(source)
    size = sum(one.path.stat().st_size for one in sources)
    if size > _LARGE:
        tell(f"reading {source.name} ({size / 1e9:.1f} GB), once until it changes")
    partial = made.with_name(f".{made.name}")
    partial.unlink(missing_ok=True)
    try:
        remarks = _in_child(source, sources, partial)
        partial.chmod(0o600)
        partial.replace(made)
    finally:
        for left in (partial, partial.with_name(f"{partial.name}.wal")):
            left.unlink(missing_ok=True)
    return remarks


def _in_child(source: Path, sources: Sequence[FileOfRows], target: Path) -> Remarks:
    if not can_start():
        from fathom.databases.row_files.conversion import convert  # noqa: PLC0415

        return convert(sources, target)
    size = sum(one.path.stat().st_size for one in sources)
    seconds = _SECONDS + size / _SLOWEST
    child = Child("fathom.databases.row_files.conversion:serve")
    try:
        child.send((sources, target))
        if not select([child], [], [], seconds)[0]:
            raise ConnectionFailed(f"{source} can't be read within {seconds:.0f} seconds.")
        reply = child.receive()
    except ChildEnded as error:
        raise ConnectionFailed(f"{source} can't be read: {error.how}.") from error
    finally:
        child.end()
    if isinstance(reply, ConnectionFailed):
        raise reply
    remarks: Remarks = reply
    return remarks


def _digest(content: object) -> str:
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]
