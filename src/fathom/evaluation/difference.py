"""How two queries differ, clause by clause, in words that a person can check.

A difference of parse trees node by node drowns what matters in aliases, quotes and qualifiers; here both
queries are folded first (aliases and qualifiers dropped, conjunctions taken apart, sides of `=` sorted), and
what remains is compared as sets, over the query and all its subqueries.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from fathom.evaluation.parsing import parsed

CLAUSES = ("tables", "joins", "select", "distinct", "filters", "group by", "having", "order by", "limit",
           "set operations")  # fmt: skip


@dataclass(frozen=True, slots=True)
class QueryDifference:
    """The parts of one clause that a query lacks, and the parts that it has too much, against another
    query."""

    clause: str
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    def __str__(self) -> str:
        parts = [f"without {m}" for m in self.missing] + [f"with {e}" for e in self.extra]
        return f"{self.clause}: {', '.join(parts)}"


def differences(sql: str, other: str, dialect: str = "") -> tuple[QueryDifference, ...] | None:
    """How `sql` differs from `other`; empty where only spelling does, None where one can't be parsed.

    Without a dialect each is read in the first one that parses it.
    """
    mine, yours = _clauses(sql, dialect), _clauses(other, dialect)
    if mine is None or yours is None:
        return None
    found = []
    for clause in CLAUSES:
        ours, theirs = mine.get(clause, Counter()), yours.get(clause, Counter())
        missing, extra = theirs - ours, ours - theirs
        if missing or extra:
            found.append(QueryDifference(clause, tuple(missing.elements()), tuple(extra.elements())))
    return tuple(found)


@lru_cache(maxsize=20_000)
def _clauses(sql: str, dialect: str) -> dict[str, Counter[str]] | None:
    tree = parsed(sql, dialect)
    if tree is None:
        return None
    tree = tree.copy()
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.casefold())
        name.set("quoted", False)
    found: dict[str, Counter[str]] = {}
    for node in tree.walk():
        for clause, part in _parts(node):
            found.setdefault(clause, Counter())[part if isinstance(part, str) else _text(part, dialect)] += 1
    return found


def _parts(node: exp.Expr) -> Iterator[tuple[str, exp.Expr | str]]:
    """Give the parts of clauses that one node of the tree adds."""
    if isinstance(node, exp.Table):
        yield "tables", node.name
    elif isinstance(node, exp.SetOperation):
        yield "set operations", type(node).__name__.casefold()
    elif isinstance(node, exp.Join):
        for part in _conjuncts(node.args.get("on")):
            yield "joins", part
        for column in node.args.get("using") or ():
            yield "joins", exp.EQ(this=exp.column(column.name), expression=exp.column(column.name))
    elif isinstance(node, exp.Limit):
        yield "limit", node.expression
    elif isinstance(node, exp.Select):
        yield from _parts_of_select(node)
    elif isinstance(node, exp.Ordered):
        yield "order by", node


def _parts_of_select(node: exp.Select) -> Iterator[tuple[str, exp.Expr | str]]:
    for projection in node.expressions:
        yield "select", projection.unalias()
    if node.args.get("distinct"):
        yield "distinct", "DISTINCT"
    for part in _conjuncts(_inside(node, "where")):
        yield "filters", part
    for part in _conjuncts(_inside(node, "having")):
        yield "having", part
    group = node.args.get("group")
    for part in group.expressions if group else ():
        yield "group by", part


def _inside(node: exp.Select, clause: str) -> exp.Expr | None:
    found = node.args.get(clause)
    return found.this if found is not None else None


def _conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    if condition is None:
        return
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _text(part: exp.Expr, dialect: str) -> str:
    """The text of a part without qualifiers and without what stands in subqueries of its own."""

    def fold(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return exp.column(node.name)
        if isinstance(node, exp.Subquery | exp.Exists | exp.Query):
            return exp.var("(a subquery)")
        if isinstance(node, exp.EQ):
            left, right = node.left.transform(fold), node.right.transform(fold)
            if right.sql(dialect=dialect) < left.sql(dialect=dialect):
                left, right = right, left
            return exp.EQ(this=left, expression=right)
        return node

    return part.copy().transform(fold).sql(dialect=dialect or None)
