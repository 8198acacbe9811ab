"""What SQLite's own compiler asks leave to read: an independent account of a query's gold schema."""

import sqlite3


def authorized_reads(connection: sqlite3.Connection, sql: str) -> tuple[set[str], set[str]] | None:
    """The tables and columns (`table.column`) that a query reads; None where it can't be compiled."""
    tables: set[str] = set()
    columns: set[str] = set()

    def authorize(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table and not table.startswith("sqlite_"):
            tables.add(table.casefold())
            if column:
                columns.add(f"{table}.{column}".casefold())
        return sqlite3.SQLITE_OK

    connection.set_authorizer(authorize)
    try:
        connection.execute(f"EXPLAIN {sql}").close()
    except sqlite3.Error:
        return None
    finally:
        connection.set_authorizer(None)
    return tables, columns
