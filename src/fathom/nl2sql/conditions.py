"""The comparisons of a query's columns with literals, each with the column that it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from fathom.records import Schema

_OPERATORS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=",
}  # fmt: skip
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


@dataclass(frozen=True, slots=True)
class Condition:
    """`table.column operator literal`; `is_text` tells a quoted literal from a number."""

    table: str
    column: str
    operator: str
    literal: str
    is_text: bool


def conditions(sql: str, schema: Schema) -> list[Condition]:
    """Each comparison of a column with one literal, by = != > >= < <=, anywhere in a query.

    Columns of no table of the schema are left out; nothing where the query can't be parsed.
    """
    try:
        scopes = traverse_scope(parse_one(sql, dialect=schema.dialect))
    except (SqlglotError, RecursionError):
        return []
    return list(dict.fromkeys(c for scope in scopes for c in _of_scope(scope, schema)))


def _of_scope(scope: Scope, schema: Schema) -> Iterator[Condition]:
    tables = {
        alias.casefold(): source.name
        for alias, source in scope.sources.items()
        if isinstance(source, exp.Table) and source.name in schema
    }
    for node in scope.find_all(*_OPERATORS):
        operator, column, literal = _OPERATORS[type(node)], node.args["this"], node.args["expression"]
        if isinstance(literal, exp.Column):
            column, literal, operator = literal, column, _TURNED.get(operator, operator)
        if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
            continue
        names = [tables[column.table.casefold()]] if column.table.casefold() in tables else []
        for name in names or ([] if column.table else tables.values()):
            table = schema.table(name)
            held = {c.name.casefold(): c.name for c in table.columns}
            if (found := held.get(column.name.casefold())) is not None:
                yield Condition(table.name, found, operator, str(literal.this), bool(literal.is_string))
                break
