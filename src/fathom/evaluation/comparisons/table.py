"""The result of a query as comparisons see it: in memory where it fits, else read anew each time."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fathom.records import Result

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """Columns and rows. Where not `complete`, `held` is only their beginning and `again` gives all anew."""

    columns: tuple[str, ...]
    held: list[Row]
    complete: bool = True
    again: Callable[[], Iterator[Row]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, result: Result) -> "ComparedTable":
        """The table of a stored result. Raises `ValueError` where rows were cut: it can't be judged."""
        if result.truncated:
            raise ValueError(f"The result was cut at its limit of {result.truncated}.")
        return cls(result.columns, list(result.rows))

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def __iter__(self) -> Iterator[Row]:
        """All rows."""
        if self.complete or self.again is None:
            return iter(self.held)
        return self.again()


@dataclass(frozen=True, slots=True)
class ComparisonCase:
    """The facts that a comparison may need beside the two results.

    `gold_sql` is the query behind the gold result, `run_gold` runs another query on the same database (to
    find tied rows) and gives None where it fails, `question` and `tags` say what was asked.
    """

    gold_sql: str = ""
    question: str = ""
    tags: tuple[str, ...] = ()
    dialect: str = "sqlite"
    run_gold: Callable[[str], ComparedTable | None] | None = None


def distinct(rows: Iterable[Row]) -> set[Row]:
    """The set of rows; nested values (arrays, structures) are frozen first."""
    rows = rows if isinstance(rows, list) else list(rows)
    try:
        return set(rows)
    except TypeError:
        return {freeze(row) for row in rows}


def freeze(value: Any) -> Any:
    """The value with every list, mapping and set in it made hashable; equal values stay equal."""
    if isinstance(value, (list, tuple)):
        return tuple(map(freeze, value))
    if isinstance(value, dict):
        return frozenset((key, freeze(part)) for key, part in value.items())
    if isinstance(value, set):
        return frozenset(map(freeze, value))
    return value


def hashable(rows: list[Row]) -> list[Row]:
    """The rows, frozen where a value can't be hashed."""
    try:
        for row in rows:
            hash(row)
    except TypeError:
        return [freeze(row) for row in rows]
    return rows
