"""Items of FROM, the columns that each surely has, and which of them a name may mean, as PostgreSQL finds it.

A base table, view, subquery or CTE gives columns that are known by their names. Everything else in FROM is
a function: its columns are those that the query itself names, and few more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_SYSTEM_COLUMNS = frozenset(("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"))


@dataclass(frozen=True, slots=True)
class KnownColumns:
    """The names of columns that are certain to be there.

    `complete` says that these are all, in their order; `any` that every name may be one, which is so for
    tables of a database that isn't known. `rows` has the columns inside those that are whole rows.
    """

    names: tuple[str, ...] = ()
    complete: bool = True
    any: bool = False
    rows: "Mapping[str, KnownColumns]" = field(default_factory=dict)

    def renamed(self, names: Sequence[str]) -> "KnownColumns":
        """The columns after `AS t(a, b)`: the first ones have other names."""
        if not names:
            return self
        rest = self.names[len(names) :] if self.complete else ()
        return KnownColumns((*names, *rest), complete=self.complete, any=self.any)

    def may_have(self, name: str) -> bool:
        """Tell whether a column of this name can't be ruled out."""
        return self.any or not self.complete or name in self.names


@dataclass(frozen=True, slots=True)
class Source:
    """One item of FROM. `own_name` is a table's that has no alias; `schema` may be before it.

    `missing` is the name of a table that there isn't.
    """

    name: str
    columns: KnownColumns
    schema: str = ""
    own_name: str = ""
    is_table: bool = False
    missing: str = ""

    def has(self, column: str) -> bool:
        """Tell whether a column of this name is certain to be there."""
        known = self.columns
        named = column in known.names or (self.is_table and column in _SYSTEM_COLUMNS)
        return bool(column) and (known.any or named)


@dataclass(slots=True)
class Scope:
    """The sources that a name may mean at one place of a query: `sources` for certain, `doubtful` perhaps.

    A name that isn't found in `sources` is looked for in `outer`, as the server does.
    """

    outer: "Scope | None" = None
    sources: list[Source] = field(default_factory=list)
    doubtful: list[Source] = field(default_factory=list)
    ctes: dict[str, KnownColumns] = field(default_factory=dict)

    def cte(self, name: str) -> KnownColumns | None:
        """The columns of the CTE that a bare name in FROM means; None where it means a table."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.ctes:
                return scope.ctes[name]
            scope = scope.outer
        return None

    def named(self, name: str, schema: str = "") -> list[Source]:
        """All that a name before a dot may refer to; empty when nothing in FROM is called so."""
        found: list[Source] = []
        scope: Scope | None = self
        while scope is not None:
            found += (s for s in scope.doubtful if _answers(s, name, schema))
            certain = [s for s in scope.sources if _answers(s, name, schema)]
            if certain:
                return found + certain
            scope = scope.outer
        return found

    def everything(self) -> list[Source]:
        """All sources from here outwards."""
        found: list[Source] = []
        scope: Scope | None = self
        while scope is not None:
            found += (*scope.sources, *scope.doubtful)
            scope = scope.outer
        return found


def _answers(source: Source, name: str, schema: str) -> bool:
    if not schema:
        return source.name == name
    return source.own_name == name and source.schema in ("", schema)
