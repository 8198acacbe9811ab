"""Dates in other engines than SQLite: days counted from today, differences of days, weeks and weekdays."""

import sqlglot
from sqlglot import exp

from fathom.records import Schema
from fathom.text.patterns import Pattern

_SPARK_FORMS = {
    "%w": "CAST(DAYOFWEEK({}) - 1 AS STRING)",
    # The year that a week belongs to is that of its Thursday.
    "%Y-%W": "CONCAT(YEAR(DATE_ADD({0}, 3 - WEEKDAY({0}))), '-',"
    " LPAD(CAST(WEEKOFYEAR({0}) AS STRING), 2, '0'))",
}
_FORMS = {
    "postgres": {"%w": "CAST(EXTRACT(DOW FROM {}) AS TEXT)", "%Y-%W": "TO_CHAR({}, 'IYYY-IW')"},
    "trino": {
        "%w": "CAST(DAY_OF_WEEK({}) % 7 AS VARCHAR)",
        "%Y-%W": "FORMAT_DATETIME(CAST({} AS TIMESTAMP), 'xxxx-ww')",
    },
    "snowflake": {
        "%w": "CAST(DAYOFWEEKISO({}) % 7 AS VARCHAR)",
        "%Y-%W": "YEAROFWEEKISO({0}) || '-' || LPAD(WEEKISO({0}), 2, '0')",
    },
    "bigquery": {
        "%w": "CAST(EXTRACT(DAYOFWEEK FROM {}) - 1 AS STRING)",
        "%Y-%W": "FORMAT_DATE('%G-%V', CAST({} AS DATE))",
    },
    "spark": _SPARK_FORMS,
    "databricks": _SPARK_FORMS,
}
"""Forms of dates that sqlglot doesn't write for an engine."""
_DAYS = {
    "mysql": "TO_SECONDS({}) / 86400.0",
    **dict.fromkeys(("spark", "databricks"), "UNIX_MICROS(CAST({} AS TIMESTAMP)) / 86400000000.0"),
    "trino": "TO_UNIXTIME(CAST({} AS TIMESTAMP)) / 86400.0",
    "snowflake": "DATE_PART(EPOCH_SECOND, CAST({} AS TIMESTAMP)) / 86400.0",
    "bigquery": "UNIX_SECONDS(CAST({} AS TIMESTAMP)) / 86400.0",
}
"""A moment as a number of days, where EPOCH isn't known."""
_MOMENTS = {"date": "date", "datetime": "timestamp"}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)
_SHIFT = Pattern(r"([+-]\d+) (day|month|year|hour)s?\Z")
_MYSQL_STARTS = {
    "": "CURDATE()",
    "week": "DATE_SUB(CURDATE(), INTERVAL WEEKDAY(CURDATE()) DAY)",
    "month": "DATE_SUB(CURDATE(), INTERVAL DAYOFMONTH(CURDATE()) - 1 DAY)",
    "quarter": "DATE_ADD(MAKEDATE(YEAR(CURDATE()), 1), INTERVAL QUARTER(CURDATE()) - 1 QUARTER)",
    "year": "MAKEDATE(YEAR(CURDATE()), 1)",
}


def translate(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree, changed in place: days and differences of days as an engine other than SQLite has them."""
    return tree.transform(lambda node: _translated(node, dialect), copy=False)


def _translated(node: exp.Expr, dialect: str) -> exp.Expr:
    if isinstance(node, exp.Date) and _text(node.this) == "now":
        return sqlglot.parse_one(_today(node.expressions, dialect), read=dialect)
    if isinstance(node, exp.Anonymous):
        name, arguments = node.name.casefold(), node.expressions
        if name == "date" and arguments and _text(arguments[0]) == "now":
            return sqlglot.parse_one(_today(arguments[1:], dialect), read=dialect)
        if name == "julianday" and len(arguments) == 1:
            return sqlglot.parse_one(_days(arguments[0].sql(dialect), dialect), read=dialect)
    if (
        isinstance(node, exp.Div)
        and dialect != "postgres"
        and _is_whole(node.this)
        and node.expression.is_int
    ):
        return exp.IntDiv(this=node.this, expression=node.expression)
    if isinstance(node, exp.TimeToStr) and dialect in _FORMS:
        form = _FORMS[dialect].get(_text(node.args["format"]) or "")
        if dialect == "bigquery" and form is None:  # whose FORMAT_TIMESTAMP takes no dates
            form = f"FORMAT_DATETIME({node.args['format'].sql(dialect)}, CAST({{}} AS DATETIME))"
        return sqlglot.parse_one(form.format(node.this.sql(dialect)), read=dialect) if form else node
    return node


def _today(modifiers: list[exp.Expr], dialect: str) -> str:
    start, moves = "", ""
    found_moves: list[tuple[str, str]] = []
    for modifier in modifiers:
        text = _text(modifier)
        if text is None:
            start = "quarter"
        elif text.startswith("start of "):
            start = text.removeprefix("start of ")
        elif text == "weekday 0":
            start = "week"
        elif not (start == "week" and text == "-6 days") and (found := _SHIFT.match(text)):
            moves += f" {found[1][0]} INTERVAL '{found[1][1:]}' {found[2].upper()}"
            found_moves.append((found[1], found[2].upper()))
    if dialect == "bigquery":
        return _bigquery_day(start, found_moves)
    if dialect == "mysql":
        day = _MYSQL_STARTS[start]
    else:
        day = f"CAST(DATE_TRUNC('{start}', CURRENT_DATE) AS DATE)" if start else "CURRENT_DATE"
    return day + moves


def _bigquery_day(start: str, moves: list[tuple[str, str]]) -> str:
    # A date and an interval make a date with a time, which is held against no date.
    unit = "ISOWEEK" if start == "week" else start.upper()
    day = f"DATE_TRUNC(CURRENT_DATE(), {unit})" if start else "CURRENT_DATE()"
    for count, moved in moves:
        day = f"DATE_ADD({day}, INTERVAL {int(count)} {moved})"
    return day


def _days(moment: str, dialect: str) -> str:
    form = _DAYS.get(dialect, "EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)) / 86400.0")
    return form.format(moment)


def compare_moments(tree: exp.Expr, schema: Schema) -> None:
    """Change texts that dates and times are held against to dates and times, for engines that do so not."""
    kinds = {c.name.casefold(): c.kind for t in schema.tables for c in t.columns if c.kind in _MOMENTS}
    for node in tree.find_all(*_COMPARISONS):
        found = [kinds.get(c.name.casefold()) for c in node.iter_expressions() if isinstance(c, exp.Column)]
        kind = next((k for k in found if k is not None), None)
        if kind is None:
            continue
        for side in list(node.iter_expressions()):
            if _text(side) is not None:
                side.replace(exp.cast(side.copy(), _MOMENTS[kind]))


def _text(node: exp.Expr) -> str | None:
    return node.name if isinstance(node, exp.Literal) and node.is_string else None


def _is_whole(node: exp.Expr) -> bool:
    """True if an expression surely is a whole number, which SQLite and PostgreSQL divide as such."""
    match node.unnest():
        case exp.Add(this=one, expression=other):
            return _is_whole(one) and _is_whole(other)
        case exp.Cast() as cast:
            return bool(cast.is_type("int"))
        case other:
            return bool(other.is_int)
