"""What Spark and Databricks write alike."""

from fathom.records import Table


def backquoted(name: str) -> str:
    """The name as an identifier."""
    return "`" + name.replace("`", "``") + "`"


def share_of_rows(identifier: str, table: Table, count: int) -> str:
    """The FROM item that gives about `count` rows from all over a big table, which reads it once."""
    if table.is_view or (table.row_count or 0) <= 2 * count:
        return identifier
    share = min(100.0, 120.0 * count / (table.row_count or 1))
    return f"(SELECT * FROM {identifier} TABLESAMPLE ({share:.6f} PERCENT) REPEATABLE (1))"
