"""The parts of a solved question's query, in the words that demonstrations show.

OpenSearch-SQL and E-SQL have a language model annotate their solved questions beforehand. What those notes
say of columns, values and conditions stands in the query itself, and is read from it here, without its
schema; the reasons don't.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.nl2sql.quoted_names import spelt_as

_KEPT = ("where", "group", "having", "order", "limit")
_COMPARING = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.In, exp.Between, exp.Is)


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A query's columns as `table.column`, the texts it compares with, what it selects, its conditions, how
    its tables are joined, and a sketch of it without joins."""

    columns: tuple[str, ...]
    values: tuple[str, ...]
    selected: tuple[str, ...]
    conditions: tuple[str, ...]
    joins: tuple[str, ...]
    sketch: str


@lru_cache(maxsize=4096)
def anatomy(sql: str, dialect: str = "sqlite") -> Anatomy | None:
    """The anatomy of a query; None where it can't be parsed or is no query."""
    if (tree := parsed(sql, dialect)) is None:
        return None
    outer = tree.find(exp.Select)
    if not isinstance(tree, exp.Query) or outer is None:
        return None
    named = _with_tables(tree)
    joins = [on for join in named.find_all(exp.Join) if (on := join.args.get("on")) is not None]
    joined = {id(part) for on in joins for part in on.walk()}
    compared = [c for c in named.find_all(*_COMPARING) if id(c) not in joined]
    first = named.find(exp.Select)

    def written(parts: Iterable[exp.Expr]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spelt_as(p.unalias().sql(dialect), sql, dialect) for p in parts))

    return Anatomy(
        columns=written(c for c in named.find_all(exp.Column) if not c.is_star),
        values=tuple(dict.fromkeys(str(v.this) for v in tree.find_all(exp.Literal) if v.is_string)),
        selected=written(first.expressions if first else ()),
        conditions=written(compared),
        joins=written(joins),
        sketch=spelt_as(_sketch(outer, dialect), sql, dialect),
    )


def _with_tables(tree: exp.Expr) -> exp.Expr:
    """A copy in which columns bear the names of their tables in place of aliases."""
    copy = tree.copy()
    tables = list(copy.find_all(exp.Table))
    names = {t.alias_or_name: t.name for t in tables}
    for column in copy.find_all(exp.Column):
        table = names.get(column.table) or (tables[0].name if len(tables) == 1 and not column.table else "")
        if table:
            column.set("table", exp.to_identifier(table))
    return copy


def _sketch(query: exp.Select, dialect: str) -> str:
    """The query in one line: what it shows and under which clauses, its tables and joins left out."""
    copy = query.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    shown = ", ".join(e.unalias().sql(dialect) for e in copy.expressions)
    clauses = [part.sql(dialect).strip() for name in _KEPT if (part := copy.args.get(name)) is not None]
    return " ".join([f"show {shown}", *clauses])
