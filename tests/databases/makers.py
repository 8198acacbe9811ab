"""Ways to make a real database of SQL statements, one per engine, and to drop it again."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from fathom.config import Settings
from fathom.databases import Database, connect
from tests.data import IN_CI
from tests.databases import trino_stub

Make = Callable[..., Database]


def settings_in(folder: Path) -> Settings:
    """Settings that keep everything in one folder."""
    return Settings(file=folder / "config.toml", cache=folder / "cache")


@contextmanager
def sqlite_databases(folder: Path) -> Iterator[Make]:
    number = count()
    with ExitStack() as opened:

        def make(*statements: str) -> Database:
            path = folder / f"{next(number)}.db"
            with sqlite3.connect(path) as writer:
                for statement in ("PRAGMA user_version = 1", *statements):
                    writer.execute(statement)
            writer.close()
            return opened.enter_context(connect(path, settings=settings_in(folder)))

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
            return opened.enter_context(connect(path, settings=settings_in(folder)))

        yield make


POSTGRES = os.environ.get("FATHOM_TEST_POSTGRES") or "postgresql://postgres@127.0.0.1/postgres"
MYSQL = os.environ.get("FATHOM_TEST_MYSQL") or "mysql://root@127.0.0.1/mysql"


def postgres_url() -> URL:
    """Where the test server is; without one the test skips, in CI it fails."""
    return _reachable(make_url(POSTGRES).set(drivername="postgresql+psycopg"), "FATHOM_TEST_POSTGRES")


def mysql_url() -> URL:
    """Where the test server is; without one the test skips, in CI it fails."""
    return _reachable(make_url(MYSQL).set(drivername="mysql+pymysql"), "FATHOM_TEST_MYSQL")


def _reachable(url: URL, variable: str) -> URL:
    try:
        create_engine(url, poolclass=NullPool).connect().close()
    except OperationalError as error:
        missing = f"no server at {url!r}; set {variable}: {error.orig}"
        if IN_CI:
            pytest.fail(missing)
        pytest.skip(missing)
    return url


@contextmanager
def _server_databases(url: URL, folder: Path, drop: str) -> Iterator[Make]:
    server = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    made: list[str] = []
    with ExitStack() as opened:

        def make(*statements: str) -> Database:
            made.append(f"fathom_test_{uuid4().hex}")
            with server.connect() as connection:
                connection.exec_driver_sql(f"CREATE DATABASE {made[-1]}")
            own = url.set(database=made[-1])
            plain = {"no_parameters": True}
            with create_engine(own, poolclass=NullPool, execution_options=plain).begin() as connection:
                for statement in statements:
                    connection.exec_driver_sql(statement)
            text = own.render_as_string(hide_password=False)
            return opened.enter_context(connect(text, settings=settings_in(folder)))

        try:
            yield make
        finally:
            opened.close()
            with server.connect() as connection:
                for name in made:
                    connection.exec_driver_sql(drop.format(name))


@contextmanager
def postgres_databases(folder: Path) -> Iterator[Make]:
    with _server_databases(postgres_url(), folder, "DROP DATABASE {} WITH (FORCE)") as make:
        yield make


@contextmanager
def mysql_databases(folder: Path) -> Iterator[Make]:
    with _server_databases(mysql_url(), folder, "DROP DATABASE {}") as make:
        yield make


@contextmanager
def trino_databases(folder: Path, stub: trino_stub.Stub | None = None) -> Iterator[Make]:
    number = count()
    with ExitStack() as opened:
        stub = stub or opened.enter_context(trino_stub.serving())

        def make(*statements: str) -> Database:
            name = f"c{next(number)}"
            stub.make_catalog(name, *statements)
            url = f"trino://reader@{stub.address}/{name}/main"
            return opened.enter_context(connect(url, settings=settings_in(folder)))

        yield make
