"""How many parts the columns of a query, and its plan, have once the server has put them together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from sqlglot import exp

from fathom.databases.guard.catalogue import LONGEST_NAME
from fathom.databases.guard.value_sizes import NOTHING, OF_TABLE, ROWS, Value, one_of, times
from fathom.databases.guard.words import Refused

MOST_COLUMNS = 3_200  # twice as many as a table of PostgreSQL may have
RELATION = 100  # parts that a table counts for: about 200 kB


class Parts(NamedTuple):
    """Into how many parts an expression grows where it is named, and how large its value is.

    `inlined` where the step that names it is merged with the step that gives it; `pushed` where a condition
    on it is moved into that step, which is done further down than merging.
    """

    inlined: int
    pushed: int
    value: Value = OF_TABLE

    def __add__(self, other: object) -> "Parts":
        assert isinstance(other, Parts)
        return Parts(self.inlined + other.inlined, self.pushed + other.pushed, self.value + other.value)

    def of(self, value: Value) -> "Parts":
        """As many parts, with another value."""
        return Parts(self.inlined, self.pushed, value)

    def kept(self) -> "Parts":
        """The column of a step that the server keeps: naming it copies nothing, its value stays."""
        return Parts(1, 1, self.value)


ONE = Parts(1, 1)
NONE = Parts(0, 0, NOTHING)


@dataclass(slots=True)
class Rows:
    """The columns of a query or table in their order, "" for those without a certain name.

    `total` are the parts of its whole plan; `merged` are those of them that are the columns themselves, and
    are gone once it is merged with a query around it. `is_open` says that there may be other columns, or
    another order. `count` is how many rows there may be.
    """

    columns: list[tuple[str, Parts]]
    total: int = RELATION
    is_open: bool = False
    merged: int = 0
    count: float = ROWS

    def add(self, other: "Rows") -> None:
        """Put the columns of other rows beside these. Raises `Refused` for stars of stars."""
        self.columns += other.columns
        self.is_open = self.is_open or other.is_open
        if len(self.columns) > MOST_COLUMNS:
            raise Refused("size", f"it has more than {MOST_COLUMNS:,} columns side by side.")

    def named(self, name: str) -> Parts | None:
        """The parts of a column that is certain to be there; of all that have the name, as USING merges."""
        found = [parts for known, parts in self.columns if known == name] if self.columns and name else []
        return sum(found[1:], found[0]) if found else None

    def perhaps(self) -> Parts | None:
        """The largest of the columns whose names aren't certain; None where all names are."""
        unnamed = [parts for known, parts in self.columns if not known]
        if not (unnamed or self.is_open):
            return None
        total = times(OF_TABLE.total, max(1.0, self.count / ROWS))
        return largest([*unnamed, ONE.of(OF_TABLE.of_total(total))])

    def all(self) -> Parts:
        """The parts of all columns, as a whole row has them."""
        unknown = self.perhaps() if self.is_open and not self.columns else None
        row = ONE.of(unknown.value if unknown else NOTHING)
        return sum((parts for _, parts in self.columns), row)

    def kept(self) -> "Rows":
        """The rows as the server keeps them, where naming a column copies nothing."""
        columns = [(name, parts.kept()) for name, parts in self.columns]
        return Rows(columns, is_open=self.is_open, count=self.count)

    def spread(self, count: float) -> None:
        """Make them so many, as a join does: each value is there several times."""
        factor = max(1.0, count / max(1.0, self.count))
        if factor > 1:
            self.columns = [
                (name, parts.of(parts.value.of_total(times(parts.value.total, factor))))
                for name, parts in self.columns
            ]
            self.count = count

    def few(self, most: float) -> None:
        """Bound the rows, as LIMIT does."""
        self.count = min(self.count, most)
        self.columns = [(name, parts.of(parts.value.at_most(self.count))) for name, parts in self.columns]

    def renamed(self, names: Sequence[str]) -> "Rows":
        """The rows after `AS t(a, b)`."""
        if names and self.is_open:  # which columns are the first isn't known
            biggest = largest([*(parts for _, parts in self.columns), ONE])
            return replace(self, columns=[(name, biggest) for name in names] + self.columns)
        first = [(name, parts) for name, (_, parts) in zip(names, self.columns, strict=False)]
        return replace(self, columns=first + self.columns[len(first) :])


@dataclass(slots=True)
class Level:
    """One level of a query: what its FROM names, and the tables of WITH that are known from here on."""

    outer: "Level | None" = None
    sources: list[Rows] = field(default_factory=list)
    names: dict[str, list[Rows]] = field(default_factory=dict)
    tables: dict[str, tuple[exp.CTE, Rows]] = field(default_factory=dict)
    count: float = 1

    def outwards(self) -> "Iterator[Level]":
        """This level and those around it."""
        level: Level | None = self
        while level is not None:
            yield level
            level = level.outer

    def add(self, name: str, rows: Rows) -> None:
        """Add an item of FROM."""
        self.sources.append(rows)
        self.names.setdefault(name, []).append(rows)

    def called(self, table: str) -> Sequence[Rows]:
        """Give the rows that FROM calls so; all of them without a name."""
        return self.names.get(table, ()) if table else self.sources

    def certain(self, table: str, column: str) -> list[Parts]:
        """The parts of the columns of this level that a name is certain to mean."""
        return [parts for rows in self.called(table) if (parts := rows.named(column))]


def largest(among: Iterable[Parts]) -> Parts:
    """The most that any of them comes to."""
    several = list(among)
    if len(several) == 1:
        return several[0]
    inlined, pushed, values = zip(*several, strict=True)
    return Parts(max(inlined), max(pushed), one_of(values))


def compared(name: object) -> str:
    """An identifier as names are compared here; "" for none."""
    return cut(name.name) if isinstance(name, exp.Identifier) else ""


@lru_cache(maxsize=4096)
def cut(name: str) -> str:
    """A name in whichever case, quoted or not, cut where PostgreSQL cuts it."""
    folded = name.casefold()
    if folded.isascii():
        return folded[:LONGEST_NAME]
    return folded.encode()[:LONGEST_NAME].decode(errors="ignore")


def joined_rows(sources: Iterable[Rows], total: int, count: float) -> Rows:
    """The columns of several items of FROM side by side."""
    rows = Rows([], total, count=count)
    for source in sources:
        rows.add(source)
    return rows
