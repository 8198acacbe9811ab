"""Pieces of SQL written by people in passing: conditions, columns, formulas, read over a schema.

What is not a condition or an expression over known columns is None: then it is only words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from fathom.offline.hints.names import ReadableNames
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    Condition,
    Expression,
    FunctionCall,
    Query,
    Unrepresentable,
    conjuncts,
)
from fathom.offline.queries.to_sql import quote
from fathom.records import Schema
from fathom.text.patterns import Pattern

_LONGEST = 500
_SPLIT_SIGN = Pattern(r"([!<>])\s+=")
_WITHIN = Pattern(r"\s(?:where|when|if)\s", re.IGNORECASE)
_PLAIN = Pattern(
    r"\s*[`\"\[]?(?P<name>[\w .]+?)[`\"\]]?\s*(?P<sign>!=|<>|<=|>=|=|<|>)\s*(?P<value>[^=<>]+?)\s*\Z"
)
_TWO = {"divide": exp.Div, "multiply": exp.Mul, "subtract": exp.Sub, "minus": exp.Sub, "add": exp.Add,
        "plus": exp.Add, "divided": exp.Div, "division": exp.Div, "times": exp.Mul}  # fmt: skip
_PARTS = {"year": (1, 4), "month": (6, 2), "day": (9, 2)}
_FORMATS = {"%Y": (1, 4), "%m": (6, 2), "%d": (9, 2), "%Y-%m": (1, 7), "%Y-%m-%d": (1, 10)}


@dataclass(frozen=True, slots=True)
class Fragment:
    """The meaning of a piece of SQL: conditions that hold together, and expressions to show or order by."""

    conditions: tuple[Condition, ...] = ()
    expressions: tuple[Expression, ...] = ()


def read_fragment(
    text: str,
    names: ReadableNames,
    planner: JoinPlanner,
    likely: Mapping[str, float],
    dialect: str = "sqlite",
    *,
    loose: bool = True,
) -> Fragment | None:
    """The fragment that a text is; None where it isn't one. `likely` weighs tables for names in several.

    `loose` takes what follows a comparison for text, quoted or not, as people write in passing.
    """
    text = text.strip().strip(";,").rstrip(".").strip()
    if not text or len(text) > _LONGEST:
        return None
    for attempt in (_prepared(text, names), _quoted_value(text, names) if loose else None):
        fragment = _read(attempt, names, planner, likely, dialect) if attempt else None
        if fragment is not None:
            return fragment
    return None


def _read(
    text: str, names: ReadableNames, planner: JoinPlanner, likely: Mapping[str, float], dialect: str
) -> Fragment | None:
    try:
        tree = sqlglot.parse_one(f"SELECT {text}", read=dialect)
        if not isinstance(tree, exp.Select) or set(_given(tree)) - {"expressions", "where", "distinct"}:
            return None
        items = [_rewritten(i) for i in tree.expressions]
        if where := tree.args.get("where"):
            items.append(_rewritten(where.this))
        items = [part for item in items for part in _apart(item)]
        if any(i.find(exp.Query) for i in items):
            return None
        resolved = _resolve(items, names, likely)
        return _represented(resolved, planner) if resolved is not None else None
    except (SqlglotError, Unrepresentable, RecursionError):
        return None


def _given(tree: exp.Expr) -> Iterator[str]:
    return (k for k, v in tree.args.items() if v)


def _prepared(text: str, names: ReadableNames) -> str:
    """The text with signs joined, "x where y" inside calls made CASE, and names of several words quoted."""
    pieces = re.split(r"('(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`)", text)
    for place in range(0, len(pieces), 2):
        piece = (
            _SPLIT_SIGN.sub(r"\1=", pieces[place]).replace("≥", ">=").replace("≤", "<=").replace("≠", "!=")
        )
        for name in names.spaced:
            piece = re.sub(
                rf"(?<![\w\"]){re.escape(name)}(?![\w\"])", f'"{name}"', piece, flags=re.IGNORECASE
            )
        pieces[place] = re.sub(r"\bas\s+percent(?:age)?\b", "* 100", piece, flags=re.IGNORECASE)
    return _nested("".join(pieces))


def _nested(text: str, depth: int = 0) -> str:
    """Text with "sum(x where y)" and "sum(x) when y" as CASE WHEN, inside brackets."""
    parts: list[str] = [""]
    level, quoted, inner = 0, "", ""
    for sign in text:
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "'\"`":
            quoted = sign
        elif sign == "(":
            level += 1
            if level == 1:
                parts[-1] += "("
                inner = ""
                continue
        elif sign == ")" and level:
            level -= 1
            if level == 0:
                parts[-1] += _nested(inner, depth + 1) + ")"
                continue
        if level:
            inner += sign
        elif sign == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    if level:
        parts[-1] += inner
    return ",".join(_case(p) if depth else p for p in parts)


def _case(part: str) -> str:
    found = _WITHIN.search(part)
    if found is None or re.search(r"\bcase\b", part, re.IGNORECASE):
        return part
    what, condition = part[: found.start()].strip(), part[found.end() :].strip()
    call = re.match(r"(\w+)\s*\((.*)\)\Z", what, re.DOTALL)
    if call:
        return f"{call[1]}(CASE WHEN {condition} THEN {call[2]} END)"
    return f"CASE WHEN {condition} THEN {what} END"


def _quoted_value(text: str, names: ReadableNames) -> str:
    """Text like "title = The Lord" with the value in quotes; empty where the text isn't of that form."""
    found = _PLAIN.match(_SPLIT_SIGN.sub(r"\1=", text))
    if found is None or not names.columns(found["name"].rpartition(".")[2]):
        return ""
    owner, _, name = found["name"].rpartition(".")
    value = found["value"].strip("'\"` ").replace("'", "''")
    if any(sign in value for sign in ";()"):
        return ""
    return f"{quote(owner) + '.' if owner else ''}{quote(name)} {found['sign']} '{value}'"


