"""Days between two dates, on engines that take one date from another as if they were numbers.

SQLite subtracts the years that the texts begin with, and MySQL numbers such as 20240131.
"""

import re
from collections.abc import Callable

from sqlglot import exp

_DAY_NUMBERS = {"sqlite": "JULIANDAY", "mysql": "TO_DAYS"}
_NOW = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime)
_ISO = re.compile(r"\d{4}-\d\d-\d\d|now$")


def count_days(tree: exp.Expr, is_date: Callable[[exp.Column], bool], dialect: str) -> bool:
    """Write differences between two dates as the days between them; tells whether there was one."""
    name = _DAY_NUMBERS.get(dialect)
    if name is None:
        return False
    changed = False
    for difference in list(tree.find_all(exp.Sub)):
        sides = (difference.this.unnest(), difference.expression.unnest())
        if all(_is_dated(side, is_date) for side in sides) and any(s.find(exp.Column) for s in sides):
            changed = True
            for side in sides:
                number = exp.Anonymous(this=name, expressions=[])
                side.replace(number)
                number.append("expressions", side)  # the column itself: it may yet be read by its form
    return changed


def _is_dated(side: exp.Expr, is_date: Callable[[exp.Column], bool]) -> bool:
    if isinstance(side, (exp.Date, exp.TsOrDsToDate)):
        return side.this is None or _is_dated(side.this, is_date)
    if isinstance(side, exp.Literal):
        return side.is_string and bool(_ISO.match(side.name))
    return isinstance(side, _NOW) or (isinstance(side, exp.Column) and is_date(side))
