"""How many parts the columns of a query, and its plan, have once the server has put them together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from fathom.databases.guard.catalogue import LONGEST_NAME
from fathom.databases.guard.words import Refused

MOST_COLUMNS = 3_200  # twice as many as a table of PostgreSQL may have
RELATION = 100  # parts that a table counts for: about 200 kB


class Parts(NamedTuple):
    """Into how many parts an expression grows where it is named.

    `inlined` where the step that names it is merged with the step that gives it; `pushed` where a condition
    on it is moved into that step, which is done further down than merging.
    """

    inlined: int
    pushed: int

    def __add__(self, other: object) -> "Parts":
        assert isinstance(other, Parts)
        return Parts(self.inlined + other.inlined, self.pushed + other.pushed)


ONE = Parts(1, 1)
NONE = Parts(0, 0)


@dataclass(slots=True)
class Rows:
    """The columns of a query or table in their order, "" for those without a certain name.

    `total` are the parts of its whole plan; `merged` are those of them that are the columns themselves, and
    are gone once it is merged with a query around it. `is_open` says that there may be other columns, or
    another order.
    """

    columns: list[tuple[str, Parts]]
    total: int = RELATION
    is_open: bool = False
    merged: int = 0

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
        return largest([*unnamed, ONE]) if unnamed or self.is_open else None

    def all(self) -> Parts:
        """The parts of all columns, as a whole row has them."""
        return sum((parts for _, parts in self.columns), ONE)

    def kept(self) -> "Rows":
        """The rows as the server keeps them, where naming a column copies nothing."""
        return Rows([(name, ONE) for name, _ in self.columns], is_open=self.is_open)

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
    inlined, pushed = zip(*among, strict=True)
    return Parts(max(inlined), max(pushed))


def compared(name: object) -> str:
    """An identifier as names are compared here; "" for none."""
    return cut(name.name) if isinstance(name, exp.Identifier) else ""


def cut(name: str) -> str:
    """A name in whichever case, quoted or not, cut where PostgreSQL cuts it."""
    return name.casefold().encode()[:LONGEST_NAME].decode(errors="ignore")


def joined_rows(sources: Iterable[Rows], total: int) -> Rows:
    """The columns of several items of FROM side by side."""
    rows = Rows([], total)
    for source in sources:
        rows.add(source)
    return rows
