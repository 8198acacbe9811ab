"""A database of a published schema with made-up rows, for what depends on names and lengths of cells."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random

from bench.synthetic import Words
from fathom.nl2sql.conditions import conditions
from fathom.records import Column, Schema, Table

ROWS = 60
"""Of each table: enough that a column looks as if it held many values."""
_WORDS = 400
Known = Mapping[tuple[str, str], Sequence[str]]
"""Cells that are known to be there, by table and column."""


def stand_in(schema: Schema, file: Path, gold: Iterable[str]) -> None:
    """Make an SQLite file with the tables and keys of a schema; cells that gold queries name are real."""
    known = cells_in(schema, gold)
    with closing(sqlite3.connect(file)) as made, made:
        for table in schema.tables:
            made.execute(_create(schema, table))
        for table in schema.tables:
            marks = ", ".join("?" * len(table.columns))
            made.executemany(f"INSERT INTO {_name(table.name)} VALUES ({marks})", _rows(schema, table, known))


def cells_in(schema: Schema, gold: Iterable[str]) -> Known:
    """The texts and numbers that queries compare columns with."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for sql in gold:
        for one in conditions(sql, schema):
            found.setdefault((one.table, one.column), {})[one.literal] = None
    return {place: tuple(values) for place, values in found.items()}


def _create(schema: Schema, table: Table) -> str:
    lines = [f"{_name(c.name)} {c.type.upper()}" for c in table.columns]
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(_name, table.primary_key))})")
    for key in schema.foreign_keys:
        if key.table == table.name:
            own, other = (", ".join(map(_name, c)) for c in (key.columns, key.target_columns))
            lines.append(f"FOREIGN KEY ({own}) REFERENCES {_name(key.target_table)} ({other})")
    return f"CREATE TABLE {_name(table.name)} ({', '.join(lines)})"


def _rows(schema: Schema, table: Table, known: Known) -> list[list[object]]:
    """Rows whose keys count on, so that tables join; other cells are drawn, the same ones each time."""
    draw = Random(table.name)
    words = Words(draw, _WORDS, (1, 3))
    keys = {*table.primary_key, *(c for k in schema.foreign_keys if k.table == table.name for c in k.columns)}

    def cell(column: Column, number: int) -> object:
        if column.name in keys:
            return number if column.kind != "text" else f"{column.name[:2].upper()}{number:05d}"
        told = known.get((table.name, column.name), ())
        if told and number <= len(told):
            return told[number - 1]
        return _drawn(column, draw, words)

    return [[cell(c, number) for c in table.columns] for number in range(1, ROWS + 1)]


def _drawn(column: Column, draw: Random, words: Words) -> object:
    if draw.random() < 0.05:
        return None
    if column.kind == "integer":
        return draw.randint(0, 5000)
    if column.kind == "number":
        return round(draw.uniform(0, 500), 2)
    if column.kind in {"date", "datetime"}:
        return str(date(2000, 1, 1) + timedelta(days=draw.randrange(7000)))
    return " ".join(words.draw(draw.randint(1, 3))).capitalize()


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