def _rewritten(item: exp.Expr) -> exp.Expr:
    root = exp.Paren(this=item.unalias().copy())
    for node in reversed(list(root.this.walk(bfs=False))):
        parent, key, place = node.parent, node.arg_key, node.index
        changed = _rewrite(node)
        if changed is not node and parent is not None and key:
            parent.set(key, changed, place)
    found: exp.Expr = root.this
    return found


def _rewrite(node: exp.Expr) -> exp.Expr:
    """People's own functions as operators, dates cut with SUBSTR, counted conditions as CASE."""
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 2:
        operator = _TWO.get(node.name.casefold())
        if operator is not None:
            left, right = node.expressions
            return _binary(operator, left, right)
    if isinstance(node, exp.Div) and not node.find(exp.Cast):
        return _binary(exp.Div, node.left, node.right)
    if (part := _date_part(node)) is not None:
        return part
    if isinstance(node, exp.Count | exp.Sum | exp.Avg) and isinstance(
        node.this, exp.Predicate | exp.Connector
    ):
        counted = exp.Case(
            ifs=[exp.If(this=node.this, true=exp.Literal.number(1))], default=exp.Literal.number(0)
        )
        return type(node)(this=counted) if isinstance(node, exp.Avg) else exp.Sum(this=counted)
    if isinstance(node, exp.EQ | exp.NEQ) and isinstance(node.expression, exp.Literal):
        value = node.expression
        if value.is_string and ("%" in value.this):
            like = exp.Like(this=node.this, expression=value)
            return like if isinstance(node, exp.EQ) else exp.Not(this=like)
    return node


