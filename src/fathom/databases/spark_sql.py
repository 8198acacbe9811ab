"""SQL that Spark and Databricks write alike."""

from fathom.databases.engine import percent_of
from fathom.records import Table


def backquoted(name: str) -> str:
    """The name as an identifier."""
    return "`" + name.replace("`", "``") + "`"


def share_of_rows(identifier: str, table: Table, count: int) -> str:
    """The FROM item that gives about `count` rows from all over a big table, which reads it once."""
    if (share := percent_of(table, count)) is None:
        return identifier
    return f"(SELECT * FROM {identifier} TABLESAMPLE ({share:.6f} PERCENT) REPEATABLE (1))"
