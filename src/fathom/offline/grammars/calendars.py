"""Days counted from today, the days between two dates, and the periods that dates belong to, as expressions.

They are spelled as SQLite has them; `dialects` puts them into those of other engines.
"""

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, date, datetime, timedelta

from fathom.offline.queries.query import (
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    FunctionCall,
    Literal,
)

_WEEK = (Literal("weekday 0"), Literal("-6 days"))
"""The Sunday to come, or today, and then back to its Monday."""
_MONTH = FunctionCall("cast", (FunctionCall("strftime", (Literal("%m"), Literal("now"))), Literal("INTEGER")))
_MONTHS_INTO_QUARTER = Arithmetic("%", Arithmetic("-", _MONTH, Literal(1)), Literal(3))
_STARTS: dict[str, tuple[Expression, ...]] = {
    "": (),
    "week": _WEEK,
    "month": (Literal("start of month"),),
    "quarter": (
        Literal("start of month"),
        Arithmetic("||", Arithmetic("||", Literal("-"), _MONTHS_INTO_QUARTER), Literal(" months")),
    ),
    "year": (Literal("start of year"),),
}
FORMATS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d", "week": "%Y-%W"}


def today(amount: int = 0, unit: str = "day", start: str = "") -> FunctionCall:
    """The current day, or the first day of the current `start` (week, month, quarter, year), moved by units.

    Units are days, weeks, months, quarters and years.
    """
    size, unit = {"week": (7, "day"), "quarter": (3, "month")}.get(unit, (1, unit))
    moved = (Literal(f"{amount * size:+d} {unit}s"),) if amount else ()
    return FunctionCall("date", (Literal("now"), *_STARTS[start], *moved))


def begun_in(call: FunctionCall) -> str:
    """The unit whose start a day that `today` made is counted from; "" for the current day."""
    changes = call.arguments[1:]
    for unit in ("quarter", "week", "month", "year"):  # a quarter's begins as a month's does
        if changes[: len(_STARTS[unit])] == _STARTS[unit]:
            return unit
    return ""


def moves_of(call: FunctionCall) -> tuple[str, ...]:
    """The steps from there on, such as "-2 months"."""
    steps = call.arguments[1 + len(_STARTS[begun_in(call)]) :]
    return tuple(str(s.value) for s in steps if isinstance(s, Literal))


def day_of(expression: Expression | None, now: date | None = None) -> date | None:
    """The day that a literal or a day counted from today comes to; None for anything else."""
    if isinstance(expression, Literal):
        with suppress(ValueError):
            return date.fromisoformat(str(expression.value)[:10])
    if not isinstance(expression, FunctionCall) or expression.name != "date":
        return None
    if expression.arguments[:1] != (Literal("now"),):
        return None
    day = _start_of(begun_in(expression), now or datetime.now(UTC).date())
    with closing(sqlite3.connect(":memory:")) as engine:  # whose steps these are
        moves = moves_of(expression)
        places = "".join(", ?" for _ in moves)
        (found,) = engine.execute(f"SELECT date(?{places})", (day.isoformat(), *moves)).fetchone()
    return date.fromisoformat(found) if found else None


def _start_of(unit: str, day: date) -> date:
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=day.month - (day.month - 1) % 3, day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day


def days_between(first: Expression, last: Expression) -> Arithmetic:
    """How many days, with fractions, lie between two dates."""
    return Arithmetic("-", FunctionCall("julianday", (last,)), FunctionCall("julianday", (first,)))


def age(born: ColumnRef) -> Arithmetic:
    """How many full years have passed between a date and today."""
    day = today()
    years = [
        FunctionCall("cast", (FunctionCall("strftime", (Literal("%Y"), d)), Literal("INTEGER")))
        for d in (day, born)
    ]
    birthdays = [FunctionCall("strftime", (Literal("%m-%d"), d)) for d in (day, born)]
    short = CaseWhen(ComparisonPredicate(birthdays[0], "<", birthdays[1]), Literal(1), Literal(0))
    return Arithmetic("-", Arithmetic("-", years[0], years[1]), short)


def period_of(unit: str, date: ColumnRef, *, in_one_year: bool = False) -> Expression:
    """The period of a date: text that sorts by time; weekdays as numbers from Sunday, 0.

    Quarters are "2021-Q3", or 3 where all dates are `in_one_year`.
    """
    if unit == "weekday":
        return FunctionCall("cast", (FunctionCall("strftime", (Literal("%w"), date)), Literal("INTEGER")))
    if unit != "quarter":
        return FunctionCall("strftime", (Literal(FORMATS[unit]), date))
    month = FunctionCall("cast", (FunctionCall("strftime", (Literal("%m"), date)), Literal("INTEGER")))
    quarter = Arithmetic("/", Arithmetic("+", month, Literal(2)), Literal(3))
    if in_one_year:
        return quarter
    year = Arithmetic("||", FunctionCall("strftime", (Literal("%Y"), date)), Literal("-Q"))
    return Arithmetic("||", year, quarter)
