"""Responses kept on disk for a while, so that the same call isn't made twice."""

import json
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from fathom.biotools.catalogue import HttpRequest
from fathom.files import private_folder

_LOG = logging.getLogger(__name__)
_TABLE = """CREATE TABLE IF NOT EXISTS response (
    request TEXT PRIMARY KEY, kept REAL NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL)"""


class ResponseStore:
    """Bodies and headers by request, in one SQLite file; older than `seconds` they are made anew.

    Safe from several threads and processes. A file that can't be used is as good as empty, and one that
    can't be written to keeps nothing, which is logged once.
    """

    def __init__(self, file: Path, *, seconds: float) -> None:
        private_folder(file.parent)
        file.touch(mode=0o600)
        self._file, self._seconds = file, seconds
        self._writing = threading.Lock()
        self._told = False
        try:
            self._prepare()
        except sqlite3.DatabaseError:
            file.unlink(missing_ok=True)
            with self._told_once():
                self._prepare()

    def _prepare(self) -> None:
        with closing(self._open()) as opened, opened:
            opened.execute(_TABLE)
            opened.execute("DELETE FROM response WHERE kept < ?", (time.time() - self._seconds,))

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=10.0)

    @contextmanager
    def _told_once(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if not self._told:
                _LOG.warning("Responses can't be kept in %s: %s. All calls are made anew.", self._file, error)
            self._told = True

    def get(self, request: HttpRequest, base: str) -> tuple[dict[str, str], bytes] | None:
        """Headers and body of a request that was made lately, or None."""
        row = None
        with self._told_once(), closing(self._open()) as opened:
            row = opened.execute(
                "SELECT headers, body FROM response WHERE request = ? AND kept >= ?",
                (_key(request, base), time.time() - self._seconds),
            ).fetchone()
        return (json.loads(row[0]), zlib.decompress(row[1])) if row else None

    def put(self, request: HttpRequest, base: str, headers: Mapping[str, str], body: bytes) -> None:
        """Keep a response."""
        row = (_key(request, base), time.time(), json.dumps(dict(headers)), zlib.compress(body, 1))
        with self._told_once(), self._writing, closing(self._open()) as opened, opened:
            opened.execute("INSERT OR REPLACE INTO response VALUES (?, ?, ?, ?)", row)


def _key(request: HttpRequest, base: str) -> str:
    return json.dumps([request.method, request.url(base), request.form])
