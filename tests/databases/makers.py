"""Ways to make a real database of SQL statements, one per engine, and to drop it again."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import uuid4

import duckdb
import pytest
import sqlglot
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool
from sqlglot import exp, parse_one

from fathom.config import Settings
from fathom.databases import Database, connect
from fathom.errors import ConnectionFailed
from tests.data import IN_CI
from tests.databases import emulators, trino_stub

if TYPE_CHECKING:
    from fathom.databases.spark_local import LocalServer

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


def local_spark() -> "LocalServer":
    """Spark on this machine; without Java or pyspark the test skips, in CI it fails."""
    try:
        import_module("fathom.databases.spark")  # needs what the extra installs
        return import_module("fathom.databases.spark_local").local_server()  # type: ignore[no-any-return]
    except (ImportError, ConnectionFailed) as error:
        missing = f"no Spark on this machine: {error}"
        if IN_CI:
            pytest.fail(missing)
        pytest.skip(missing)


@contextmanager
def spark_databases(folder: Path) -> Iterator[Make]:
    server = local_spark()
    from pyspark.sql.connect.session import SparkSession

    writer = SparkSession(server.url)
    writer.conf.set("spark.sql.storeAssignmentPolicy", "LEGACY")  # dates are written as text
    made: list[str] = []
    with ExitStack() as opened, pytest.MonkeyPatch.context() as environment:
        # Not in the URL, which databases show without it and are opened again by.
        environment.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", server.token)

        def make(*statements: str) -> Database:
            made.append(f"fathom_test_{uuid4().hex}")
            writer.sql(f"CREATE DATABASE {made[-1]}")
            writer.sql(f"USE {made[-1]}")
            for statement in _together(map(_for_spark, statements)):
                writer.sql(statement)
            url = f"spark://localhost:{server.port}/{made[-1]}"
            return opened.enter_context(connect(url, settings=settings_in(folder)))

        yield make
        for name in made:
            writer.sql(f"DROP DATABASE {name} CASCADE")
    writer.stop()


def _for_spark(statement: str) -> str:
    """A statement without the keys that Spark's tables can't have."""
    if not statement.startswith("CREATE TABLE") or any(w in statement for w in ("`", "COMMENT", "<")):
        return statement
    tree = parse_one(statement, read="postgres")
    for key in [*tree.find_all(exp.PrimaryKey, exp.ForeignKey, exp.Reference, exp.ColumnConstraint)]:
        key.pop()
    return tree.sql("spark")


def _together(statements: Iterable[str]) -> Iterator[str]:
    """Rows for one table that follow each other, in one statement: each takes Spark a second."""
    for start, group in groupby(statements, lambda s: s.partition(" VALUES ")[0]):
        if start.startswith("INSERT"):
            yield f"{start} VALUES " + ", ".join(s.partition(" VALUES ")[2] for s in group)
        else:
            yield from group


def without_keys(statement: str, dialect: str) -> str:
    """A statement of the suite as a warehouse's emulator takes it: in its dialect, without constraints."""
    tree = sqlglot.parse_one(statement, read="duckdb")
    if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
        for column in tree.this.expressions:
            kept = [
                c
                for c in column.args.get("constraints") or ()
                if isinstance(c.kind, exp.NotNullColumnConstraint)
            ]
            column.set("constraints", kept)
        columns = [c for c in tree.this.expressions if isinstance(c, exp.ColumnDef)]
        tree.this.set("expressions", columns)
    return tree.sql(dialect)


@contextmanager
def bigquery_databases(folder: Path) -> Iterator[Make]:
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import bigquery

    number = count()
    with ExitStack() as opened:
        endpoint = opened.enter_context(emulators.bigquery(folder))
        nobody: Any = AnonymousCredentials
        client: Any = bigquery.Client(
            project="shop",
            credentials=nobody(),
            client_options={"api_endpoint": endpoint},
        )
        opened.callback(client.close)

        def make(*statements: str) -> Database:
            name = f"d{next(number)}"
            client.create_dataset(name, retry=None, timeout=60)
            settings = bigquery.QueryJobConfig(default_dataset=f"shop.{name}")
            for statement in statements:
                job = client.query(
                    without_keys(statement, "bigquery"), settings, retry=None, job_retry=None, timeout=60
                )
                job.result(retry=None, job_retry=None, timeout=60)
            url = f"bigquery://shop/{name}?endpoint={quote(endpoint, safe='')}"
            return opened.enter_context(connect(url, settings=settings_in(folder)))

        yield make


@contextmanager
def snowflake_databases(folder: Path) -> Iterator[Make]:
    connector = import_module("snowflake.connector")
    number = count()
    with ExitStack() as opened:
        port = opened.enter_context(emulators.snowflake(folder))
        asked = "protocol=http&statement_timeout=off"
        writer = connector.connect(
            account="fakesnow",
            host="localhost",
            port=port,
            protocol="http",
            user="writer",
            password="-",
            enable_server_session_keep_alive_auto_detection=False,
        )
        opened.callback(writer.close)

        def make(*statements: str) -> Database:
            name = f"D{next(number)}"
            with writer.cursor() as cursor:
                for statement in (f"CREATE DATABASE {name}", f"CREATE SCHEMA {name}.PUBLIC"):
                    cursor.execute(statement)
                cursor.execute(f"USE SCHEMA {name}.PUBLIC")
                for statement in statements:
                    cursor.execute(without_foreign_keys(statement))
            url = f"snowflake://reader:nothing@localhost:{port}/{name}/PUBLIC?account=fakesnow&{asked}"
            return opened.enter_context(connect(url, settings=settings_in(folder)))

        yield make


def without_foreign_keys(statement: str) -> str:
    """A statement of the suite as Snowflake's emulator takes it."""
    if not statement.startswith("CREATE TABLE"):
        return statement
    tree = sqlglot.parse_one(statement, read="duckdb")
    for key in [*tree.find_all(exp.ForeignKey), *tree.find_all(exp.Reference)]:
        (key.parent if isinstance(key.parent, exp.ColumnConstraint) else key).pop()
    return tree.sql("snowflake")
