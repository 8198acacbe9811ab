"""Mutated statements, held against each engine's own reading: what passes the guard names nothing unread."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pymysql
from sqlalchemy import make_url
from sqlglot import exp
from tests.databases import makers
from tests.databases.guard.compiled_readings import MariaDBReader, SQLiteReader
from tests.databases.guard.readings import Names, beyond, unread
from tests.databases.guard.tables import TABLES
from tests.databases.guard.test_mutations import mutator_for

from fathom.errors import QueryRefused

Compare = Callable[[str, exp.Expr], list[str] | None]
"""Gives what the engine reads in a statement beyond the guard's tree; None where the engine can't read it."""
Judge = Callable[[str, str], exp.Expr]
"""The guard: takes a statement and its dialect, gives its tree, and raises `QueryRefused`."""
_READ = ("kept", "sales", "crowd", "docs", "words", "few", "parted")
_VIEWS = {"few": {"kept"}}


@dataclass
class Compared:
    """How many statements passed the guard, how many of those the engine could read, and what went beyond."""

    passed: int = 0
    read: int = 0
    beyond: dict[str, list[str]] = field(default_factory=dict)


def compared(dialect: str, judge: Judge, compare: Compare, times: int, random: Random) -> Compared:
    """Mutate the honest queries and attacks of a dialect; compare what passes with the engine's reading."""
    mutator, found = mutator_for(dialect), Compared()
    for _ in range(times):
        sql = mutator.make(random)
        try:
            tree = judge(sql, dialect)
        except QueryRefused:
            continue
        found.passed += 1
        more = compare(sql, tree)
        found.read += more is not None
        if more:
            found.beyond[sql] = more
    return found


@contextmanager
def comparing(dialect: str, folder: Path) -> Iterator[Compare]:
    """The comparison with an engine; that with MariaDB asks the test server, over tables of its own."""
    if dialect == "sqlite":
        yield partial(_unread, SQLiteReader(TABLES["sqlite"]).names, dialect)
    elif dialect == "mysql":
        with _reader(folder) as connection:
            yield partial(_unread, MariaDBReader(connection, _VIEWS).names, dialect)
    else:
        yield lambda sql, tree: beyond(sql, dialect, tree)


def _unread(
    names: Callable[[str, exp.Expr], Names | None], dialect: str, sql: str, tree: exp.Expr
) -> list[str] | None:
    found = names(sql, tree)
    return None if found is None else unread(found, dialect, tree)


OWN = (
    "CREATE TABLE payroll (secret INTEGER)",
    "CREATE FUNCTION own_one (x TEXT) RETURNS TEXT RETURN x",
)


@contextmanager
def _reader(folder: Path) -> "Iterator[pymysql.Connection[Any]]":
    """A connection of an account that may read the tables of the lists, and nothing else."""
    name = f"fathom_{uuid4().hex[:12]}"
    with makers.mysql_databases(folder) as make:
        url = make_url(make(*TABLES["mysql"], *OWN).url)
        where: Any = {"host": url.host, "port": url.port or 3306, "database": url.database}
        with pymysql.connect(user=url.username, password=url.password or "", **where) as owner:
            cursor = owner.cursor()
            cursor.execute(f"CREATE USER {name}@'%' IDENTIFIED BY 'reads'")
            try:
                for table in _READ:
                    cursor.execute(f"GRANT SELECT ON `{url.database}`.{table} TO {name}@'%'")
                with pymysql.connect(user=name, password="reads", **where) as connection:
                    connection.cursor().execute("SET max_statement_time = 1")
                    yield connection
            finally:
                cursor.execute(f"DROP USER {name}@'%'")
