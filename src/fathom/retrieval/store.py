"""The value index as a SQLite file: its layout, how tables are written into it, how it is published.

A file is never changed once it is in place: an update is written to a copy, which then takes its place in
one step. Readers keep the file that they opened; a build that is killed leaves nothing but a stray copy.
"""

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from fathom.errors import FathomError
from fathom.retrieval.keys import key
from fathom.retrieval.typos import correctable, remainders
from fathom.text.words import words

VERSION = 2
LONGEST = 200  # characters; longer texts are prose, which nobody names in a question
LONGEST_WAIT = 3600.0  # seconds for another process that builds the same index
_BETWEEN_TRIES = 0.1
_BATCH = 20_000
_DISK_ERRORS = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY),
    sqlite3.SQLITE_PERM,
)
_LOG = logging.getLogger(__name__)

_LAYOUT = """
CREATE TABLE source (name TEXT PRIMARY KEY, mark TEXT NOT NULL);
CREATE TABLE place (id INTEGER PRIMARY KEY, tab TEXT NOT NULL, col TEXT NOT NULL,
                    held INTEGER NOT NULL, left_out INTEGER NOT NULL, UNIQUE (tab, col));
CREATE TABLE value (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, text TEXT NOT NULL,
                    count INTEGER NOT NULL, key INTEGER NOT NULL);
CREATE TABLE term (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, held INTEGER NOT NULL);
CREATE VIRTUAL TABLE word USING fts5(words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE word_list USING fts5vocab(word, row);
CREATE VIRTUAL TABLE near USING fts5(remainders, content='', detail=none, columnsize=0, tokenize='ascii');
"""


class Unusable(FathomError):
    """The file isn't an index of this version, or is damaged; it is built anew."""


