"""Tables with questions, and how they are written into a database of an engine."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import time, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import duckdb
import psycopg

from fathom.records.answer import Answer, Ending

ENGINES: tuple[str, ...] = ("sqlite", "duckdb", "postgres")
_TYPES = {
    "sqlite": {"list": "TEXT", "time": "TEXT", "date": "DATE", "number": "REAL"},
    "duckdb": {"list": "VARCHAR[]", "time": "TIME", "date": "DATE", "number": "DOUBLE", "whole": "BIGINT"},
    "postgres": {"list": "TEXT[]", "time": "TIME", "date": "DATE", "number": "NUMERIC", "whole": "BIGINT"},
}
_DIGITS = 6
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")

Rows = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question with the results that answer it; one without is to be declined."""

    text: str
    gold: tuple[Rows, ...] = ()

    def fate(self, given: Answer) -> str:
        """What became of the question: `right`, `declined` or `wrong`."""
        if given.ending is not Ending.SURE or given.result is None:
            return "right" if not self.gold else "declined"
        return "right" if any(_holds(given.result.rows, gold) for gold in self.gold) else "wrong"


@dataclass(frozen=True, slots=True)
class MadeTables:
    """Tables by name: their columns as `name kind`, the first the key, and their rows."""

    columns: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, Rows]
    questions: tuple[MadeQuestion, ...]
    engines: tuple[str, ...] = ENGINES
    foreign: Mapping[str, str] | None = None


Maker = Callable[[Random], MadeTables]


@contextmanager
def written(tables: MadeTables, engine: str, folder: Path, server: str) -> Iterator[str]:
    """The tables in a database of their own; `server` is the URL of a PostgreSQL. Yields its URL."""
    name = f"fathom_forms_{uuid4().hex[:12]}"
    if engine == "postgres":
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}")
            try:
                with psycopg.connect(server, dbname=name) as made, made.cursor() as cursor:
                    for table in tables.columns:
                        cursor.execute(_create(tables, table, engine))
                        cursor.executemany(_insert(tables, table, "%s"), tables.rows[table])
                yield f"{server}/{name}"
            finally:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        return
    file = folder / f"{name}.{engine}"
    opened: Any = sqlite3.connect(file) if engine == "sqlite" else duckdb.connect(str(file))
    with closing(opened) as writable:
        for table in tables.columns:
            writable.execute(_create(tables, table, engine))
            rows = [[_for_sqlite(v) if engine == "sqlite" else v for v in r] for r in tables.rows[table]]
            writable.executemany(_insert(tables, table, "?"), rows)
        writable.commit()
    yield str(file)


def _create(tables: MadeTables, table: str, engine: str) -> str:
    kinds = {"text": "TEXT", "whole": "INTEGER"} | _TYPES[engine]
    columns = [f'"{name}" {kinds[kind]}' for name, kind in map(str.split, tables.columns[table])]
    columns[0] += " PRIMARY KEY"
    for column, target in (tables.foreign or {}).items():
        if column.split(".")[0] == table:
            other, key = target.split(".")
            columns.append(f'FOREIGN KEY ("{column.split(".")[1]}") REFERENCES "{other}" ("{key}")')
    return f'CREATE TABLE "{table}" ({", ".join(columns)})'


def _insert(tables: MadeTables, table: str, mark: str) -> str:
    marks = ", ".join(mark for _ in tables.columns[table])
    return f'INSERT INTO "{table}" VALUES ({marks})'


def _for_sqlite(value: object) -> object:
    return str(value) if isinstance(value, time) or hasattr(value, "isoformat") else value


def _holds(rows: Rows, gold: Rows) -> bool:
    """Tell whether a result has the gold rows, in any order, in some of its columns."""
    if len(rows) != len(gold):
        return False
    if not gold:
        return True
    wanted = [sorted(map(_cell, column)) for column in zip(*gold, strict=True)]
    found = [sorted(map(_cell, column)) for column in zip(*rows, strict=True)]
    return all(column in found for column in wanted)


def _cell(value: object) -> str:
    if isinstance(value, timedelta):
        value = value.total_seconds()
    elif isinstance(value, time):
        value = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    if isinstance(value, str) and (clock := _CLOCK.fullmatch(value)):
        value = 3600 * int(clock[1]) + 60 * int(clock[2]) + float(clock[3])
    if isinstance(value, str):
        return value
    try:
        return f"{float(value):.{_DIGITS}g}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value)
