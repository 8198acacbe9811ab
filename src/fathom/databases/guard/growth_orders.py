"""The nodes of an expression, in the order in which they are counted, and how often each is written down."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlglot import exp

FIELDS = 50  # columns that `(f(x)).*` may be written out as
QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)
_LONG_LIST = 32  # elements after which the guard's parser leaves out plain values
_LISTS = (exp.In, exp.Tuple, exp.Array, exp.Values, exp.Func)
_NO_PARTS = (exp.Alias, exp.Identifier, exp.Paren)
_COPIED = (exp.Between, exp.In, exp.Dot)
_WHOLE = (exp.Column, *QUERIES)


class OrderedPart(NamedTuple):
    """One node: the parts that it is itself, and those that it is made of, with how often each is there.

    What columns and queries are made of isn't looked into.
    """

    node: exp.Expr
    own: int
    parts: Sequence[tuple[exp.Expr, int]]
    is_column: bool
    is_query: bool


class Order(NamedTuple):
    """The steps of an expression, parts before what they are part of; its queries, aggregates and windows."""

    steps: Sequence[OrderedPart]
    queries: Sequence[exp.Expr]
    computed: Sequence[exp.Expr]


def ordered(expression: exp.Expr, omitted: int) -> Order:
    """The order of an expression; `omitted` are the plain values that the parser may have left out."""
    steps, left = list[OrderedPart](), [expression]
    while left:  # without recursion: a chain of `||` is as deep as it is long
        node = left.pop()
        if isinstance(node, _WHOLE):
            is_column = isinstance(node, exp.Column)
            steps.append(OrderedPart(node, 0, (), is_column, not is_column))
            continue
        inner = list(node.iter_expressions())
        left += inner
        own = (0 if isinstance(node, _NO_PARTS) else 1) + left_out(node, omitted)
        copied = isinstance(node, _COPIED)
        parts = [(part, _copies(node, part, omitted) if copied else 1) for part in inner]
        steps.append(OrderedPart(node, own, parts, is_column=False, is_query=False))
    steps.reverse()
    return Order(
        steps,
        [step.node for step in steps if step.is_query],
        [step.node for step in steps if isinstance(step.node, (exp.Window, exp.AggFunc))],
    )


def left_out(node: exp.Expr, omitted: int) -> int:
    """How many plain values of a list the parser may have left out."""
    return omitted if isinstance(node, _LISTS) and len(node.expressions) >= _LONG_LIST else 0


def _copies(node: exp.Expr, part: exp.Expr, omitted: int) -> int:
    """How often the server's parser writes down a part of a node."""
    if isinstance(node, exp.Between):
        symmetric = bool(node.args.get("symmetric"))
        return (4 if symmetric else 2) if part is node.this else 1 + symmetric
    if part is not node.this:
        return 1
    if isinstance(node, exp.In) and node.expressions:
        # One comparison each for what isn't a constant, and for all rows.
        compared = sum(not isinstance(item, exp.Literal) for item in node.expressions)
        return max(1, compared + isinstance(part, exp.Tuple) * left_out(node, omitted))
    return FIELDS if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star) else 1
