"""Queries written for a warehouse, brought to the engine that its data are loaded into here."""

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

ENGINES = {".duckdb": "duckdb", ".sqlite": "sqlite", ".db": "sqlite"}
"""Dialects of the files that a knowledge base may be."""


def engine_of(database: str) -> str:
    """The dialect of a database's file; empty for a name or an address, whose dialect isn't told."""
    return next((dialect for end, dialect in ENGINES.items() if database.endswith(end)), "")


def translated(sql: str, source: str, target: str) -> str:
    """A query of one dialect in another, its tables without project and data set.

    As it is where it can't be read: it fails when it is run, as it should.
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=source)
    except (SqlglotError, RecursionError):
        return sql
    for table in tree.find_all(exp.Table):
        if table.args.get("db"):
            table.set("catalog", None)
            table.set("db", None)
    try:
        return tree.sql(dialect=target)
    except (SqlglotError, RecursionError, ValueError):
        return sql
