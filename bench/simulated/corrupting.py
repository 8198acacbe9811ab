"""Wrong queries as models write them, made from right ones on the tree of their syntax."""

from collections.abc import Callable
from functools import lru_cache
from random import Random

from sqlglot import exp, parse_one

from fathom.records import Schema

SYNTAX_ERRORS = 0.1
"""The share of wrong queries that are no SQL, where nothing else is said."""
_AGGREGATES: tuple[type[exp.AggFunc], ...] = (exp.Max, exp.Min, exp.Avg, exp.Sum, exp.Count)
Corruption = Callable[[exp.Expr, Random, Schema], bool]
"""Changes a tree in place; False where there is nothing to change."""


def corrupt(sql: str, schema: Schema, draw: Random, syntax_errors: float = SYNTAX_ERRORS) -> str:
    """A wrong query near a right one: another text, which may still give the same result on some data.

    The share `syntax_errors` is no SQL.
    """
    right = _parsed(sql, schema.dialect)
    told = right.sql(dialect=schema.dialect)
    if draw.random() >= syntax_errors:
        for change in draw.sample(CORRUPTIONS, len(CORRUPTIONS)):
            tree = right.copy()
            if change(tree, draw, schema) and (made := tree.sql(dialect=schema.dialect)) != told:
                return made
    return told.replace(" FROM ", " FORM ", 1) if " FROM " in told else f"{told} WHERE ("


@lru_cache(maxsize=1024)
def _parsed(sql: str, dialect: str) -> exp.Expr:
    """The tree of a gold query, which is corrupted again and again; not to be changed."""
    return parse_one(sql, dialect=dialect)


def wrong_column(tree: exp.Expr, draw: Random, schema: Schema) -> bool:
    """Another column of a table that the query reads."""
    columns = [c for c in tree.find_all(exp.Column) if not c.is_star]
    read = {t.name.casefold() for t in tree.find_all(exp.Table)}
    if not columns:
        return False
    chosen = draw.choice(columns)
    holding = [
        t
        for t in schema.tables
        if t.name.casefold() in read and chosen.name.casefold() in {c.name.casefold() for c in t.columns}
    ]
    others = [c.name for t in holding[:1] for c in t.columns if c.name.casefold() != chosen.name.casefold()]
    if not others:
        return False
    chosen.set("this", exp.to_identifier(draw.choice(others)))
    return True


def missing_join(tree: exp.Expr, draw: Random, schema: Schema) -> bool:
    """One table less, or two that are joined by nothing."""
    joins = list(tree.find_all(exp.Join))
    if not joins:
        return False
    chosen = draw.choice(joins)
    if draw.random() < 0.5 and chosen.args.get("on") is not None:
        chosen.set("on", None)
    else:
        chosen.pop()
    return True


def dropped_filter(tree: exp.Expr, draw: Random, schema: Schema) -> bool:
    """One condition less."""
    clauses = list(tree.find_all(exp.Where, exp.Having))
    if not clauses:
        return False
    chosen = draw.choice(clauses)
    both = chosen.this
    if isinstance(both, exp.And):
        both.replace(draw.choice([both.left, both.right]).copy())
    else:
        chosen.pop()
    return True


def wrong_aggregate(tree: exp.Expr, draw: Random, schema: Schema) -> bool:
    """Another aggregate over the same, or the other end of an order."""
    found = list(tree.find_all(*_AGGREGATES, exp.Ordered))
    if not found:
        return False
    chosen = draw.choice(found)
    if isinstance(chosen, exp.Ordered):
        chosen.set("desc", not chosen.args.get("desc"))
    else:
        other = draw.choice([a for a in _AGGREGATES if not isinstance(chosen, a)])
        chosen.replace(other(this=chosen.this.copy()))
    return True


def wrong_value(tree: exp.Expr, draw: Random, schema: Schema) -> bool:
    """A text or a number in a condition that is another."""
    found = list(tree.find_all(exp.Literal))
    if not found:
        return False
    chosen = draw.choice(found)
    chosen.set("this", f"{chosen.this}s" if chosen.is_string else f"{chosen.this}1")
    return True


CORRUPTIONS: tuple[Corruption, ...] = (
    wrong_column,
    missing_join,
    dropped_filter,
    wrong_aggregate,
    wrong_value,
)
