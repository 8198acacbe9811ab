"""Per engine, the one expression that reads a column of a form as what it means.

Dates become the engine's dates (on SQLite, ISO text), numbers become numbers, with NULL for cells that hold
none, and lists are searched for a member.
"""

import re
from collections.abc import Callable, Mapping

from sqlglot import exp, parse_one

from fathom.forms.columns import ColumnForm

DIALECTS = frozenset(("sqlite", "duckdb", "postgres", "mysql"))
"""Engines whose expressions are written here, and tested."""
READ_BY_EXPRESSION = frozenset(("date", "epoch", "number", "placeholder"))
"""The kinds of form whose columns are read by an expression of their own."""
_SECONDS = {"hours": "3600.0", "minutes": "60.0", "seconds": "1.0"}
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_SIGNS = ("US$", "USD", "EUR", "$", "€", "£", "¥", "₹", "%")


def as_meant(form: ColumnForm, column: exp.Expr, dialect: str) -> exp.Expr | None:
    """Read a column of dates or numbers; None where the engine has no expression for the form.

    None also for numbers of which some have a decimal comma and others a point.
    """
    if form.kind == "placeholder":
        return held_value(form, column)
    if dialect not in DIALECTS or (form.kind == "number" and form.other):
        return None
    text = column.sql(dialect)
    made = {"date": _date, "epoch": _epoch, "number": _number}[form.kind](form, text, dialect)
    return parse_one(made, dialect=dialect) if made else None


def held_value(form: ColumnForm, column: exp.Expr) -> exp.Expr:
    """Read a column with NULL for cells whose text holds no value."""
    held = column.copy()
    for text in form.placeholders:
        held = exp.Nullif(this=held, expression=exp.Literal.string(text))
    return held


def holds_none(form: ColumnForm, column: exp.Expr) -> exp.Expr:
    """Test whether a cell is NULL or its text holds no value."""
    null = exp.Is(this=column.copy(), expression=exp.Null())
    return exp.paren(exp.or_(null, _is_placeholder(form, column)))


def is_within(column: exp.Column, read: exp.Expr, dialect: str) -> bool:
    """Tell whether a column stands in an expression that reads it by its form, of an earlier pass."""
    text, node = read.sql(dialect), column.parent
    while node is not None and not isinstance(node, exp.Query):
        if node.sql(dialect) == text:
            return True
        node = node.parent
    return False


def _is_placeholder(form: ColumnForm, column: exp.Expr) -> exp.Expr:
    texts = [exp.Literal.string(text) for text in form.placeholders]
    if len(texts) == 1:
        return exp.EQ(this=column.copy(), expression=texts[0])
    return exp.In(this=column.copy(), expressions=texts)


def total_of_times(function: exp.Expr, dialect: str, unit: str = "") -> exp.Expr | None:
    """Add up or average a column of times of the day; None where the engine does so by itself.

    In a `unit`, such as hours, the total is a number; without one it is written as 08:30:00. MariaDB
    takes 08:30:00 for the number 83000 there, and SQLite for 8.
    """
    if dialect == "sqlite":
        text = function.this.sql(dialect)
        hours = f"CAST(SUBSTR({text}, 1, INSTR({text}, ':') - 1) AS INTEGER) * 3600"
        rest = f"SUBSTR({text}, INSTR({text}, ':') + 1)"
        seconds_of = f"{hours} + SUBSTR({rest}, 1, 2) * 60 + COALESCE(NULLIF(SUBSTR({rest}, 4), ''), 0)"
        name = "AVG" if isinstance(function, exp.Avg) else "SUM"
        if unit:
            return parse_one(f"{name}({seconds_of}) / {_SECONDS[unit]}", dialect=dialect)
        made = f"CAST(ROUND({name}({seconds_of})) AS INTEGER)"
        return parse_one(
            f"PRINTF('%02d:%02d:%02d', {made} / 3600, {made} / 60 % 60, {made} % 60)", dialect=dialect
        )
    if dialect == "duckdb":
        text = function.this.sql(dialect)
        name = "AVG" if isinstance(function, exp.Avg) else "SUM"
        seconds_in_all = f"{name}(EPOCH({text}))"
        whole = f"TO_SECONDS(CAST(ROUND({seconds_in_all}) AS BIGINT))"
        return parse_one(f"{seconds_in_all} / {_SECONDS[unit]}" if unit else whole, dialect=dialect)
    if dialect != "mysql":
        return None
    seconds = exp.func("TIME_TO_SEC", function.this.copy())
    total: exp.Expr = type(function)(this=seconds)
    if unit:
        return exp.Div(this=total, expression=exp.Literal.number(_SECONDS[unit]))
    if isinstance(total, exp.Avg):  # MariaDB shows four digits of a second otherwise
        total = exp.Round(this=total)
    return exp.func("SEC_TO_TIME", total)


