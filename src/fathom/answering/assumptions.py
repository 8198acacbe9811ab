"""What an answer rests on that the question didn't say, as far as the query itself shows it."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.records import Assumption, ForeignKey, Schema

Pair = frozenset[tuple[str, str]]


def inferred_joins(sql: str, schema: Schema) -> tuple[Assumption, ...]:
    """One assumption for each join of a query that the database doesn't declare."""
    query = parsed(sql, schema.dialect)
    if query is None:
        return ()
    inferred = {pair: key for key in schema.foreign_keys if key.inferred for pair in _pairs(key)}
    used = dict.fromkeys(inferred[pair] for pair in _joined(query) if pair in inferred)
    return tuple(Assumption("join", _told(key)) for key in used)


def _told(key: ForeignKey) -> str:
    left = ", ".join(f"{key.table}.{c}" for c in key.columns)
    right = ", ".join(f"{key.target_table}.{c}" for c in key.target_columns)
    return f"{left} was joined with {right}: no key is declared there, their names and values suggest it."


def _pairs(key: ForeignKey) -> Iterator[Pair]:
    for column, target in zip(key.columns, key.target_columns, strict=True):
        yield frozenset(
            {(key.table.casefold(), column.casefold()), (key.target_table.casefold(), target.casefold())}
        )


def _joined(query: exp.Expr) -> Iterator[Pair]:
    """The pairs of (table, column) that a query holds equal, aliases resolved."""
    for select in query.find_all(exp.Select):
        tables = {t.alias_or_name.casefold(): t.name.casefold() for t in select.find_all(exp.Table)}
        for equal in select.find_all(exp.EQ):
            if isinstance(equal.left, exp.Column) and isinstance(equal.right, exp.Column):
                yield frozenset({_resolved(equal.left, tables), _resolved(equal.right, tables)})


def _resolved(column: exp.Column, tables: Mapping[str, str]) -> tuple[str, str]:
    table = column.table.casefold()
    return tables.get(table, table), column.name.casefold()
