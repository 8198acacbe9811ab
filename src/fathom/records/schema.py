"""A database's schema: tables, columns and the keys between them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from fathom.errors import SchemaError, did_you_mean
from fathom.records.display import Displayed

ColumnKind = Literal[
    "text", "integer", "number", "boolean", "date", "time", "datetime", "json", "blob", "other"
]
NUMERIC: frozenset[ColumnKind] = frozenset(("integer", "number"))
"""The kinds whose values can be calculated with."""
DATED: frozenset[ColumnKind] = frozenset(("date", "datetime"))
"""The kinds whose values have a day."""
TIMED: frozenset[ColumnKind] = DATED | {"time"}
"""The kinds whose values say when."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `type` is the engine's own name, `kind` the family that all engines share."""

    name: str
    type: str
    kind: ColumnKind
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A join from `columns` of `table` to `target_columns` of `target_table`.

    `inferred` joins are not declared in the database; `confidence` is 1 for declared ones.
    """

    table: str
    columns: tuple[str, ...]
    target_table: str
    target_columns: tuple[str, ...]
    inferred: bool = False
    confidence: float = 1.0


@dataclass(frozen=True)
class Table:
    """One table or view. `name` is qualified with its schema only outside the default one.

    `row_count` is None where it isn't known; `rows_estimated` says that the engine estimated it.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    comment: str | None = None
    row_count: int | None = None
    rows_estimated: bool = False
    is_view: bool = False

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {c.name.casefold(): c for c in self.columns}

    def column(self, name: str) -> Column:
        """The column of that name, in any case. Raises `SchemaError` with the nearest name."""
        try:
            return self._by_name[name.casefold()]
        except KeyError:
            hint = did_you_mean(name, [c.name for c in self.columns])
            raise SchemaError(f"Table {self.name!r} has no column {name!r}.{hint}") from None


@dataclass(frozen=True)
class Schema(Displayed):
    """The tables of one database and the joins between them, declared and inferred."""

    dialect: str
    tables: tuple[Table, ...]
    foreign_keys: tuple[ForeignKey, ...] = field(default=())

    @cached_property
    def _by_name(self) -> dict[str, Table]:
        return {t.name.casefold(): t for t in self.tables}

    def __contains__(self, name: str) -> bool:
        return name.casefold() in self._by_name

    def table(self, name: str) -> Table:
        """The table of that name, in any case. Raises `SchemaError` with the nearest name."""
        try:
            return self._by_name[name.casefold()]
        except KeyError:
            hint = did_you_mean(name, [t.name for t in self.tables])
            raise SchemaError(f"The database has no table {name!r}.{hint}") from None
