"""Queries written in another dialect than the database's: read in it, and what sqlglot leaves written out."""

from collections.abc import Iterator

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token

from fathom.databases.parsing import parsed

_READ_AS = ("mysql", "postgres", "tsql")
"""Dialects that models write in place of the one asked for, the commonest first."""
_TIMES, _LONGEST_LOOP, _PIECE = 4, 60, 60
"""How often something is said before it is a loop; of how many tokens it may be, and how many of them may be
left out."""
_PARTS = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S", "dow": "%w"}
_STARTS = {"year": "%Y-01-01", "month": "%Y-%m-01", "day": "%Y-%m-%d"}


def readings(sql: str, dialect: str) -> Iterator[exp.Query]:
    """The trees of a query: in its database's dialect, then in those that it may have been meant in.

    One that went round in circles until it was cut off is read with what it said again and again said once.
    """
    seen = set()
    for text in filter(None, (sql, unlooped(sql, dialect))):
        for read in dict.fromkeys((dialect, *_READ_AS)):
            tree = parsed(text, read)
            if isinstance(tree, exp.Query) and (written := tree.sql(dialect)) not in seen:
                seen.add(written)
                yield tree


def for_engine(tree: exp.Query, dialect: str) -> exp.Query:
    """The tree with what SQLite lacks written in what it has; for other engines sqlglot does so itself."""
    if dialect != "sqlite":
        return tree
    for sides in list(tree.find_all(exp.SetOperation)):
        for side in (sides.this, sides.expression):
            if isinstance(side, exp.Subquery) and not _is_cut(side) and not _is_cut(side.this):
                side.replace(side.this)  # SQLite takes no parentheses there
    changed = tree.transform(_for_sqlite)
    return changed if isinstance(changed, exp.Query) else tree


def unlooped(sql: str, dialect: str) -> str | None:
    """A query that was cut off while it said the same again and again, with that said once; else None."""
    cut = sql[: sql.rstrip().rfind(" ")]  # the last word may be cut in two
    try:
        tokens = tokenize(cut, read=dialect)
    except SqlglotError:
        return None
    texts = [t.text for t in tokens]
    for period in range(1, min(len(texts) // _TIMES, _LONGEST_LOOP) + 1):
        same = 0
        while same < len(texts) - period and texts[-1 - same] == texts[-1 - same - period]:
            same += 1
        if same + period >= _TIMES * period:
            return _closed(cut, tokens, len(texts) - same)
    return None


def _closed(sql: str, tokens: list[Token], length: int) -> str | None:
    """The longest beginning of at most so many tokens that parses once its parentheses are closed."""
    for end in range(length, max(0, length - _PIECE), -1):
        text = sql[: tokens[end - 1].end + 1]
        open_ones = sum((t.text == "(") - (t.text == ")") for t in tokens[:end])
        whole = text + ")" * open_ones
        if isinstance(parsed(whole, "sqlite"), exp.Query):
            return whole
    return None


def _is_cut(query: exp.Expr) -> bool:
    return bool(query.args.get("limit") or query.args.get("order"))


def _for_sqlite(node: exp.Expr) -> exp.Expr:
    return next((made for rewrite in _REWRITES if (made := rewrite(node)) is not None), node)


def _named(node: exp.Expr) -> str:
    return node.name.casefold() if isinstance(node, exp.Anonymous) else ""


def _part_of_date(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Extract):
        return _part(node.expression, node.name)
    if isinstance(node, exp.Year | exp.Month | exp.Day):
        return _part(node.this, type(node).__name__)
    name = _named(node)
    return _part(node.expressions[0], name) if name in _PARTS and len(node.expressions) == 1 else None


def _now(node: exp.Expr) -> exp.Expr | None:
    name = _named(node)
    if name in {"now", "getdate", "sysdate"} and not node.expressions:
        return exp.CurrentTimestamp()
    return exp.CurrentDate() if name == "curdate" else None


def _piece_of_text(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Left):
        return exp.func("SUBSTR", node.this, exp.Literal.number(1), node.expression)
    if isinstance(node, exp.Right):
        return exp.func("SUBSTR", node.this, exp.Neg(this=node.expression))
    return None


def _start(node: exp.Expr) -> exp.Expr | None:
    form = _STARTS.get(_unit(node)) if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) else None
    return _called("STRFTIME", exp.Literal.string(form), _moment(node.this)) if form else None


def _shifted(node: exp.Expr) -> exp.Expr | None:
    """A moment moved by an interval: DATE_SUB(d, INTERVAL 1 MONTH), or d - INTERVAL '1 month'."""
    minus = isinstance(node, exp.DateSub | exp.Sub)
    if isinstance(node, exp.DateAdd | exp.DateSub):
        amount, unit = node.expression, _unit(node)
    elif isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        amount, unit = node.expression.this, _unit(node.expression)
    else:
        return None
    if not isinstance(amount, exp.Literal) or not amount.name.isdigit():
        return None
    count, unit = int(amount.name) * (7 if unit == "week" else 1), "day" if unit == "week" else unit
    if unit == "quarter":
        count, unit = 3 * count, "month"
    return _called("DATE", _moment(node.this), exp.Literal.string(f"{'-' if minus else '+'}{count} {unit}"))


def _part(of: exp.Expr, unit: str) -> exp.Expr | None:
    form = _PARTS.get(unit.casefold())
    if form is None:
        return None
    said = _called("STRFTIME", exp.Literal.string(form), _moment(of))
    return exp.Cast(this=said, to=exp.DataType.build("INTEGER"))


def _called(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _moment(node: exp.Expr) -> exp.Expr:
    """Give the argument of a function of dates, without the conversion that reading MySQL puts around it."""
    inner = node.this if isinstance(node, exp.Date | exp.TsOrDsToDate) else node
    return inner.copy() if isinstance(inner, exp.Expr) else node.copy()


def _unit(node: exp.Expr) -> str:
    return str(node.text("unit") or node.args.get("unit") or "day").casefold().strip("'").removesuffix("s")


_REWRITES = (_part_of_date, _now, _piece_of_text, _start, _shifted)