def membership(form: ColumnForm, column: exp.Expr, member: str, dialect: str) -> exp.Expr | None:
    """Test whether a list has a member; None where the engine has no expression for the form."""
    text, quoted = column.sql(dialect), exp.Literal.string(member).sql(dialect)
    kind = form.pattern if form.pattern in ("json", "array") else "separated"
    made = _MEMBERS.get((dialect, kind))
    if made is None:
        return None
    separator = exp.Literal.string(form.pattern).sql(dialect)
    sql = made(text, quoted, separator, member)
    return parse_one(sql, dialect=dialect)


# Dates


def _parts(pattern: str) -> tuple[list[str], list[str], str] | None:
    """Split `%d/%m/%Y %H:%M` into the order of its parts, the separators between them, and its time."""
    day, _, time = pattern.partition(" %H")
    found = re.findall(r"%-?([dmYbB])|([^%]+)", day)
    order = [letter for letter, _ in found if letter]
    between = [sign for _, sign in found if sign]
    whole = sorted(order) in (["Y", "d", "m"], ["Y", "b", "d"], ["B", "Y", "d"])
    return (order, between, f"%H{time}" if time else "") if whole and len(between) in (0, 2) else None


def _date(form: ColumnForm, text: str, dialect: str) -> str | None:
    if form.other or "%y" in form.pattern or (parts := _parts(form.pattern)) is None:
        return None
    if dialect == "sqlite":
        read = _sqlite_date(text, *parts, padded="%-" not in form.pattern)
        return f"(CASE WHEN {text} GLOB '*[0-9]*' THEN {read} END)" if form.unfit else read
    pattern = form.pattern.replace("%-", "%")
    if dialect == "duckdb":
        kept = "TIMESTAMP" if parts[2] else "DATE"
        return f"CAST(TRY_STRPTIME(TRIM(CAST({text} AS VARCHAR)), '{pattern}') AS {kept})"
    if dialect == "mysql":
        named = pattern.replace("%B", "%M").replace("%H:%M", "%H:%i").replace("%S", "%s")
        clean = f"NULLIF(TRIM({text}), '')" if form.unfit else f"TRIM({text})"  # '' would be the year 0
        return f"STR_TO_DATE({clean}, '{named}')"
    return _postgres_date(text, *parts)


def _postgres_date(text: str, order: list[str], between: list[str], time: str) -> str:
    words = {"d": "DD", "m": "MM", "Y": "YYYY", "b": "Mon", "B": "FMMonth"}
    shapes = {"d": "[0-9]{1,2}", "m": "[0-9]{1,2}", "Y": "[0-9]{4}", "b": "[A-Za-z]{3}", "B": "[A-Za-z]+"}
    if not between:
        shapes |= {"d": "[0-9]{2}", "m": "[0-9]{2}"}
    signs = [*between, *[""] * (3 - len(between))]
    shape = "".join(shapes[p] + re.escape(s) for p, s in zip(order, signs, strict=True))
    format_ = "".join(words[p] + s for p, s in zip(order, signs, strict=True))
    clean = f"TRIM(CAST({text} AS TEXT))"
    called = "TO_DATE"
    if time:
        called = "TO_TIMESTAMP"
        format_ += " HH24:MI" + (":SS" if "%S" in time else "")
    read = f"{called}({clean}, '{format_}')"
    if time:
        read = f"CAST({read} AS TIMESTAMP)"
    return f"CASE WHEN {clean} ~ '^{shape}' THEN {read} END"


def _sqlite_date(text: str, order: list[str], between: list[str], time: str, *, padded: bool) -> str:
    named = "b" in order or "B" in order
    if padded and not named:
        widths = {"d": 2, "m": 2, "Y": 4}
        at, piece = 1, {}
        for letter, sign in zip(order, [*between, *[""] * (3 - len(between))], strict=True):
            piece[letter] = f"SUBSTR({text}, {at}, {widths[letter]})"
            at += widths[letter] + len(sign)
        day = f"{piece['Y']} || '-' || {piece['m']} || '-' || {piece['d']}"
        return f"({day} || ' ' || SUBSTR({text}, {at + 1}))" if time else f"({day})"
    first, second = (exp.Literal.string(sign).sql("sqlite") for sign in between)
    one = f"SUBSTR({text}, 1, INSTR({text}, {first}) - 1)"
    rest = f"SUBSTR({text}, INSTR({text}, {first}) + {len(between[0])})"
    two = f"SUBSTR({rest}, 1, INSTR({rest}, {second}) - 1)"
    three = f"SUBSTR({rest}, INSTR({rest}, {second}) + {len(between[1])})"
    piece = dict(zip(("m" if p in "bB" else p for p in order), (one, two, three), strict=True))
    if named:
        month = f"SUBSTR({piece['m']}, 1, 3)"
        piece["m"] = f"((INSTR('{_MONTHS}', LOWER({month})) + 2) / 3)"
    year = f"SUBSTR({piece['Y']}, 1, 4)"
    day = f"{year} || '-' || SUBSTR('0' || {piece['m']}, -2) || '-' || SUBSTR('0' || {piece['d']}, -2)"
    return f"({day} || ' ' || SUBSTR({three}, 6))" if time else f"({day})"