def _binary(operator: type[exp.Expr], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    left, right = _paren(left), _paren(right)
    if operator is exp.Div:
        left = exp.Cast(this=left, to=exp.DataType.build("REAL", dialect="sqlite"))
    return operator(this=left, expression=right)


def _paren(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node) if isinstance(node, exp.Binary) else node


def _date_part(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Year | exp.Month | exp.Day):
        first, length = _PARTS[type(node).__name__.casefold()]
        cut = exp.Substring(
            this=node.this, start=exp.Literal.number(first), length=exp.Literal.number(length)
        )
        return exp.Cast(this=cut, to=exp.DataType.build("INTEGER", dialect="sqlite"))
    if isinstance(node, exp.TimeToStr):
        fmt = node.args.get("format")
        found = _FORMATS.get(fmt.name) if isinstance(fmt, exp.Expr) else None
        column = next(iter(node.find_all(exp.Column)), None)
        if found is not None and column is not None:
            first, length = found
            return exp.Substring(
                this=column, start=exp.Literal.number(first), length=exp.Literal.number(length)
            )
    return None


def _apart(item: exp.Expr) -> Iterator[exp.Expr]:
    """The sides of AND one by one: "a = 1 and b = 2", "first_name and last_name"."""
    if isinstance(item, exp.Paren) and isinstance(item.this, exp.And):
        item = item.this
    if isinstance(item, exp.And):
        yield from _apart(item.left)
        yield from _apart(item.right)
    else:
        yield item


def _resolve(
    items: list[exp.Expr], names: ReadableNames, likely: Mapping[str, float]
) -> tuple[list[exp.Expr], list[str]] | None:
    """The items with every column qualified, and the tables they need; None where a name is unknown."""
    wanted: dict[tuple[str, str], None] = {}
    for item in items:
        for node in list(item.find_all(exp.Column)):
            if isinstance(node.this, exp.Star):
                return None
            if names.columns(node.name, node.table):
                wanted[node.table, node.name] = None
            elif _is_value(node):
                node.replace(exp.Literal.string(node.name))
            else:
                return None
    chosen = names.choose(wanted, likely)
    if not chosen:
        return None
    for item in items:
        for node in list(item.find_all(exp.Column)):
            column = chosen[node.table, node.name]
            qualified = exp.column(column.column, table=column.table, quoted=True)
            if node is item:
                items[items.index(item)] = qualified
            else:
                node.replace(qualified)
    return items, list(dict.fromkeys(c.table for c in chosen.values()))


def _is_value(node: exp.Column) -> bool:
    """True if a name that no column bears stands where a value does: "gender = M"."""
    parent = node.parent
    return not node.table and (
        (isinstance(parent, exp.Binary) and isinstance(parent, exp.Predicate) and node is parent.expression)
        or (isinstance(parent, exp.In) and node is not parent.this)
    )


def _represented(resolved: tuple[list[exp.Expr], list[str]], planner: JoinPlanner) -> Fragment | None:
    items, tables = resolved
    conditions = [i for i in items if isinstance(i, exp.Predicate | exp.Connector | exp.Not | exp.Paren)
                  and isinstance(i.unnest(), exp.Predicate | exp.Connector | exp.Not)]  # fmt: skip
    shown = [i for i in items if i not in conditions]
    sources = " CROSS JOIN ".join(quote(t) for t in tables)
    sql = f"SELECT {', '.join(i.sql('sqlite') for i in shown) or '1'} FROM {sources}"
    if conditions:
        sql += " WHERE " + " AND ".join(f"({c.sql('sqlite')})" for c in conditions)
    query = _counting_keys(parse(sql, planner), planner.schema)
    return Fragment(conjuncts(query.where), query.select if shown else ())


def _counting_keys(query: Query, schema: Schema) -> Query:
    """The query with sums of keys and texts as counts: people write "sum(order_id where price > 13)"."""
    return replace(query, select=tuple(_counted(e, schema) for e in query.select))


def _counted(expression: Expression, schema: Schema) -> Expression:
    match expression:
        case Aggregate(function="sum", argument=CaseWhen(then=ColumnRef() as column)) if _uncountable(
            column, schema
        ):
            return replace(expression, function="count")
        case Aggregate(function="sum", argument=ColumnRef() as column) if _uncountable(column, schema):
            return replace(expression, function="count")
        case Arithmetic(operator=operator, left=left, right=right):
            return Arithmetic(operator, _counted(left, schema), _counted(right, schema))
        case FunctionCall(name=name, arguments=arguments):
            return FunctionCall(name, tuple(_counted(a, schema) for a in arguments))
    return expression


def _uncountable(column: ColumnRef, schema: Schema) -> bool:
    table = schema.table(column.table.name)
    keys = {c for k in schema.foreign_keys if k.table == table.name for c in k.columns} | set(
        table.primary_key
    )
    return column.name in keys or table.column(column.name).kind == "text"
