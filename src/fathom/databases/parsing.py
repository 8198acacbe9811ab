"""Queries as text and as trees, for those who look into them; what may run is for the guard to say."""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


def parsed(sql: str, dialect: str) -> exp.Expr | None:
    """A query's syntax tree; None where it can't be parsed, or is nested too deeply for it.

    `dialect` is a name of sqlglot's, "" for what most dialects have in common.
    """
    try:
        return parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None


def tables_of(tree: exp.Expr) -> tuple[str, ...]:
    """The base tables that a query reads, in their order, as it names them."""
    made = {cte.alias for cte in tree.find_all(exp.CTE)}
    return tuple(dict.fromkeys(t.name for t in tree.find_all(exp.Table) if t.name and t.name not in made))
