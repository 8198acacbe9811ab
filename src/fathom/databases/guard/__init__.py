"""The guard: lets through one query that reads, and refuses everything else with its reason.

It works on lists of what may pass (statements, syntax, functions, the engines' own tables), not of what may
not, so that whatever it doesn't know is refused. sqlglot parses; because the server will read the text with
a tokenizer of its own, text that the two could split differently is refused first. It is the first of three
safeguards; read-only sessions and limits on seconds, rows and bytes stand behind it.
"""

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from fathom.databases.guard import duckdb, postgres
from fathom.databases.guard.agreement import check_agreement
from fathom.databases.guard.calls import called, check_own
from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.costs import check_costs
from fathom.databases.guard.growth import check_growth
from fathom.databases.guard.sizes import check_sizes
from fathom.databases.guard.statement import parse
from fathom.databases.guard.tree import check_tree
from fathom.databases.guard.words import Refused, names_of
from fathom.errors import QueryRefused

__all__ = ["Catalogue", "check", "check_size"]


def check(sql: str, dialect: str, catalogue: Catalogue | None = None) -> exp.Expr:
    """The parsed query, when it is one query that only reads; `exp.Describe` around it for EXPLAIN.

    `dialect` is sqlglot's name of it; one without lists of its own is refused.
    `catalogue` tells what the database holds; without one, any name after a table's may be its column.
    Raises `QueryRefused` with the rule's short name, the reason, and `ErrorClass.SYNTAX` for what is no SQL.
    """
    return _told(partial(_check, catalogue=catalogue), sql, dialect)


def check_size(sql: str, dialect: str) -> None:
    """Only what `check` asks of sizes, where the engine itself judges the rest. Raises `QueryRefused`."""
    _told(_measure, sql, dialect)


def _told(judge: Callable[[str, str], exp.Expr], sql: str, dialect: str) -> exp.Expr:
    try:
        return judge(sql, dialect)
    except Refused as refused:
        raise QueryRefused(
            refused.rule, refused.reason, sql=sql, error_class=refused.error_class
        ) from refused.__cause__
    except RecursionError:
        raise QueryRefused("size", "it is nested too deeply.", sql=sql) from None


def _check(sql: str, dialect: str, catalogue: Catalogue | None) -> exp.Expr:
    text, tokens, tree, read = parse(sql, dialect, catalogue)
    nodes = tuple(tree.walk())
    check_tree(nodes, tokens, dialect)
    if dialect == "postgres":
        query = postgres.parsed(sql)
        parts = postgres.walk(query)
        postgres.check_statement(query, parts, names_of(dialect), catalogue)
        postgres.check_agreement(nodes, parts)
    elif dialect == "duckdb":
        duckdb.check_statement(text, tokens, nodes, names_of(dialect), catalogue)
    elif dialect == "mysql":  # where `count (x)`, with a space, calls a stored function before its own
        check_own(called(tokens), (), catalogue)
    check_agreement(nodes, read, dialect)
    check_sizes(nodes, dialect)
    check_costs(nodes, dialect)
    check_growth(nodes, sql, dialect, catalogue)
    return tree


def _measure(sql: str, dialect: str) -> exp.Expr:
    parsed = parse(sql, dialect)
    nodes = tuple(parsed.tree.walk())
    check_agreement(nodes, parsed.read, dialect)
    check_sizes(nodes, dialect)
    return parsed.tree
