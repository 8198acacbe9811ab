"""The tables and columns that a query reads (the gold schema of docs/metrics.md)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from fathom.errors import ErrorClass, QueryError
from fathom.records import Schema, Selection

_IN_SMALL_LETTERS = {"snowflake": "snowflake, normalization_strategy=lowercase"}
"""Dialects that turn bare names into capitals; here names are folded before they are looked at."""


@dataclass(frozen=True, slots=True)
class SchemaItems:
    """Base tables and their columns (`table.column`), names folded."""

    tables: frozenset[str]
    columns: frozenset[str]

    def as_json(self) -> dict[str, list[str]]:
        """Columns by table; a table with no column named reads none (`COUNT(*)`)."""
        found: dict[str, list[str]] = {t: [] for t in sorted(self.tables)}
        for item in sorted(self.columns):
            table, _, column = item.rpartition(".")
            found.setdefault(table, []).append(column)
        return found


def selected_items(selection: Selection | Mapping[str, Iterable[str]], schema: Schema) -> SchemaItems:
    """Give the tables and columns of a selection; a table without columns is taken whole."""
    tables = selection.tables if isinstance(selection, Selection) else selection
    items = {t.casefold(): {c.casefold() for c in columns} for t, columns in tables.items()}
    for table in schema.tables:
        name = table.name.casefold()
        if name in items and not items[name]:
            items[name] = {c.name.casefold() for c in table.columns}
    return SchemaItems(
        frozenset(items), frozenset(f"{t}.{c}" for t, columns in items.items() for c in columns)
    )


@lru_cache(maxsize=64)
def _mapping(schema: Schema) -> MappingSchema:
    known: dict[str, object] = {}
    for table in schema.tables:
        columns = {c.name.casefold(): c.type or "text" for c in table.columns}
        known[_flat(table.name)] = columns or {"rowid": "integer"}
    return MappingSchema(known, dialect=schema.dialect, normalize=False)


def _flat(table: str) -> str:
    """One identifier for a table that may be qualified with its schema, so that all sit on one level."""
    return table.casefold().replace(".", "\x00")


def items_of(sql: str, schema: Schema) -> SchemaItems:
    """Every base table and every column that a query refers to anywhere.

    Aliases are resolved, `*` is expanded, CTEs and subqueries are looked through. Names that the schema
    doesn't hold are left out: SQLite reads an unknown `"name"` as text. Raises `QueryError` when the
    query can't be parsed.
    """
    try:
        tree = qualified(parse_one(sql, dialect=schema.dialect), schema)
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError) as error:
        raise QueryError(
            f"The query can't be read: {error}", sql=sql, error_class=ErrorClass.SYNTAX
        ) from error
    return _collect(scopes, schema)


def qualified(tree: exp.Expr, schema: Schema, *, strictly: bool = False) -> exp.Expr:
    """The query, made of the tree itself, with every column under its table's name and names folded.

    Raises `SqlglotError`; `strictly` also for a column that no table of the schema is known to have.
    """
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.casefold())
    for table in tree.find_all(exp.Table):
        _flatten(table, schema)
    return qualify(
        tree,
        dialect=_IN_SMALL_LETTERS.get(schema.dialect, schema.dialect),
        schema=_mapping(schema),
        validate_qualify_columns=strictly,
        quote_identifiers=False,
        identify=False,
        allow_partial_qualification=not strictly,
    )


def _flatten(table: exp.Table, schema: Schema) -> None:
    """Name a table as the schema does, in one identifier; `main.t` and `t` are the same table."""
    qualified = f"{table.db}.{table.name}" if table.db else table.name
    if table.db:
        name = qualified if qualified in schema else table.name
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        table.set("db", None)
        table.set("catalog", None)
        table.set("this", exp.to_identifier(_flat(name), quoted=True))


def _collect(scopes: Iterable[Scope], schema: Schema) -> SchemaItems:
    known = {
        _flat(t.name): (t.name.casefold(), {c.name.casefold() for c in t.columns}) for t in schema.tables
    }
    tables: set[str] = set()
    columns: set[str] = set()
    for scope in scopes:
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and source.name in known:
                tables.add(known[source.name][0])
        for column in scope.columns:
            origin = _source(scope, column.table)
            if isinstance(origin, exp.Table) and origin.name in known:
                table, names = known[origin.name]
                if column.name in names:
                    columns.add(f"{table}.{column.name}")
    return SchemaItems(frozenset(tables), frozenset(columns))


def _source(scope: Scope | None, alias: str) -> exp.Expr | Scope | None:
    """Find the source behind an alias: in this query, or in one around it for correlated subqueries."""
    while scope is not None:
        if alias in scope.sources:
            return scope.sources[alias]
        scope = scope.parent
    return None
