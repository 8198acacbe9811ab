"""The store's SQLite file: opened, migrated, and written by one at a time."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from threading import RLock
from typing import Any

from fathom.errors import ConfigError

_WAIT = 10.0
"""Seconds to wait for another process that writes: each writes for milliseconds."""
SESSION_AGE = timedelta(days=30)
"""How long a browser is let in after it showed a token; a copied cookie is worth no more."""


def stamp(at: datetime | None = None) -> str:
    """A time as the answers' file keeps it, in UTC to the millisecond, so that texts sort; now by itself."""
    return (at or datetime.now(UTC)).isoformat(timespec="milliseconds")


def sessions_since() -> str:
    """The stamp after which a session has begun that still lets in."""
    return stamp(datetime.now(UTC) - SESSION_AGE)


class StoreFile:
    """One connection for all threads of a process; other processes may use the same file.

    Raises `ConfigError` for a file that can't be used, or that a later version has written.
    """

    def __init__(self, path: Path, scripts: Sequence[str] | None = None, kept: str = "Answers") -> None:
        """Open a file whose form the scripts make, the answers' without any; `kept` names what is in it."""
        self.path = path
        self._scripts = migrations() if scripts is None else scripts
        self._lock = RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(
                path, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            self._connection.row_factory = sqlite3.Row
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "trusted_schema=OFF"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._migrate()
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(
                f"{kept} can't be kept in {path}: {error}. Set FATHOM_STORE to a file that can be written."
            ) from error

    def _migrate(self) -> None:
        steps = self._scripts
        with self.writing():
            [(version,)] = self.rows("PRAGMA user_version")
            if version > len(steps):
                raise ConfigError(
                    f"{self.path} was written by a later version of Fathom (form {version}). Upgrade, or set "
                    "FATHOM_STORE to another file."
                )
            for number, script in enumerate(steps[version:], start=version + 1):
                for statement in _statements(script):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {number}")

    def rows(self, sql: str, *values: Any) -> Sequence[sqlite3.Row]:
        """The rows of a query, or of a statement that gives none."""
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written inside is kept together, or not at all."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()


def migrations(package: str = "fathom.answering.store") -> list[str]:
    """The scripts that make each form of a package's file from the one before, in order."""
    folder = files(package).joinpath("migrations")
    named = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir() if f.name.endswith(".sql")}
    return [named[name] for name in sorted(named)]


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would commit what was begun before it."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
