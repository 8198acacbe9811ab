"""Names that a query mistakes, with the nearest ones that there are."""

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.errors import did_you_mean
from fathom.records import Schema

_FEW = 3
"""Tables of a query whose columns are all named, where none is near."""


def nearest_names(sql: str, schema: Schema) -> str:
    """The sentence on the first table or column of a query that isn't there; "" where all are."""
    tree = parsed(sql, schema.dialect)
    if tree is None:
        return ""
    made = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    read = [t for t in tree.find_all(exp.Table) if t.name and t.name.casefold() not in made]
    for table in read:
        if table.name not in schema and f"{table.db}.{table.name}" not in schema:
            hint = did_you_mean(table.name, [t.name for t in schema.tables])
            return f" There is no table {table.name!r}.{hint}"
    tables = [schema.table(t.name if t.name in schema else f"{t.db}.{t.name}") for t in read]
    known = [column.name for table in tables for column in table.columns]
    there = {name.casefold() for name in known} | {a.alias.casefold() for a in tree.find_all(exp.Alias)}
    for column in tree.find_all(exp.Column):
        if column.name and column.name.casefold() not in there and not column.find(exp.Star):
            hint = did_you_mean(column.name, known) if len(tables) <= _FEW else ""
            return f" There is no column {column.name!r}.{hint}"
    return ""