def read(file: Path) -> sqlite3.Connection:
    """Open an index to read from it. Raises `Unusable`."""
    try:
        connection = sqlite3.connect(
            f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise Unusable(str(error)) from error
    try:
        version = _number(connection, "PRAGMA user_version")
        _number(connection, "SELECT count(*) FROM place, source")
        size = _number(connection, "PRAGMA page_count") * _number(connection, "PRAGMA page_size")
        _tune(connection)
    except sqlite3.Error as error:
        connection.close()
        raise Unusable(str(error)) from error
    if version != VERSION or size != file.stat().st_size:
        connection.close()
        raise Unusable("another version, or cut short")
    return connection


def marks(connection: sqlite3.Connection) -> dict[str, str]:
    """The state that each table was indexed in, by its name."""
    return dict(connection.execute("SELECT name, mark FROM source"))


def values_of_tables(connection: sqlite3.Connection) -> dict[str, int]:
    """How many values the index holds of each table."""
    return dict(connection.execute("SELECT tab, sum(held) FROM place GROUP BY tab"))


def create(file: Path | None = None) -> sqlite3.Connection:
    """A new empty index in a file, or in memory."""
    connection = _writable(file)
    connection.executescript(_LAYOUT)
    return connection


@contextmanager
def replacement(file: Path, *, fresh: bool) -> Iterator[sqlite3.Connection]:
    """A connection to write the next version of an index with, empty if fresh, else a copy of what is there.

    It takes the file's place when the block ends well. Raises `Unusable` where the copy turns out damaged,
    and `OSError` where the disk is full or fails.
    """
    draft = file.with_name(f"{file.name}.{os.getpid()}.draft")
    try:
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)  # it holds the database's cells: SQLite would let everybody read a new file
        if not fresh:
            shutil.copyfile(file, draft)
        try:
            with closing(create(draft) if fresh else _writable(draft)) as connection:
                yield connection
                connection.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            raise _of_disk(error) or Unusable(str(error)) from error
        with draft.open("rb+") as written:
            os.fsync(written.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def only_one(file: Path) -> Iterator[None]:
    """Hold the right to build an index; whoever comes second waits, for an hour at the most, and logs it.

    Raises `OSError` where the lock can't be had.
    """
    # A lock of the system's, which holds whatever the file has in it.
    lock = FileLock(f"{file}.lock", mode=0o600, poll_interval=_BETWEEN_TRIES)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        _LOG.warning("Waiting for another process, or thread, that is indexing values into %s ...", file)
        try:
            lock.acquire(timeout=LONGEST_WAIT)
        except Timeout:
            minutes = f"{LONGEST_WAIT / 60:g} minutes"
            raise TimeoutError(f"another process has been at it for {minutes}") from None
    try:
        yield
    finally:
        lock.release()


def _of_disk(error: sqlite3.Error) -> OSError | None:
    """The error as one of the disk's, not of what is in the file; None for another."""
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF  # of an extended code
    return OSError(str(error)) if kind in _DISK_ERRORS else None


def _writable(file: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(file or ":memory:", isolation_level=None, check_same_thread=False)
    # A draft that breaks off is thrown away, so it needs no journal.
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    _tune(connection)
    return connection


def _tune(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA mmap_size = 4294967296")


class Writer:
    """Writes the values of whole tables into an index, in one transaction: the writer's `with` block."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._places: dict[tuple[str, str], list[int]] = {}  # id, values held, values left out
        self._next = 1 + _number(connection, "SELECT max(id) FROM value")

    def __enter__(self) -> "Writer":
        self._db.execute("BEGIN")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._finish()
            self._db.execute("COMMIT")

    def add(self, values: Iterable[tuple[str, str, str, int]]) -> None:
        """Add (table, column, value, count); each value of a column once."""
        batch: list[tuple[int, int, str, int, int]] = []
        texts: list[tuple[int, str]] = []
        for table, column, value, count in values:
            place = self._place(table, column)
            text = value if value.isascii() else value.encode("utf-8", "replace").decode()
            if len(text) > LONGEST:
                place[2] += 1
                continue
            place[1] += 1
            found = words(text)
            batch.append((self._next, place[0], text, count, key(found or [text.strip()])))
            if found:
                texts.append((self._next, " ".join(found)))
            self._next += 1
            if len(batch) >= _BATCH:
                self._write(batch, texts)
        self._write(batch, texts)

    def remove(self, table: str) -> None:
        """Forget all values of a table."""
        self._db.execute("DELETE FROM source WHERE name = ?", (table,))
        for (place,) in self._db.execute("SELECT id FROM place WHERE tab = ?", (table,)).fetchall():
            held = self._db.execute("SELECT id, text FROM value WHERE place = ?", (place,))
            while rows := held.fetchmany(_BATCH):
                self._db.executemany(
                    "INSERT INTO word (word, rowid, words) VALUES ('delete', ?, ?)",
                    ((id_, " ".join(found)) for id_, text in rows if (found := words(text))),
                )
            self._db.execute("DELETE FROM value WHERE place = ?", (place,))
            self._db.execute("DELETE FROM place WHERE id = ?", (place,))

    def mark(self, table: str, mark: str) -> None:
        """Note the state that a table was indexed in."""
        self._db.execute("INSERT OR REPLACE INTO source VALUES (?, ?)", (table, mark))

    def _place(self, table: str, column: str) -> list[int]:
        try:
            return self._places[table, column]
        except KeyError:
            sql = "INSERT INTO place (tab, col, held, left_out) VALUES (?, ?, 0, 0) RETURNING id"
            (id_,) = self._db.execute(sql, (table, column)).fetchone()
            return self._places.setdefault((table, column), [id_, 0, 0])

    def _write(self, batch: list[tuple[int, int, str, int, int]], texts: list[tuple[int, str]]) -> None:
        self._db.executemany("INSERT INTO value VALUES (?, ?, ?, ?, ?)", batch)
        self._db.executemany("INSERT INTO word (rowid, words) VALUES (?, ?)", texts)
        batch.clear()
        texts.clear()

    def _finish(self) -> None:
        self._db.executemany(
            "UPDATE place SET held = ?, left_out = ? WHERE id = ?",
            [(held, left_out, id_) for id_, held, left_out in self._places.values()],
        )
        self._db.execute("CREATE INDEX IF NOT EXISTS value_key ON value (key)")
        self._db.execute("INSERT INTO word (word) VALUES ('optimize')")
        known = _number(self._db, "SELECT max(id) FROM term")
        self._db.execute(
            "INSERT INTO term (term, held) SELECT term, doc FROM word_list WHERE true "
            "ON CONFLICT (term) DO UPDATE SET held = excluded.held"
        )
        added = self._db.execute("SELECT id, term FROM term WHERE id > ?", (known,))
        while rows := added.fetchmany(_BATCH):
            self._db.executemany(
                "INSERT INTO near (rowid, remainders) VALUES (?, ?)",
                ((id_, " ".join(remainders(term))) for id_, term in rows if correctable(term)),
            )
        self._db.execute("INSERT INTO near (near) VALUES ('optimize')")


def _number(connection: sqlite3.Connection, sql: str, parameters: Sequence[object] = ()) -> int:
    return connection.execute(sql, parameters).fetchone()[0] or 0
