"""The rows of a running query, given in batches and cut at its limits."""

import marshal
from collections.abc import Callable, Iterator
from itertools import chain
from sys import getsizeof
from typing import Any, Literal

from fathom.databases.engine import Engine, Row, Session
from fathom.records import Limits

_BATCH_ROWS = 2_000
_BATCH_BYTES = 4_000_000
_LARGE_FETCH = 250_000
_PLAIN_MARSHAL = 2  # no references to what came before
_NESTED = (list, tuple, dict, set)


class Stream:
    """Batches of rows of one running query; iterate once, and close, best with `with`.

    `truncated` names the limit that cut the rows, once they have been read. No more than one batch is held.
    """

    def __init__(
        self,
        engine: Engine,
        session: Session,
        columns: tuple[str, ...],
        *,
        sql: str,
        limits: Limits,
        release: Callable[[Session, bool], None],
    ) -> None:
        self.columns = columns
        self.truncated: Literal["rows", "bytes"] | None = None
        self._engine, self._sql, self._limits = engine, sql, limits
        self._session: Session | None = session
        self._release = release

    def __iter__(self) -> Iterator[list[Row]]:
        batch: list[Row] = []
        held = 0
        for rows, size in self._fetched():
            batch += rows
            held += size
            if len(batch) >= _BATCH_ROWS or held >= _BATCH_BYTES:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _fetched(self) -> Iterator[tuple[list[Row], int]]:
        """Rows as fetched with their size in bytes, up to the limits."""
        rows_left = self._limits.rows
        bytes_left = self._limits.bytes
        count = 1
        while rows := self._fetch(count):
            if rows_left is not None and len(rows) > rows_left:
                self.truncated = "rows"
                rows = rows[:rows_left]
            size = _size_of_rows(rows)
            if bytes_left is not None and size > bytes_left:
                self.truncated = "bytes"
                rows, size = _fitting(rows, bytes_left)
            yield rows, size
            if self.truncated:
                self.close()
                return
            rows_left = None if rows_left is None else rows_left - len(rows)
            bytes_left = None if bytes_left is None else bytes_left - size
            # A few large values at once, but never many.
            count = self._engine.rows_at_once if size < _LARGE_FETCH else 1
        self._end(complete=True)

    def _fetch(self, count: int) -> list[Row]:
        if self._session is None:
            return []
        try:
            return self._session.fetch(count)
        except self._engine.errors as error:
            self._end(complete=False)
            raise self._engine.translate(error, self._sql, self._limits) from error
        except BaseException:
            self._end(complete=False)
            raise

    def _end(self, *, complete: bool) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._release(session, complete)

    def close(self) -> None:
        """Stop the query, if it still runs, and give its connection back."""
        self._end(complete=False)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _size_of_rows(rows: list[Row]) -> int:
    try:
        # A tenth of what asking each value takes; it counts numbers and text as written to a file.
        return len(marshal.dumps(rows, _PLAIN_MARSHAL))
    except ValueError:  # dates, decimals
        return sum(map(_size_of, chain.from_iterable(rows)))


def _size_of(value: Any) -> int:
    size = getsizeof(value)
    if isinstance(value, _NESTED):
        parts = chain.from_iterable(value.items()) if isinstance(value, dict) else value
        size += sum(map(_size_of, parts))
    return size


def _fitting(rows: list[Row], bytes_left: int) -> tuple[list[Row], int]:
    """The first rows that fit, with their size."""
    total = 0
    for place, row in enumerate(rows):
        size = _size_of_rows([row])
        if total + size > bytes_left:
            return rows[:place], total
        total += size
    return rows, total