def _epoch(form: ColumnForm, text: str, dialect: str) -> str:
    by = "/ 1000" if form.pattern == "ms" else ""
    return {
        "sqlite": f"DATETIME({text} {by}, 'unixepoch')",
        "duckdb": f"MAKE_TIMESTAMP(CAST({text} AS BIGINT) * {'1000' if by else '1000000'})",
        "postgres": f"(TO_TIMESTAMP({text} {'/ 1000.0' if by else ''}) AT TIME ZONE 'UTC')",
        "mysql": f"DATE_ADD('1970-01-01 00:00:00', INTERVAL FLOOR({text} {by}) SECOND)",
    }[dialect]


# Numbers

_TEXTS = {"duckdb": "VARCHAR", "postgres": "TEXT", "mysql": "CHAR"}


def _number(form: ColumnForm, text: str, dialect: str) -> str:
    if dialect == "sqlite" and not form.is_text and not form.pattern:
        return f"(CASE WHEN TYPEOF({text}) IN ('integer', 'real') THEN {text} END)"
    clean = _digits(form, text if dialect == "sqlite" else f"CAST({text} AS {_TEXTS[dialect]})", dialect)
    if dialect == "sqlite":
        fits = f"{clean} GLOB '*[0-9]*' AND NOT {clean} GLOB '*[^-+.0-9]*'"
        return f"(CASE WHEN {fits} THEN CAST({clean} AS REAL) END)"
    if dialect == "duckdb":
        return f"TRY_CAST({clean} AS DOUBLE)"
    shape = "^[-+]?[0-9]+([.][0-9]+)?$"
    if dialect == "postgres":
        return f"(CASE WHEN {clean} ~ '{shape}' THEN CAST({clean} AS DECIMAL) END)"
    # Not REGEXP: MySQL and MariaDB have no test of patterns that both read alike.
    fits = f"{clean} <> '' AND REGEXP_REPLACE({clean}, '[-+.0-9]', '') = ''"
    return f"(CASE WHEN {fits} THEN CAST({clean} AS DOUBLE) END)"


def _digits(form: ColumnForm, text: str, dialect: str) -> str:
    """The text of a number without its sign of a currency or unit, and with a point alone between digits."""
    signs = [s for s in _SIGNS if s in form.example]
    for sign in dict.fromkeys(s for s in (form.pattern, *signs) if s not in ("", ",", ".")):
        text = f"REPLACE({text}, {exp.Literal.string(sign).sql(dialect)}, '')"
    if form.comma:
        text = f"REPLACE(REPLACE({text}, '.', ''), ',', '.')"
    elif form.pattern:
        text = f"REPLACE({text}, ',', '')"
    return f"TRIM({text})"


# Lists

_Member = Callable[[str, str, str, str], str]
"""Text of the column, of the member, of the separator, and the member as it is."""


def _json_text(member: str) -> str:
    return exp.Literal.string('"' + member.replace("\\", "\\\\").replace('"', '\\"') + '"').sql()


_MEMBERS: Mapping[tuple[str, str], _Member] = {
    ("sqlite", "json"): lambda c, m, s, _: (
        f"EXISTS (SELECT 1 FROM JSON_EACH(CASE WHEN JSON_VALID({c}) THEN {c} END) AS item"
        f" WHERE LOWER(item.value) = LOWER({m}))"
    ),
    ("sqlite", "separated"): lambda c, m, s, _: (
        f"(LOWER({s} || REPLACE(REPLACE({c}, {s} || ' ', {s}), ' ' || {s}, {s}) || {s})"
        f" LIKE LOWER('%' || {s} || {m} || {s} || '%'))"
    ),
    ("duckdb", "array"): lambda c, m, s, _: f"LIST_CONTAINS({c}, {m})",
    ("duckdb", "json"): lambda c, m, s, _: (
        f"COALESCE(LIST_CONTAINS(TRY_CAST(CAST({c} AS JSON) AS VARCHAR[]), {m}), FALSE)"
    ),
    ("duckdb", "separated"): lambda c, m, s, _: (
        f"LIST_CONTAINS(LIST_TRANSFORM(STR_SPLIT({c}, {s}), lambda p: TRIM(p)), {m})"
    ),
    ("postgres", "array"): lambda c, m, s, _: f"({m} = ANY({c}))",
    ("postgres", "json"): lambda c, m, s, raw: f"(CAST({c} AS JSONB) @> CAST({_json_text(raw)} AS JSONB))",
    ("postgres", "separated"): lambda c, m, s, _: (
        f"({m} = ANY(STRING_TO_ARRAY(REPLACE({c}, {s} || ' ', {s}), {s})))"
    ),
    ("mysql", "json"): lambda c, m, s, raw: f"JSON_CONTAINS({c}, {_json_text(raw)})",
    ("mysql", "separated"): lambda c, m, s, _: (
        f"(FIND_IN_SET({m}, REPLACE(REPLACE({c}, CONCAT({s}, ' '), {s}), {s}, ',')) > 0)"
    ),
}
