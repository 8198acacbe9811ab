"""A database without rows, made of a schema: what runs there has its names right, and no more is known."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from fathom.databases.engine import double_quoted
from fathom.records import Schema, Table


def make_empty_copy(schema: Schema, file: Path) -> None:
    """Write an SQLite file with the tables, keys and joins of a schema, and no rows."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for table in schema.tables:
            connection.execute(
                f"CREATE TABLE {double_quoted(table.name)} ({', '.join(_parts(table, schema))})"
            )


def _parts(table: Table, schema: Schema) -> Iterator[str]:
    for column in table.columns:
        yield f"{double_quoted(column.name)} {column.type}"
    if table.primary_key:
        yield f"PRIMARY KEY ({_names(table.primary_key)})"
    for key in schema.foreign_keys:
        if key.table == table.name:
            target = f"{double_quoted(key.target_table)} ({_names(key.target_columns)})"
            yield f"FOREIGN KEY ({_names(key.columns)}) REFERENCES {target}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(map(double_quoted, names))
