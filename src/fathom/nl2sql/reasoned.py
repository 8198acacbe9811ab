"""The reason that leads from a solved question to its query, put together from the query itself.

OpenSearch-SQL has a model write such reasons beforehand, E-SQL's authors wrote theirs by hand. A reason made
by rule says the same steps in their order (what is read, how it is joined, what is kept, grouped, ordered and
shown), but not why the words of the question mean them.
"""

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.nl2sql.quoted_names import spelt_as

_COMBINED = {"union": "either", "intersect": "both", "except": "the first and not the second"}


@lru_cache(maxsize=4096)
def reason_of(sql: str, dialect: str = "sqlite") -> str:
    """The steps of a query in words, "" where it can't be parsed or is no query."""
    tree = parsed(sql, dialect)
    if not isinstance(tree, exp.Query):
        return ""
    if isinstance(tree, exp.SetOperation):
        told = _COMBINED.get(tree.key, "both")
        parts = [reason_of(part.sql(dialect), dialect) for part in (tree.left, tree.right)]
        return f"The rows of {told} of two queries are wanted. First: {parts[0]} Second: {parts[1]}"
    select = tree.find(exp.Select)
    if select is None:
        return ""
    steps = [spelt_as(step, sql, dialect) for step in _steps(select, dialect)]
    return " ".join(f"{step[0].upper()}{step[1:]}." for step in steps)


def _steps(select: exp.Select, dialect: str) -> Iterator[str]:
    def said(part: exp.Expr) -> str:
        return part.sql(dialect)

    tables = list(dict.fromkeys(t.name for t in _sources(select)))
    if tables:
        yield f"the question is about {_listed(tables)}"
    joins = [said(on) for join in select.args.get("joins") or () if (on := join.args.get("on")) is not None]
    if joins:
        yield f"they are joined where {' and '.join(joins)}"
    if (where := select.args.get("where")) is not None:
        yield f"only rows count where {said(where.this)}"
        inner = where.find(exp.Select)
        if inner is not None:
            yield f"that takes a query within, {said(inner)}"
    if (group := select.args.get("group")) is not None:
        yield f"there is one row for each {_listed([said(g) for g in group.expressions])}"
    if (having := select.args.get("having")) is not None:
        yield f"of these groups those count where {said(having.this)}"
    if (order := select.args.get("order")) is not None:
        yield f"they are ordered by {_listed([said(o) for o in order.expressions])}"
    if (limit := select.args.get("limit")) is not None and limit.expression is not None:
        yield f"the first {said(limit.expression)} are wanted"
    once = ", each once" if select.args.get("distinct") is not None else ""
    yield f"what is shown is {_listed([said(e.unalias()) for e in select.expressions])}{once}"


def _sources(select: exp.Select) -> Iterator[exp.Table]:
    """The tables that a query names itself, not those of queries within it."""
    parts = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    for part in parts:
        if part is not None and isinstance(part.this, exp.Table):
            yield part.this


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
