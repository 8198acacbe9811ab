"""Queries as text and as trees, for those who look into them; what may run is for the guard to say."""

from sqlglot import exp, parse, parse_one
from sqlglot.errors import ParseError, SqlglotError


def parsed(sql: str, dialect: str) -> exp.Expr | None:
    """A query's syntax tree; None where it can't be parsed, or is nested too deeply for it.

    `dialect` is a name of sqlglot's, "" for what most dialects have in common.
    """
    try:
        return parsed_or_raised(sql, dialect)
    except (SqlglotError, RecursionError):
        return None


def parsed_or_raised(sql: str, dialect: str) -> exp.Expr:
    """A query's syntax tree. Raises `SqlglotError`, and `RecursionError` for one nested too deeply."""
    return parse_one(sql, dialect=dialect)


def laid_out(sql: str, dialect: str) -> str:
    """A query with its clauses on lines of their own; itself where that could change its meaning.

    Raises `ParseError` for what can't be read.
    """
    try:
        trees = parse(sql, dialect=dialect)
        if len(trees) != 1 or not isinstance(trees[0], exp.Query):
            return sql
        made = trees[0].sql(dialect=dialect, pretty=True)
        return made if parse_one(made, dialect=dialect) == trees[0] else sql
    except ParseError:
        raise
    except (SqlglotError, RecursionError):
        return sql


def tables_of(tree: exp.Expr) -> tuple[str, ...]:
    """The base tables that a query reads, in their order, as it names them."""
    made = {cte.alias for cte in tree.find_all(exp.CTE)}
    return tuple(dict.fromkeys(t.name for t in tree.find_all(exp.Table) if t.name and t.name not in made))
