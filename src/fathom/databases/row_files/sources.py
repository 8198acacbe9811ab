"""The files of rows behind a path that a person names, and the mark that tells when one of them changed."""

import os
from dataclasses import dataclass
from pathlib import Path

from fathom.databases.freshness import FileState, file_state
from fathom.errors import ConnectionFailed

KINDS = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "delimited"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "sheets"),
}
"""How files of rows are read, by their endings."""
_MOST_LISTED = 300
DATABASES = frozenset((".sqlite", ".sqlite3", ".db", ".duckdb"))
"""How files of databases end, mostly."""


@dataclass(frozen=True, slots=True)
class FileOfRows:
    """One file of rows, and how it is read."""

    path: Path
    kind: str


def holds_rows(path: Path) -> bool:
    """True if a path is a folder, or a file whose ending is that of a file of rows."""
    return path.suffix.casefold() in KINDS or path.is_dir()


def sources_of(path: Path) -> tuple[FileOfRows, ...]:
    """The files of rows at a path: itself, or those right in a folder. Raises `ConnectionFailed`."""
    if not path.is_dir():
        return (FileOfRows(path, KINDS[path.suffix.casefold()]),)
    try:
        inside = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "~$")))
    except OSError as error:
        raise ConnectionFailed(f"{path} can't be read: {error.strerror}.") from error
    found = tuple(FileOfRows(p, kind) for p in inside if (kind := KINDS.get(p.suffix.casefold())))
    if found:
        return found
    held = [p.name for p in inside if p.suffix.casefold() in DATABASES]
    if held:
        raise ConnectionFailed(f"{path} is a folder; name the database file in it: {', '.join(held[:5])}.")
    raise ConnectionFailed(
        f"The folder {path} has no file of rows right in it. Fathom reads {', '.join(sorted(KINDS))}, "
        "and SQLite or DuckDB files, which are named by themselves."
    )


def rows_under(folder: Path) -> dict[str, str]:
    """The files of rows anywhere in a folder, and the folders with such, by their paths from there.

    Nothing that a link leads out to. At most some hundreds, the first ones.
    """
    base, found = folder.resolve(), dict[str, str]()
    for place, folders, names in os.walk(base):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = [Path(place) / n for n in sorted(names) if Path(n).suffix.casefold() in KINDS]
        rows = [p for p in inside if not p.name.startswith(".") and p.resolve().is_relative_to(base)]
        if len(rows) > 1 and len(rows) == len(inside) and Path(place) != base:
            found[f"{Path(place).relative_to(base).as_posix()}/"] = place
        found |= {p.relative_to(base).as_posix(): str(p) for p in rows}
        if len(found) >= _MOST_LISTED:
            break
    return found


def states_of(path: Path) -> tuple[tuple[str, FileState], ...]:
    """The names and states of the files of rows at a path. Raises `ConnectionFailed` where none is left."""
    file_state(path)
    return tuple((source.path.name, file_state(source.path)) for source in sources_of(path))
