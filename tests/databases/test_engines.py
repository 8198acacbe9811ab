"""The suite over all four engines."""

from tests.databases.makers import duckdb_databases, mysql_databases, postgres_databases, sqlite_databases
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
