"""The values of a recursion in the end, reckoned from its first rounds."""

from collections.abc import Sequence
from itertools import chain, pairwise
from math import prod

from sqlglot import exp

from fathom.databases.guard.growth_rows import Parts, Rows, compared
from fathom.databases.guard.value_sizes import MOST, ROWS, Value
from fathom.databases.guard.values import number_in

_JOINS = (exp.DPipe, exp.Concat)
_COMPUTED = (exp.Pow, exp.BitwiseLeftShift, exp.Operator, exp.Exp, exp.Factorial, *_JOINS)
"""Parts that may make a large number of the digits of small ones."""
_MULTIPLIES = 1.3  # times that a round adds what one before it added
_DEPTH = 20  # rounds of a recursion that follows the rows of a table, as from a child to its parents
MOST_ROUNDS = 300_000  # that a recursion goes within some seconds
_MOST_ROWS = 10_000_000  # that a recursion gives within some seconds


def is_settled(rounds: Sequence[Rows]) -> bool:
    """True if the last round made no value longer."""
    if len(rounds) < 2:
        return False
    before, last = rounds[-2:]
    longer = (
        new.value.length > old.value.length or new.value.number > old.value.number
        for (_, old), (_, new) in zip(before.columns, last.columns, strict=False)
    )
    return not any(longer)


def grown(rounds: Sequence[Rows], table: exp.CTE) -> tuple[Rows, bool]:
    """The rows in the end, and whether a value of them multiplies."""
    last, multiplies = rounds[-1], False
    count = max(1.0, last.count)
    counts = _added([rows.count for rows in rounds])
    draws = draws_on_tables(table)
    most = _rounds_of(table)
    depth = _DEPTH if draws and most == ROWS else most
    last.count = _MOST_ROWS if _multiply(counts) and not draws else max(last.count, most)
    for at, (name, parts) in enumerate(last.columns):
        values = [rows.columns[at][1].value for rows in rounds if at < len(rows.columns)]
        lengths = _added([value.length for value in values])
        numbers = _added([value.number for value in values])
        multiplies = multiplies or _multiply(lengths)
        each = values[-1].total / count
        more = lengths[-1] * min(1.0, each / max(1.0, values[-1].length))
        number = MOST if _multiply(numbers) else values[-1].number + most * numbers[-1]
        length = values[-1].length + most * lengths[-1]
        total = last.count * (each + depth / 2 * more)
        last.columns[at] = (name, Parts(parts.inlined, parts.pushed, Value(length, total, number)))
    return last, multiplies


def draws_on_tables(table: exp.CTE) -> bool:
    """True if a recursion reads other rows than its own; else it goes on while its condition lets it."""
    own = compared(table.args["alias"].this)
    return any(compared(named.this) != own for named in table.this.find_all(exp.Table))


def _rounds_of(table: exp.CTE) -> float:
    """The rounds that the numbers in a recursion let it go, at least those of a table's rows."""
    most = ROWS
    steps = _steps_of(table)
    for part in chain.from_iterable(step.find_all(exp.Literal, exp.Mul, *_COMPUTED) for step in steps):
        if isinstance(part, exp.Literal):
            most = max(most, _digits(part))
        elif isinstance(part, exp.Mul):
            most = max(most, prod(map(_digits, part.find_all(exp.Literal))))
        elif any(map(_digits, _literals(part))):
            most = MOST_ROUNDS
    return min(most, MOST_ROUNDS)


def _steps_of(table: exp.CTE) -> list[exp.CTE]:
    """The step and all those of WITH that it names, and that they name."""
    known = {compared(step.args["alias"].this): step for step in table.root().find_all(exp.CTE)}
    found = [table]
    for step in found:
        named = {compared(item.this) for item in step.this.find_all(exp.Table)}
        found += [
            known[name] for name in named & known.keys() if all(known[name] is not one for one in found)
        ]
    return found


def _literals(part: exp.Expr) -> list[exp.Literal]:
    """All literals in a part; those of a text that is put together are its own digits alone."""
    if not isinstance(part, _JOINS):
        return list(part.find_all(exp.Literal))
    return [own for own in part.iter_expressions() if isinstance(own, exp.Literal)]


def _digits(literal: exp.Literal) -> float:
    """The number that stands there; 0 for a text such as a date."""
    return number_in(literal.name) if literal.is_number or literal.name.isdecimal() else 0.0


def _added(sizes: Sequence[float]) -> list[float]:
    """The growth in each round."""
    return [b - a for a, b in pairwise(sizes)] or [0.0]


def _multiply(added: Sequence[float]) -> bool:
    return len(added) > 2 and added[-1] > _MULTIPLIES * added[1] > 0
