"""Results of slow queries on disk: shared by the processes of one run, and gold's kept for the next one."""

import marshal
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from fathom.benchmarks.sql_text import is_code, pieces
from fathom.evaluation.comparisons import ComparedTable

SLOW = 0.004
_MOST_ROWS = 100_000
_LARGE_FILE = 500_000
_FORMAT = f"1 {sys.version_info[:2]}"
# Functions whose result differs each time must run every time.
_FICKLE = ("random", "now", "current_", "localtime", "changes(", "total_changes", "last_insert")


def same_query(sql: str) -> str:
    """The query without what can't change its result in SQLite: comments, blanks, the case of its words."""
    kept: list[str] = []
    for piece in pieces(sql):
        if piece.isspace() or piece[:2] in ("--", "/*"):
            if kept and kept[-1] != " ":
                kept.append(" ")
        else:
            kept.append(piece.lower() if is_code(piece) else piece)
    return "".join(kept).rstrip("; ")


@dataclass(slots=True)
class ResultStore:
    """A folder of results, by the state of the database file and the query. Only for SQLite files.

    Files that can't be written or read are as good as absent: the query runs instead.
    """

    folder: Path
    _states: dict[str, str] = field(default_factory=dict)

    def key(self, database: str, sql: str) -> str | None:
        """The name of a result's file; None where results of this database or query aren't kept."""
        state = self._states.get(database)
        if state is None:
            state = self._states[database] = _state(database)
        lowered = sql.lower()
        if not state or any(word in lowered for word in _FICKLE):
            return None
        from hashlib import sha256  # noqa: PLC0415 - only for databases whose results are kept

        text = "\0".join((_FORMAT, state, same_query(sql)))
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def load(self, key: str) -> ComparedTable | None:
        """The result of that name, where there is one."""
        try:
            columns, rows = marshal.loads((self.folder / key[:2] / key).read_bytes())
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return ComparedTable(tuple(columns), rows)

    def save(self, key: str, table: ComparedTable) -> None:
        """Keep a result for others; not where it is large."""
        if not table.complete or len(table.held) > _MOST_ROWS:
            return
        place = self.folder / key[:2] / key
        from fathom.files import write_whole  # noqa: PLC0415 - most results are too quick to keep

        with suppress(OSError, ValueError):
            content = marshal.dumps((table.columns, table.held))
            write_whole(place, content)


def _state(database: str) -> str:
    """Give a mark that changes with the file's contents; empty where the file is small, or none."""
    try:
        found = [(p, os.stat(p)) for p in (database, f"{database}-wal") if os.path.exists(p)]  # noqa: PTH110, PTH116
    except OSError:
        return ""
    if not found or found[0][1].st_size < _LARGE_FILE:
        return ""
    return " ".join(f"{os.path.realpath(p)} {s.st_size} {s.st_mtime_ns}" for p, s in found)
