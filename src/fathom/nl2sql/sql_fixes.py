"""Repairs of a query that ask nobody: operators torn apart, columns left ambiguous."""

from itertools import pairwise

from sqlglot import exp, parse_one, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from fathom.nl2sql.quoted_names import spelt_as
from fathom.records import Schema

UNQUOTED = {"drops_double_quotes": "double quotes are taken out of a query, which leaves names in pieces"}
"""The quirk of TA-SQL and E-SQL."""
_TORN = {">=", "<=", "!=", "<>"}


def without_double_quotes(sql: str | None) -> str | None:
    """A query without any double quote, those in texts included, on one line."""
    return " ".join(sql.replace('"', "").split()) if sql else sql


def closed_up(sql: str, dialect: str) -> str:
    """The query with comparisons such as `> =` closed up."""
    try:
        found = tokenize(sql, read=dialect)
    except SqlglotError:
        return sql
    for first, second in reversed(list(pairwise(found))):
        if first.text + second.text in _TORN and not sql[first.end + 1 : second.start].strip():
            sql = sql[: first.end + 1] + sql[second.start :]
    return sql


def qualified(sql: str, schema: Schema) -> str:
    """The query with each selected column without a table, which its tables are joined on, given a table.

    Of tables joined on columns of one name it is the first: there both hold the same. As it was where nothing
    is ambiguous or the query can't be parsed.
    """
    try:
        tree = parse_one(sql, dialect=schema.dialect)
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return sql
    changed = False
    for scope in scopes:
        if not isinstance(scope.expression, exp.Select):
            continue
        shared = _joined_on(scope)
        for column in (c for e in scope.expression.expressions for c in e.find_all(exp.Column)):
            if not column.table and (alias := shared.get(column.name.casefold())):
                column.set("table", exp.to_identifier(alias))
                changed = True
    return spelt_as(str(tree.sql(schema.dialect)), sql, schema.dialect) if changed else sql


def _joined_on(scope: Scope) -> dict[str, str]:
    """Columns that two tables are joined on under one name, each with the alias of the first."""
    found: dict[str, str] = {}
    for join in scope.expression.args.get("joins") or ():
        on = join.args.get("on")
        for equal in on.find_all(exp.EQ) if on is not None else ():
            sides = [s for s in (equal.this, equal.expression) if isinstance(s, exp.Column) and s.table]
            if len(sides) == 2 and sides[0].name.casefold() == sides[1].name.casefold():
                found.setdefault(sides[0].name.casefold(), sides[0].table)
    return found
