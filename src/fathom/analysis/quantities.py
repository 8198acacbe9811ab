"""The subject of a statement: a measure of a table, of some of its rows, in a span of time.

These are values over the names of a schema. Text from outside never becomes part of a query: it is matched
to such values, and only these are written as SQL.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from fathom.errors import FathomError

Function = Literal["count", "sum", "avg", "min", "max"]
Grain = Literal["day", "month", "quarter", "year"]


class NotComputable(FathomError):
    """A quantity that the database's joins or dates don't give, or give in more than one way."""


@dataclass(frozen=True, slots=True, order=True)
class Field:
    """A column of a table; with `last`, the names of people that stand in two: the first and the last one."""

    table: str
    column: str
    last: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """A function over a column of a table's rows; with `count` and no column, how many rows there are.

    An `expression` takes the column's place: SQL over columns of the table, such as a price times a quantity.
    """

    function: Function
    table: str
    column: str | None = None
    expression: str = ""

    @property
    def field(self) -> Field | None:
        """The column, if there is one."""
        return None if self.column is None else Field(self.table, self.column)

    @property
    def adds_up(self) -> bool:
        """True if the values of parts add up to that of the whole."""
        return self.function in {"count", "sum"}


@dataclass(frozen=True, slots=True)
class RowCondition:
    """Only rows where a column has this value, or one of these where it is a tuple."""

    field: Field
    value: Any


@dataclass(frozen=True, slots=True)
class Period:
    """Only rows from `start` up to the day before `end`."""

    start: date
    end: date

    @property
    def grain(self) -> Grain:
        """The longest calendar unit that the span is one of; `day` for any other span."""
        months = (self.end.year - self.start.year) * 12 + self.end.month - self.start.month
        if self.start.day != 1 or self.end.day != 1:
            return "day"
        named: dict[int, Grain] = {1: "month", 3: "quarter", 12: "year"}
        return named.get(months, "day")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measure of the rows that meet the conditions; `dated` is the column that a period or series is of."""

    measure: Measure
    where: tuple[RowCondition, ...] = ()
    period: Period | None = None
    dated: Field | None = None

    def at(self, *conditions: RowCondition) -> "Quantity":
        """The same of fewer rows."""
        return replace(self, where=(*self.where, *conditions))

    def during(self, period: Period | None) -> "Quantity":
        """The same of another span."""
        return replace(self, period=period)
