"""Sizes of values: how long the largest is, and all together."""

from collections.abc import Sequence
from typing import NamedTuple

MOST = 1e18
"""A size for all that is larger, and for what isn't known."""
CELL = 5_000.0  # characters of the largest cell of a table
ROWS = 1_000.0  # of a table; also how many rounds a recursion goes
COLUMN = 300 * ROWS  # characters of a column's cells together
COUNT = 1_000.0  # the number in a cell, where it says how long something gets
NUMBERED = 1_000_000.0  # of rows, where their number says so
LARGEST = 100_000_000.0  # characters that a statement may hold at a time, each one to six bytes of memory
SHORT = 20.0  # characters of numbers, dates and the like
ELEMENT = 64.0  # bytes that an element of a list takes beside its text
ROOM = 256.0  # a quarter of what an element takes of a type that PostgreSQL shows in a kilobyte
DIGITS = 150_000.0  # that a number may have


def times(a: float, b: float) -> float:
    """The product of two sizes."""
    return min(a * b, MOST)


class Value(NamedTuple):
    """The size of an expression's values.

    `length` is that of the largest, `total` that of all rows, in characters; `number` is the largest number
    that it may be, where it says how long another gets. `is_json`: nothing in it is escaped once more.
    """

    length: float
    total: float
    number: float = MOST
    is_json: bool = False

    def __add__(self, other: object) -> "Value":
        assert isinstance(other, Value)
        length, total, number, _ = self
        more, more_total, other_number, _ = other
        return Value(
            min(length + more, MOST),
            min(total + more_total, MOST),
            number if number > other_number else other_number,
        )

    def times(self, factor: float) -> "Value":
        """So many of these values put together to one."""
        return Value(times(self.length, factor), times(self.total, factor))

    def at_most(self, rows: float) -> "Value":
        """The values of so many rows."""
        total = times(self.length, rows)
        return self.of_total(total) if total < self.total else self

    def of_total(self, total: float) -> "Value":
        """The same values, together so many characters."""
        return Value(self.length, total, self.number, self.is_json)


NOTHING = Value(0, 0, 0)
OF_TABLE = Value(CELL, COLUMN, COUNT)


def one_of(values: Sequence[Value]) -> Value:
    """The largest of several, of which one is taken."""
    if not values:
        return NOTHING
    lengths, totals, numbers, are_json = zip(*values, strict=True)
    return Value(max(lengths), max(totals), max(numbers), all(are_json))
