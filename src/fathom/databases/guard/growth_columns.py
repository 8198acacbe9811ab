"""The columns that expressions name, and outputs that are reckoned from many rows."""

from collections.abc import Sequence

from sqlglot import exp

from fathom.databases.guard.growth_rows import ONE, Level, Parts, compared, largest
from fathom.databases.guard.value_sizes import times


def column_parts(column: exp.Column, level: Level) -> Parts:
    """The parts of what a column's name stands for, those of the largest where that isn't certain."""
    table, name = compared(column.args.get("table")), compared(column.this)
    perhaps = [ONE]
    for around in level.outwards():
        if isinstance(column.this, exp.Star):
            certain = [rows.all() for rows in around.names.get(table, ())]
        else:
            certain = around.certain(table, name)
            if not certain and not table:
                certain = [rows.all() for rows in around.names.get(name, ())]  # a whole row
        if certain:
            return _within(sum(certain[1:], certain[0]), around, level)
        perhaps += [
            _within(parts, around, level) for rows in around.called(table) if (parts := rows.perhaps())
        ]
    return largest(perhaps)


def _within(parts: Parts, around: Level, level: Level) -> Parts:
    """A column of a query around is the same for all rows of the query that names it."""
    if around is level:
        return parts
    total = times(parts.value.length, max(1.0, level.count))
    return parts.of(parts.value.of_total(total))


def is_computed(among: Sequence[exp.Expr], level: Level) -> bool:
    """True if a value comes from many rows of its own level, so that it is put in no other place.

    `among` are the aggregates and windows in it.
    """
    return any(isinstance(node, exp.Window) or _is_own(node, level) for node in among)


def _is_own(call: exp.Expr, level: Level) -> bool:
    """False for an aggregate of columns of a query around, to which it belongs then."""
    around = list(level.outwards())[1:]
    outer = []
    for column in call.find_all(exp.Column):
        table, name = compared(column.args.get("table")), compared(column.this)
        own = table in level.names if table else bool(level.certain("", name))
        outer.append(not own and (bool(table) or any(up.certain("", name) for up in around)))
    return not outer or not all(outer)
