"""The suite over all engines."""

from typing import ClassVar

from tests.databases.makers import (
    bigquery_databases,
    duckdb_databases,
    mysql_databases,
    postgres_databases,
    snowflake_databases,
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


class TestBigQuery(EngineSuite):
    dialect = "bigquery"
    databases = staticmethod(bigquery_databases)
    gaps: ClassVar = {
        "keys": "the emulator keeps no keys and has no KEY_COLUMN_USAGE",
        "test_copes_with_odd_names": "the emulator takes no spaces and signs in names",
        "comments": "the emulator has no COLUMN_FIELD_PATHS",
        **dict.fromkeys(
            ("test_stops_at_the_time_limit",),
            "the emulator runs a query to its end within the request that starts it",
        ),
        **dict.fromkeys(
            (
                "test_streams_in_batches",
                "test_goes_on_after_a_stream_left_half_way",
                "test_a_database_closed_half_way_is_left_alone_by_the_clock",
            ),
            "the emulator makes all nine million rows before it gives the first",
        ),
    }


class TestSnowflake(EngineSuite):
    dialect = "snowflake"
    databases = staticmethod(snowflake_databases)
    gaps: ClassVar = {
        "foreign keys": "the emulator names no targets of foreign keys",
        "comments": "the emulator takes no COMMENT ON COLUMN",
        "test_a_database_closed_half_way_is_left_alone_by_the_clock": (
            "the emulator makes all nine million rows before it gives the first"
        ),
    }
