"""Parsing queries of runs, which come without a word on their dialect."""

from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

# SQLite's parser takes backticks, brackets and double quotes, so it reads nearly all that benchmarks hold.
_TRIED = ("sqlite", "postgres", "mysql", "bigquery", "duckdb")


@lru_cache(maxsize=20_000)
def parsed(sql: str, dialect: str = "") -> exp.Expr | None:
    """The tree of a query, shared: copy it before changing it. None where no dialect reads it.

    Without a dialect the first one that reads the query is taken; BigQuery's, where a whole path such as
    `project.dataset.table` stands between backticks.
    """
    if dialect:
        return _read(sql, dialect)
    found = next((tree for one in _TRIED if (tree := _read(sql, one))), None)
    if found is not None and "`" in sql and any("." in table.name for table in found.find_all(exp.Table)):
        return _read(sql, "bigquery") or found
    return found


def _read(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None
