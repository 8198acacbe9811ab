"""The pieces of SQL that a pack holds: one expression each, checked when the pack is read."""

from functools import lru_cache

import sqlglot
from sqlglot import exp


@lru_cache(maxsize=4096)
def columns_of(sql: str) -> tuple[str, ...]:
    """The columns that an expression names, as written: "column" or "table.column"."""
    found = sqlglot.parse_one(sql).find_all(exp.Column)
    return tuple(dict.fromkeys(".".join(p.name for p in c.parts) for c in found))


def valid_sql(sql: str) -> str:
    """The same SQL. Raises `ValueError` unless it is one expression, without statements inside."""
    try:
        parsed = sqlglot.parse(sql)
    except sqlglot.errors.SqlglotError as error:
        problem = str(error).splitlines()[0]
        raise ValueError(f"{sql!r} is not an SQL expression: {problem}") from None
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Expression):
        raise ValueError(f"{sql!r} must be one SQL expression")
    if parsed[0].find(exp.Command, exp.DDL, exp.DML, exp.Query, exp.Drop):
        raise ValueError(f"{sql!r} must be an SQL expression over columns, not a statement or subquery")
    return sql
