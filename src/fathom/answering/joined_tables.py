"""Which of a query's tables give it its rows: those that no other refers to by the keys that join them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from fathom.records import Schema


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that a query reads, by the name that it has there; `called` is what a row of it is."""

    alias: str
    table: str
    called: str


def finest_tables(
    query: exp.Select,
    sources: Sequence[ReadTable],
    source_of: Callable[[exp.Column], ReadTable | None],
    schema: Schema,
) -> list[ReadTable]:
    """Leave out the tables whose rows may come several times, once for each row that refers to them.

    Two tables may refer to each other, as employees and departments do: the keys they are joined on tell.
    """
    joined: set[ReadTable] = set()
    referred: set[ReadTable] = set()
    for one, other in _pairs(query):
        sides = source_of(one), source_of(other)
        if None in sides or sides[0] is sides[1]:
            continue
        joined |= {s for s in sides if s is not None}
        referred |= {s for s, o, column, by in ((*sides, one, other), (*sides[::-1], other, one))
                     if s is not None and o is not None and _refers(by, o, column, s, schema)}  # fmt: skip
    named = {s.table for s in sources if s not in joined}
    by_schema = {
        key.target_table
        for key in schema.foreign_keys
        if key.table != key.target_table and any(s.table == key.table for s in sources)
    } & named
    return [s for s in sources if s not in referred and (s in joined or s.table not in by_schema)]


def _pairs(query: exp.Select) -> Iterator[tuple[exp.Column, exp.Column]]:
    """The columns that a query holds equal to each other."""
    for test in query.find_all(exp.EQ):
        left, right = test.left, test.right
        if isinstance(left, exp.Column) and isinstance(right, exp.Column) and test.parent_select is query:
            yield left, right


def _refers(
    column: exp.Column, source: ReadTable, target_column: exp.Column, target: ReadTable, schema: Schema
) -> bool:
    """True if a column points to the row that another table has by its key."""
    if any(
        (k.table, k.columns, k.target_table) == (source.table, (column.name,), target.table)
        for k in schema.foreign_keys
    ):
        return True
    keys = [schema.table(s.table).primary_key if s.table in schema else () for s in (target, source)]
    return keys[0] == (target_column.name,) and keys[1] != (column.name,)
