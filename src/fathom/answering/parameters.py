"""Values in the conditions of a query that can be asked for: found in its parse, and put back into it.

A value never meets the text of a query. It takes the place of one literal of the parsed query, the text is
written from that, and read again: unless this gives the same query with the same literal, nothing is run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from fathom.errors import InputError
from fathom.records import Schema, Table

ParameterKind = Literal["text", "number", "date", "choice"]
MOST_PARAMETERS, NAME_LETTERS, VALUE_LETTERS = 12, 40, 500
_MOST_DIGITS = 40
_COMPARING = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.Between, exp.In)
_AROUND = (exp.Neg, exp.Cast, exp.TryCast, exp.Paren, exp.Date, exp.TsOrDsToDate)
"""The nodes that may stand between a literal and the comparison that it belongs to."""
_SAID: Mapping[type[exp.Expr], str] = {
    exp.EQ: "is", exp.NEQ: "is not", exp.GT: "over", exp.GTE: "at least", exp.LT: "under",
    exp.LTE: "at most", exp.Like: "like", exp.ILike: "like", exp.In: "is one of",
}  # fmt: skip

_TURNED = {"over": "under", "under": "over", "at least": "at most", "at most": "at least"}


@dataclass(frozen=True, slots=True)
class ConditionValue:
    """A literal in a condition: `place` counts the query's literals, `column` is what it is held against.

    `table` is that column's, "" where it isn't known; `said` is how the two are compared.
    """

    place: int
    table: str
    column: str
    said: str
    kind: ParameterKind
    value: str


@dataclass(frozen=True, slots=True)
class SavedParameter:
    """A value that a saved question asks for; `value` is the one it had when it was saved.

    `table`, `column` and `said` are those of its condition, "" where they aren't known.
    """

    name: str
    kind: ParameterKind
    place: int
    value: str
    table: str = ""
    column: str = ""
    said: str = ""


def condition_values(sql: str, schema: Schema) -> Sequence[ConditionValue]:
    """The literals in the conditions of a query, in their order; none where it can't be written anew."""
    try:
        filled(sql, schema.dialect, {})
        tree = _query(sql, schema.dialect)
    except InputError:
        return ()
    tables = _tables(tree, schema)
    return [
        found
        for place, literal in enumerate(_literals(tree))
        if (found := _condition_value(place, literal, tables)) is not None
    ]


def filled(sql: str, dialect: str, values: Mapping[int, tuple[ParameterKind, str]]) -> str:
    """The query with other values at the places of its literals.

    Raises `InputError` for a value that isn't of its kind, and for a query that has no such place.
    """
    tree = _query(sql, dialect)
    literals = list(_literals(tree))
    for place, (kind, value) in values.items():
        if place >= len(literals):
            raise InputError("the query has changed: define its parameters anew")
        _put(literals[place], kind, value)
    made = tree.sql(dialect=dialect)
    try:
        again = _query(made, dialect)
    except InputError:
        again = None
    if again != tree:
        raise InputError("one of these values can't be written for this database")
    return made


def checked(kind: ParameterKind, value: str) -> str:
    """A value in the one form of its kind. Raises `InputError`."""
    if len(value) > VALUE_LETTERS:
        raise InputError(f"a value has at most {VALUE_LETTERS} letters")
    if kind == "number":
        return f"{_number(value):f}"
    if kind == "date":
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError:
            raise InputError(f"{value!r} is no date such as 2024-05-31") from None
    if any(not letter.isprintable() and letter not in "\t\n" for letter in value):
        raise InputError("a value has letters that can't be seen")
    return value


def _query(sql: str, dialect: str) -> exp.Query:
    """The one query in a text. Raises `InputError`."""
    try:
        trees = parse(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        trees = []
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InputError("this is no query that can be read")
    return trees[0]


def _literals(tree: exp.Expr) -> Iterator[exp.Literal]:
    return (node for node in tree.dfs() if isinstance(node, exp.Literal))


def _put(literal: exp.Literal, kind: ParameterKind, value: str) -> None:
    """Give a literal another value. What was a text stays one, and what was a number a number."""
    text = checked(kind if literal.is_string else "number", value)
    if literal.is_string:
        literal.replace(exp.Literal.string(text))
        return
    number = exp.Literal.number(text.removeprefix("-"))
    around = literal.parent
    if isinstance(around, exp.Neg):
        around.replace(exp.Neg(this=number) if text.startswith("-") else number)
    else:
        literal.replace(exp.Neg(this=number) if text.startswith("-") else number)


def _number(value: str) -> Decimal:
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise InputError(f"{value!r} is no number")
    return number


def _tables(tree: exp.Expr, schema: Schema) -> dict[str, Table]:
    """The tables that a query reads, by alias and name."""
    found = {}
    for item in tree.find_all(exp.Table):
        name = next((n for n in (item.name, f"{item.db}.{item.name}") if n in schema), None)
        if name is not None:
            found[item.alias_or_name.casefold()] = schema.table(name)
    return found


def _condition_value(place: int, literal: exp.Literal, tables: Mapping[str, Table]) -> ConditionValue | None:
    """A literal as a value of a condition; None for one that isn't compared with a column."""
    operand: exp.Expr = literal
    while isinstance(operand.parent, _AROUND) and operand.parent.this is operand:
        operand = operand.parent
    comparison = operand.parent
    conditions = (exp.Where, exp.Having, exp.Join)
    if not isinstance(comparison, _COMPARING) or not comparison.find_ancestor(*conditions):
        return None
    column = next((c for side in _sides(comparison, operand) for c in side.find_all(exp.Column)), None)
    if column is None:
        return None
    table = _table_of(column, tables)
    value = f"-{literal.this}" if isinstance(literal.parent, exp.Neg) else str(literal.this)
    kind: ParameterKind = "text" if literal.is_string else "number"
    if kind == "text" and _is_date(value):
        kind = "date"
    said = _between(comparison, operand) if isinstance(comparison, exp.Between) else _SAID[type(comparison)]
    if comparison.args.get("this") is operand:
        said = _TURNED.get(said, said)
    return ConditionValue(place, table.name if table else "", column.name, said, kind, value)


def _sides(comparison: exp.Expr, operand: exp.Expr) -> list[exp.Expr]:
    sides = (comparison.args.get("this"), comparison.args.get("expression"))
    return [side for side in sides if side is not None and side is not operand]


def _between(comparison: exp.Expr, operand: exp.Expr) -> str:
    return "at least" if comparison.args.get("low") is operand else "at most"


def _table_of(column: exp.Column, tables: Mapping[str, Table]) -> Table | None:
    def has(table: Table) -> bool:
        return any(c.name.casefold() == column.name.casefold() for c in table.columns)

    if column.table:
        table = tables.get(column.table.casefold())
        return table if table is not None and has(table) else None
    having = list({t.name: t for t in tables.values() if has(t)}.values())
    return having[0] if len(having) == 1 else None


def _is_date(value: str) -> bool:
    try:
        return len(value) == len("2024-05-31") and bool(date.fromisoformat(value))
    except ValueError:
        return False
