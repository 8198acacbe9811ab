"""Sources of FROM and the columns that each surely has, as PostgreSQL finds them.

A base table, view, subquery or CTE gives columns that are known by their names. Everything else in FROM is
a function: its columns are those that the query itself names, and few more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from fathom.databases.guard.words import DialectNames, Refused

LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer ones, so that two may become one
_SYSTEM_COLUMNS = frozenset(("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"))
# Calls without parentheses, which also stand in FROM.
_BARE_CALLS = frozenset(
    """
    current_catalog current_date current_role current_schema current_time current_timestamp current_user
    localtime localtimestamp session_user system_user user
    """.split()
)


class Catalogue(Protocol):
    """The catalogue of a server, as far as names are concerned."""

    def columns(self, schema: str, table: str) -> tuple[str, ...] | None:
        """The columns of a table or view in their order; None where there is no such table.

        An empty `schema` means the first of the search path that has the table.
        """

    def is_callable(self, name: str) -> bool:
        """True if there is a function or type of this name, in whichever schema."""


@dataclass(frozen=True, slots=True)
class KnownColumns:
    """The names of columns that are certain to be there.

    `complete` says that these are all, in their order; `any` that every name may be one, which is so for
    tables of a database that isn't known.
    """

    names: tuple[str, ...] = ()
    complete: bool = True
    any: bool = False

    def renamed(self, names: Sequence[str]) -> "KnownColumns":
        """The columns after `AS t(a, b)`: the first ones have other names."""
        if not names:
            return self
        rest = self.names[len(names) :] if self.complete else ()
        return KnownColumns((*names, *rest), complete=self.complete, any=self.any)


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
        """True if a column of this name is certain to be there."""
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


def plain(name: exp.Expr | None) -> str:
    """An identifier as the server keeps it: in lower case unless quoted. Raises `Refused` for giant ones."""
    if not isinstance(name, exp.Identifier):
        return ""
    text = name.name if name.quoted else name.name.lower()
    if len(text.encode()) > LONGEST_NAME:
        raise Refused("quoting", f"the name {text[:30]!r}... is longer than {LONGEST_NAME} bytes.")
    return text


def alias_of(item: exp.Expr) -> tuple[str, tuple[str, ...]]:
    """The name that an item of FROM gets, and the names that its first columns get."""
    alias = item.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return "", ()
    columns = (c.this if isinstance(c, exp.ColumnDef) else c for c in alias.columns)
    return plain(alias.this), tuple(map(plain, columns))


def table_source(table: exp.Table, scope: Scope, catalogue: Catalogue | None) -> Source:
    """A name in FROM: a CTE, a base table or view, or a call without parentheses."""
    name, schema = plain(table.this), plain(table.args.get("db"))
    alias, renamed = alias_of(table)
    if not schema:
        if not table.this.quoted and name in _BARE_CALLS:
            return Source(alias or name, KnownColumns((alias or name,)).renamed(renamed))
        known = scope.cte(name)
        if known is not None:
            return Source(alias or name, known.renamed(renamed))
    if catalogue is None:
        columns = KnownColumns(any=True, complete=False)
    else:
        found = catalogue.columns(schema, name)
        columns = KnownColumns(found or (), complete=found is not None)
    return Source(
        alias or name,
        columns.renamed(renamed),
        schema=schema,
        own_name="" if alias else name,
        is_table=True,
        missing="" if columns.complete or columns.any else name,
    )


def function_source(item: exp.Expr, names: DialectNames, catalogue: Catalogue | None) -> Source:
    """A function in FROM, `ROWS FROM (...)` and all that isn't known to be something else."""
    alias, renamed = alias_of(item)
    call = item if isinstance(item, exp.Unnest) else item.this
    called = _called(call)
    if item.args.get("rows_from") or called is None:
        columns = KnownColumns(complete=False)
    elif called in names.fields:
        columns = KnownColumns(names.fields[called])
    elif called.endswith(("_populate_record", "_populate_recordset")):
        columns = _columns_of_type(call, catalogue)
    elif called in names.functions and called not in names.of_any_type:
        columns = KnownColumns((alias or called,))
    else:
        columns = KnownColumns(complete=False)
    columns = columns.renamed(renamed)
    offset = call.args.get("offset") if isinstance(call, exp.Unnest) else None
    if offset or item.args.get("ordinality"):
        last = plain(offset) or "ordinality"
        columns = KnownColumns((*columns.names, last), complete=False)
    return Source(alias or called or "", columns)


def _called(call: exp.Expr | None) -> str | None:
    if isinstance(call, exp.Anonymous):
        return call.name.lower() if isinstance(call.this, str) else None
    if isinstance(call, (exp.GenerateSeries, exp.ExplodingGenerateSeries)):
        return "generate_series"
    return call.sql_name().lower() if isinstance(call, exp.Func) else None


def _columns_of_type(call: exp.Expr | None, catalogue: Catalogue | None) -> KnownColumns:
    """The fields of `null::t`, where `t` is a table's row type, that a function gives back filled."""
    base = call.expressions[0] if isinstance(call, exp.Anonymous) and call.expressions else None
    kind = base.args["to"].args.get("kind") if isinstance(base, exp.Cast) else None
    if catalogue is None or kind is None:
        return KnownColumns(complete=False)
    schema, name = (kind.this, kind.expression) if isinstance(kind, exp.Dot) else (None, kind)
    found = catalogue.columns(plain(schema), plain(name)) if isinstance(name, exp.Identifier) else None
    return KnownColumns(found or (), complete=found is not None)
