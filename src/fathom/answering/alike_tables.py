"""Tables that differ in a number of their name alone, where a question doesn't say which of them it means."""

import re
from collections.abc import Sequence

from sqlglot import exp

from fathom.databases.parsing import parsed, tables_of
from fathom.records import MOST_READINGS, Reading, Refusal, Schema, Table

_NUMBER = re.compile(r"\d+")


def alike_tables(sql: str, question: str, schema: Schema) -> tuple[Table, ...]:
    """The table that a query reads and those like it, that one first; none where the question says which.

    Alike are tables with the same columns, and the same name but for its numbers. Only queries of one table
    are looked at.
    """
    tree = parsed(sql, schema.dialect)
    read = tables_of(tree) if tree is not None else ()
    if len(read) != 1 or read[0] not in schema:
        return ()
    table = schema.table(read[0])
    numbers = _NUMBER.findall(table.name)
    if not numbers or set(numbers) & set(_NUMBER.findall(question)):
        return ()
    others = [t for t in schema.tables if t is not table and _kind_of(t) == _kind_of(table)]
    return (table, *others) if others else ()


def _kind_of(table: Table) -> tuple[object, ...]:
    return _NUMBER.sub("#", table.name.casefold()), frozenset((c.name, c.kind) for c in table.columns)


def asked_of_each(sql: str, alike: Sequence[Table], schema: Schema) -> tuple[tuple[Reading, ...], Refusal]:
    """Readings of a query by the table that it asks, those with rows first; and why one has to be chosen."""
    first = sorted(alike, key=lambda table: not table.row_count)[:MOST_READINGS]
    readings = tuple(Reading(f"the table {t.name}", _asked_of(sql, alike[0], t, schema)) for t in first)
    told = ("" if len(alike) <= MOST_READINGS else "such as ") + ", ".join(table.name for table in first)
    return readings, Refusal(f"{len(alike)} tables are alike: {told}. The question doesn't say which.")


def _asked_of(sql: str, table: Table, other: Table, schema: Schema) -> str:
    """A query as one of another table."""
    tree = parsed(sql, schema.dialect)
    if tree is None or other is table:
        return sql
    own, new = table.name.rpartition(".")[2], other.name.rpartition(".")[2]
    for node in tree.find_all(exp.Table):
        if node.name.casefold() == own.casefold():
            node.set("this", exp.to_identifier(new, quoted=node.this.args.get("quoted")))
    for column in tree.find_all(exp.Column):
        if column.table.casefold() == own.casefold():
            column.set("table", exp.to_identifier(new, quoted=column.args["table"].args.get("quoted")))
    return tree.sql(dialect=schema.dialect)
