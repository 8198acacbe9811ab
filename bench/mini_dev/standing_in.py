"""A database of a published schema with made-up rows, for what depends on names and lengths of cells."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random

from bench.parts.synthetic import Words
from fathom.nl2sql.conditions import Condition, conditions
from fathom.records import Column, Schema, Table

_LEAST = 60
"""Rows of each table: enough that a column looks as if it held many values."""
_WORDS = 400
Known = Mapping[tuple[str, str, int], object]
"""Cells that are known, by table, column and number of the row."""


def stand_in(schema: Schema, file: Path, gold: Sequence[str]) -> None:
    """Make an SQLite file with the tables and keys of a schema, in which most gold queries find something.

    The nth row of each table meets the conditions of the nth query, and its keys are n, so that rows join.
    """
    known, rows = cells_of(schema, gold), range(1, max(len(gold), _LEAST) + 1)
    with closing(sqlite3.connect(file)) as made, made:
        for table in schema.tables:
            made.execute(_create(schema, table))
        for table in schema.tables:
            marks = ", ".join("?" * len(table.columns))
            filled = _rows(schema, table, known, rows)
            made.executemany(f"INSERT INTO {_name(table.name)} VALUES ({marks})", filled)


def cells_of(schema: Schema, gold: Iterable[str]) -> Known:
    """A cell for each condition of each query that meets it."""
    found: dict[tuple[str, str, int], object] = {}
    for number, sql in enumerate(gold, 1):
        for one in conditions(sql, schema):
            if one.operator != "!=":
                cell = _meeting(one)
                found.setdefault((one.table, one.column, number), cell)
    return found


def _meeting(condition: Condition) -> object:
    step = {">": 1, "<": -1}.get(condition.operator, 0)
    if condition.is_text or not condition.literal.lstrip("-").isdigit():
        return condition.literal
    return int(condition.literal) + step


def _create(schema: Schema, table: Table) -> str:
    lines = [f"{_name(c.name)} {c.type.upper()}" for c in table.columns]
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({', '.join(map(_name, table.primary_key))})")
    for key in schema.foreign_keys:
        if key.table == table.name:
            own, other = (", ".join(map(_name, c)) for c in (key.columns, key.target_columns))
            lines.append(f"FOREIGN KEY ({own}) REFERENCES {_name(key.target_table)} ({other})")
    return f"CREATE TABLE {_name(table.name)} ({', '.join(lines)})"


def _rows(schema: Schema, table: Table, known: Known, rows: range) -> list[list[object]]:
    """Rows with the known cells and those of keys; the others are drawn, the same ones each time."""
    draw = Random(table.name)
    words = Words(draw, _WORDS, (1, 3))
    keys = {c for k in schema.foreign_keys if k.table == table.name for c in k.columns}
    keys |= {c for k in schema.foreign_keys if k.target_table == table.name for c in k.target_columns}

    def cell(column: Column, number: int) -> object:
        if column.name in keys or (column.name,) == table.primary_key:
            return number if column.kind != "text" else f"K{number:05d}"
        found = known.get((table.name, column.name, number))
        return _drawn(column, draw, words) if found is None else found

    return [[cell(c, number) for c in table.columns] for number in rows]


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
