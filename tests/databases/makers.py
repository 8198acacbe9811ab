"""Ways to make a real database of SQL statements, one per engine, and to drop it again."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import duckdb

from fathom.config import Settings
from fathom.databases import Database, connect

Make = Callable[..., Database]


def _settings(folder: Path) -> Settings:
    return Settings(file=folder / "config.toml", cache=folder / "cache")


@contextmanager
def sqlite_databases(folder: Path) -> Iterator[Make]:
    number = count()
    with ExitStack() as opened:

        def make(*statements: str) -> Database:
            path = folder / f"{next(number)}.db"
            with sqlite3.connect(path) as writer:
                for statement in statements:
                    writer.execute(statement)
            writer.close()
            return opened.enter_context(connect(path, settings=_settings(folder)))

        yield make


@contextmanager
def duckdb_databases(folder: Path) -> Iterator[Make]:
    number = count()
    with ExitStack() as opened:

        def make(*statements: str) -> Database:
            path = folder / f"{next(number)}.db"
            with duckdb.connect(path) as writer:
                for statement in statements:
                    writer.execute(statement)
            return opened.enter_context(connect(path, settings=_settings(folder)))

        yield make
