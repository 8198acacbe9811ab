"""How large rows are, where they are cut at the limits, and rows as bytes for another process of ours."""

import marshal
import pickle
from collections.abc import Callable, Iterator
from itertools import chain
from sys import getsizeof
from typing import Literal

from fathom.databases.engine import Row
from fathom.records import Limits

_LARGE_FETCH = 250_000  # bytes fetched at once, from which on rows are fetched one by one
_PLAIN_MARSHAL = 2  # no references to what came before
Cut = Literal["rows", "bytes"]


class Fetching:
    """The rows of a running query as they are fetched, up to the limits; `truncated` names what cut them.

    Gives lists of rows with what `measure` makes of them: any value, and the bytes that they take.
    """

    def __init__(
        self,
        fetch: Callable[[int], list[Row]],
        limits: Limits,
        at_once: int,
        measure: Callable[[list[Row]], tuple[bytes, int]],
    ) -> None:
        self.truncated: Cut | None = None
        self._fetch, self._limits, self._at_once, self._measure = fetch, limits, at_once, measure

    def __iter__(self) -> Iterator[tuple[list[Row], bytes, int]]:
        rows_left, bytes_left = self._limits.rows, self._limits.bytes
        count = 1
        while rows := self._fetch(count):
            if rows_left is not None and len(rows) > rows_left:
                self.truncated = "rows"
                rows = rows[:rows_left]
            made, size = self._measure(rows)
            if bytes_left is not None and size > bytes_left:
                self.truncated = "bytes"
                rows = _fitting(rows, bytes_left)
                made, size = self._measure(rows)
            yield rows, made, size
            if self.truncated:
                return
            rows_left = None if rows_left is None else rows_left - len(rows)
            bytes_left = None if bytes_left is None else bytes_left - size
            # A few large values at once, but never many.
            count = self._at_once if size < _LARGE_FETCH else 1


def measured(rows: list[Row]) -> tuple[bytes, int]:
    """Nothing, and the bytes that rows take."""
    return b"", _size_of_rows(rows)


def packed(rows: list[Row]) -> tuple[bytes, int]:
    """Rows as bytes, and the bytes that they take."""
    try:
        content = b"m" + marshal.dumps(rows, _PLAIN_MARSHAL)
    except ValueError:  # dates, decimals
        content = b"p" + pickle.dumps(rows, pickle.HIGHEST_PROTOCOL)
    return content, len(content)


def unpacked(content: bytes) -> list[Row]:
    """The rows that `packed` made bytes of."""
    rows: list[Row] = (pickle if content[:1] == b"p" else marshal).loads(memoryview(content)[1:])
    return rows


def _size_of_rows(rows: list[Row]) -> int:
    """The bytes of rows as they are written to a file, which takes a fraction of asking each value."""
    try:
        return packed(rows)[1]
    except Exception:  # a driver's value of a kind that can't be written
        return sum(map(getsizeof, chain.from_iterable(rows)))


def _fitting(rows: list[Row], bytes_left: int) -> list[Row]:
    """The first rows that fit."""
    total = 0
    for place, row in enumerate(rows):
        total += _size_of_rows([row])
        if total > bytes_left:
            return rows[:place]
    return rows
