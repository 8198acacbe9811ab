"""Readings that somebody may mean: not those that are next to impossible, nor sums of dates and keys."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from fathom.answering.expressions import uncast
from fathom.answering.restatement import sources_read
from fathom.databases.parsing import parsed
from fathom.databases.query_columns import qualified
from fathom.records import Column, Reading, Schema, Table
from fathom.records.schema import DATED, TIMED

LEAST = 0.05
"""A reading that is meant once in twenty times only hides the others."""
_YEARS = range(1900, 2101)
_ADDED = (exp.Sum, exp.Avg)
_COMPARED = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def likely_readings(readings: Sequence[Reading], schema: Schema) -> list[Reading]:
    """Keep the readings that somebody may mean, in their order; `schema` is of the database they ask."""
    return [
        one
        for one in readings
        if (one.confidence is None or one.confidence >= LEAST) and not _is_absurd(one.sql, schema)
    ]


def told_apart(readings: Sequence[Reading], dialect: str) -> tuple[Reading, ...]:
    """The readings, where those whose words are the same say how they join which tables, or all they do."""
    texts = [one.text for one in readings]
    with_sources = [f"{one.text} (of {sources_read(one.sql, dialect)})" for one in readings]
    in_full = [one.explanation.rstrip(".") or one.sql for one in readings]
    return tuple(
        replace(one, text=next(_apart(place, texts, with_sources, in_full)))
        for place, one in enumerate(readings)
    )


def _apart(place: int, *ways: Sequence[str]) -> Iterator[str]:
    """The words of a reading, of each way of telling them that no other reading shares; then the last."""
    for told in ways:
        if told.count(told[place]) == 1:
            yield told[place]
    yield ways[-1][place]


def _is_absurd(sql: str, schema: Schema) -> bool:
    """True if a query adds up dates or keys, or takes a year for a key; False where it can't be parsed."""
    tree = parsed(sql, schema.dialect)
    if tree is None:
        return False
    try:
        read = list(_columns_read(qualified(tree, schema), schema))
    except (SqlglotError, RecursionError):
        return False
    return any(
        _adds(node, table, column, schema) or _is_year(node, table, column) for node, table, column in read
    )


def _columns_read(tree: exp.Expr, schema: Schema) -> Iterator[tuple[exp.Column, Table, Column]]:
    """Each place where a query names a column of a table."""
    for scope in traverse_scope(tree):
        for node in scope.columns:
            source = scope.sources.get(node.table)
            name = source.name.replace("\x00", ".") if isinstance(source, exp.Table) else ""
            if name not in schema:
                continue
            table = schema.table(name)
            found = next((c for c in table.columns if c.name.casefold() == node.name.casefold()), None)
            if found is not None:
                yield node, table, found


def _adds(node: exp.Column, table: Table, column: Column, schema: Schema) -> bool:
    total = node.find_ancestor(*_ADDED, exp.Select)
    if not isinstance(total, _ADDED) or uncast(total.this) is not node:
        return False
    leading = {c for k in schema.foreign_keys if k.table == table.name for c in k.columns}
    return column.kind in TIMED or table.primary_key == (column.name,) or column.name in leading


def _is_year(node: exp.Column, table: Table, column: Column) -> bool:
    """True if a key is held against a year, where the table has dates that the year may be of."""
    compared = node.parent
    if table.primary_key != (column.name,) or not isinstance(compared, _COMPARED):
        return False
    years = [n for n in compared.find_all(exp.Literal) if n.is_int and int(n.this) in _YEARS]
    return bool(years) and any(c.kind in DATED for c in table.columns)
