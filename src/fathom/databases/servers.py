"""Which engine a URL's scheme names, and what has to be installed for it."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from fathom.errors import MissingExtra

if TYPE_CHECKING:
    from fathom.databases.remote import Remote


@dataclass(frozen=True, slots=True)
class ServerKind:
    """An engine behind a URL: the class that speaks to it, in a module that is imported when it is needed.

    `title` is its name for people, `package` the driver that the `extra` installs, and `imported` the name
    that the driver is imported by.
    """

    title: str
    module: str
    engine: str
    package: str
    imported: str
    extra: str

    def at(self, url: str) -> "Remote":
        """The engine at the URL, which isn't asked yet. Raises `ConnectionFailed`, `MissingExtra`."""
        try:
            kind: type[Remote] = getattr(import_module(f"fathom.databases.{self.module}"), self.engine)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != self.imported.partition(".")[0]:
                raise
            raise MissingExtra(f"connecting to {self.title}", self.package, self.extra) from error
        return kind(url)


_POSTGRES = ServerKind("PostgreSQL", "postgres", "Postgres", "psycopg", "psycopg", "postgres")
_MYSQL = ServerKind("MySQL", "mysql", "MySQL", "pymysql", "pymysql", "mysql")
_TRINO = ServerKind("Trino", "trino", "Trino", "trino", "trino", "trino")
_SPARK = ServerKind("Spark", "spark", "Spark", "pyspark[connect]", "pyspark", "spark")
_SNOWFLAKE = ServerKind(
    "Snowflake", "snowflake", "Snowflake", "snowflake-connector-python", "snowflake.connector", "snowflake"
)
_BIGQUERY = ServerKind(
    "BigQuery", "bigquery", "BigQuery", "google-cloud-bigquery", "google.cloud.bigquery", "bigquery"
)
_DATABRICKS = ServerKind(
    "Databricks", "databricks", "Databricks", "databricks-sql-connector", "databricks", "databricks"
)
SERVERS = {
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "trino": _TRINO,
    "spark": _SPARK,
    "bigquery": _BIGQUERY,
    "databricks": _DATABRICKS,
    "snowflake": _SNOWFLAKE,
}
"""The engines by the scheme of their URLs, without a driver (`mysql` in `mysql+pymysql://`)."""
