"""Conditions that others of the same column already say: of `year = 2010 AND year > 0`, the second."""

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

from sqlglot import exp

_HOLDS: Mapping[type[exp.Expression], Callable[[Decimal, Decimal], bool]] = MappingProxyType(
    {
        exp.EQ: operator.eq,
        exp.NEQ: operator.ne,
        exp.GT: operator.gt,
        exp.GTE: operator.ge,
        exp.LT: operator.lt,
        exp.LTE: operator.le,
    }
)
_BOUNDS: tuple[set[type[exp.Expression]], ...] = ({exp.GT, exp.GTE}, {exp.LT, exp.LTE})


def without_implied(conditions: Sequence[exp.Expr]) -> list[exp.Expr]:
    """The conditions of a conjunction without those that another one implies; of equal ones the first."""
    kept: list[exp.Expr] = []
    for place, condition in enumerate(conditions):
        others = [*kept, *(c for c in conditions[place + 1 :] if not _implies(condition, c))]
        if not any(_implies(other, condition) for other in others):
            kept.append(condition)
    return kept


def _implies(one: Any, other: Any) -> bool:
    """True if a comparison of a column with a number leaves another of the same column nothing to say."""
    if _is_known(other):
        return (
            type(one) in _HOLDS and one.this == other.this.this and not isinstance(one.expression, exp.Null)
        )
    if type(one) not in _HOLDS or type(other) not in _HOLDS or one.this != other.this:
        return False
    value, bound = _number(one.expression), _number(other.expression)
    if value is None or bound is None:
        return False
    if isinstance(one, exp.EQ):
        return _HOLDS[type(other)](value, bound)
    kinds: set[type[exp.Expression]] = {type(one), type(other)}
    if not any(kinds <= bounds for bounds in _BOUNDS):
        return False
    farther = value > bound if isinstance(one, exp.GT | exp.GTE) else value < bound
    return farther or (value == bound and (type(one) is type(other) or isinstance(one, exp.GT | exp.LT)))


def _is_known(condition: Any) -> bool:
    """True if a condition says that something is not null."""
    inner = condition.this if isinstance(condition, exp.Not) else None
    return isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null)


def _number(value: Any) -> Decimal | None:
    """A number as it is written: as floats, two long identifiers could be the same."""
    negative = isinstance(value, exp.Neg)
    literal = value.this if negative else value
    if not isinstance(literal, exp.Literal) or literal.is_string:
        return None
    try:
        number = Decimal(literal.this)
    except InvalidOperation:  # the parser takes "1e" for a number too
        return None
    return -number if negative else number
