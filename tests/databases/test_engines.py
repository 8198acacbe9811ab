"""The suite over all engines."""

from tests.databases.makers import (
    duckdb_databases,
    mysql_databases,
    postgres_databases,
    sqlite_databases,
    trino_databases,
)
from tests.databases.suite import EngineSuite


class TestSQLite(EngineSuite):
    dialect = "sqlite"
    databases = staticmethod(sqlite_databases)


class TestDuckDB(EngineSuite):
    dialect = "duckdb"
    databases = staticmethod(duckdb_databases)


class TestPostgres(EngineSuite):
    dialect = "postgres"
    databases = staticmethod(postgres_databases)


class TestMySQL(EngineSuite):
    dialect = "mysql"
    databases = staticmethod(mysql_databases)


class TestTrino(EngineSuite):
    dialect = "trino"
    databases = staticmethod(trino_databases)
