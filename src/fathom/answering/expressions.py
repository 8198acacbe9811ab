"""Shapes of SQL expressions that stand for a part of a date, a count under a condition, or a period."""

from calendar import month_name
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from sqlglot import exp

from fathom.text.patterns import Pattern

_UNITS: Mapping[str, str] = MappingProxyType(
    {"%Y": "year", "%Y-%m": "month", "%m": "month", "%Y-%m-%d": "day", "%Y-%W": "week", "%w": "weekday"}
)
_FIRST_DAY = Pattern(r"(\d{4})-(0[1-9]|1[0-2])-01(?:[ T]00:00:00)?")
_PATTERN = Pattern(r"(?P<before>%?)(?P<text>[^%_\\]+)(?P<after>%?)")
_OF_TEXTS = {
    "% ": ("ends with", "end with"),
    " %": ("begins with", "begin with"),
    "% %": ("contains", "contain"),
}
"""Verbs for what a pattern takes, of one thing and after "doesn't", by the signs around its text."""
TODAY = (exp.Date(this=exp.Literal.string("now")), exp.CurrentDate())


def uncast(node: exp.Expr) -> exp.Expr:
    """An expression without casts, brackets and the guard against a division by zero."""
    while isinstance(node, exp.Cast | exp.Paren | exp.Nullif):
        node = node.this
    return node


def counted_where(operand: exp.Expression) -> exp.Expression | None:
    """The condition of `CASE WHEN condition THEN 1 ELSE 0 END`, whose sum counts rows."""
    if not isinstance(operand, exp.Case) or operand.this is not None or len(operand.args["ifs"]) != 1:
        return None
    way, default = operand.args["ifs"][0], operand.args.get("default")
    one = way.args["true"].sql() == "1" and (default is None or default.sql() == "0")
    condition: exp.Expression = way.this
    return condition if one else None


def part_of_date(node: exp.Expr) -> str:
    """Which part of a date an expression takes: year, month or day; empty where it takes none."""
    if isinstance(node, exp.TimeToStr):
        return _UNITS.get(node.args["format"].name, "")
    if isinstance(node, exp.Extract):
        return str(node.this.name).casefold()
    if isinstance(node, exp.Year | exp.Month | exp.Day | exp.Quarter):
        return type(node).__name__.casefold()
    return ""


def part_of_text(node: exp.Expr, *, denied: bool) -> tuple[str, exp.Literal] | None:
    """The verb for a pattern that is a text with more before or behind it, and the text; None for others."""
    pattern = node.expression if isinstance(node, exp.Like | exp.ILike) else None
    found = _PATTERN.fullmatch(pattern.name) if isinstance(pattern, exp.Literal) else None
    verbs = _OF_TEXTS.get(f"{found['before']} {found['after']}") if found is not None else None
    return (verbs[denied], exp.Literal.string(found["text"])) if verbs and found is not None else None


def change_in_per_cent(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """Reads (now - before) * 100 / before; gives the two expressions, the later one first."""
    if not isinstance(node, exp.Div) or not isinstance(product := uncast(node.left), exp.Mul):
        return None
    compared = uncast(product.left)
    if product.right.sql() != "100" or not isinstance(compared, exp.Sub):
        return None
    before = uncast(node.right)
    return (compared.left, before) if uncast(compared.right) == before else None


def in_whole_periods(conditions: Iterable[exp.Expr]) -> Iterator[tuple[exp.Expr, str]]:
    """Give each condition, with "2017" or "April 2026" where another one ends the period that it begins.

    The one that ends it isn't given. Conditions without a period come with "".
    """
    left = list(conditions)
    while left:
        begin = left.pop(0)
        found = next(((end, period) for end in left if (period := _period(begin, end))), None)
        if found is not None:
            left.remove(found[0])
        yield begin, found[1] if found is not None else ""


def _period(begin: exp.Expr, end: exp.Expr) -> str:
    """The year or month that two conditions hold a date in; "" for other conditions."""
    if not isinstance(begin, exp.GTE) or not isinstance(end, exp.LT) or begin.this != end.this:
        return ""
    days = [_FIRST_DAY.fullmatch(uncast(side.expression).name) for side in (begin, end)]
    if days[0] is None or days[1] is None:
        return ""
    (year, month), (year_after, month_after) = ((int(d[1]), int(d[2])) for d in days if d)
    if month == month_after == 1 and year_after == year + 1:
        return str(year)
    is_month = 12 * (year_after - year) + month_after - month == 1
    return f"{month_name[month]} {year}" if is_month else ""


def day_of(node: exp.Expr) -> exp.Expr | None:
    """The date of which SQLite's number of the day is taken."""
    counted = isinstance(node, exp.Anonymous) and node.name.casefold() == "julianday"
    return node.expressions[0] if counted and len(node.expressions) == 1 else None


def born(node: exp.Sub) -> exp.Expr | None:
    """The date from which full years are counted to today: those between, less one before the day comes."""
    years, short = uncast(node.left), node.right
    if not isinstance(years, exp.Sub) or not isinstance(short, exp.Case) or len(short.args["ifs"]) != 1:
        return None
    dates = [_date_of(n, "%Y") for n in (years.left, years.right)]
    before = short.args["ifs"][0].this
    days = (
        [_date_of(n, "%m-%d") for n in (before.this, before.expression)] if isinstance(before, exp.LT) else []
    )
    return dates[1] if dates == days and dates[0] in TODAY else None


def _date_of(node: exp.Expr, form: str) -> exp.Expr | None:
    """The date of which a part is taken."""
    part = uncast(node)
    if not isinstance(part, exp.TimeToStr) or part.args["format"].name != form:
        return None
    date: exp.Expr = part.this.this if isinstance(part.this, exp.Cast | exp.TsOrDsToTimestamp) else part.this
    return date
