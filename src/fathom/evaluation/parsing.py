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

    Without a dialect the first one that reads the query is taken.
    """
    for one in (dialect,) if dialect else _TRIED:
        try:
            return sqlglot.parse_one(sql, dialect=one)
        except (SqlglotError, RecursionError):
            continue
    return None
