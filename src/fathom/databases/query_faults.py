"""Faults of a query, each with its place in the text: what can't be read, and names that aren't there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sqlglot import Token, TokenType, exp, tokenize
from sqlglot.errors import ParseError, SqlglotError

from fathom.databases.parsing import parsed, parsed_or_raised
from fathom.errors import did_you_mean
from fathom.records import Schema, Table

_FEW = 3
"""Tables of a query whose columns are all named, where none is near."""
_LIKE_A_WORD = 0.8
_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "DISTINCT", "BETWEEN", "JOIN",
    "LEFT", "RIGHT", "INNER", "OUTER", "UNION", "CASE", "WHEN", "THEN", "ELSE", "WITH", "LIKE",
)  # fmt: skip
"""The words of SQL that people misspell most; only where a query can't be read."""
_OF_THE_SYSTEM = frozenset(("rowid", "_rowid_", "oid", "ctid", "xmin", "tableoid"))
"""Columns that tables have beside those that they declare."""


@dataclass(frozen=True, slots=True)
class QueryFault:
    """A fault of a query in words; `hint` names what is near, or is "".

    `start` and `end` are the place in its text, both 0 where no place is known; `line` and `column` that
    place as people count.
    """

    text: str
    hint: str
    start: int
    end: int
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.text}{self.hint}"


def fault_of(sql: str, schema: Schema) -> QueryFault | None:
    """The first fault that the text of a query shows without being run; None where it shows none."""
    try:
        tree = parsed_or_raised(sql, schema.dialect)
    except ParseError as error:
        return _unreadable(sql, schema.dialect, error)
    except (SqlglotError, RecursionError):
        return _fault(sql, "This can't be read: a quotation mark or a bracket may not be closed.")
    return _unknown_name(sql, tree, schema, strictly=True)


def nearest_names(sql: str, schema: Schema) -> str:
    """The sentence on the first table or column of a query that isn't there; "" where all are."""
    tree = parsed(sql, schema.dialect)
    fault = None if tree is None else _unknown_name(sql, tree, schema)
    return f" {fault}" if fault else ""


def _fault(sql: str, text: str, hint: str = "", start: int = 0, end: int = 0) -> QueryFault:
    before = sql[:start]
    column = start - (before.rfind("\n") + 1) + 1
    return QueryFault(text, hint, start, end, before.count("\n") + 1, column)


# Text that is no query


def _unreadable(sql: str, dialect: str, error: ParseError) -> QueryFault:
    place = error.errors[0] if error.errors else {}
    word = str(place.get("highlight") or "")
    if not word:
        return _fault(sql, "There is no query." if not sql.strip() else "This can't be read.")
    lines = sql.split("\n")
    end = sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["col"]
    start = end - len(word)
    if (misspelt := _misspelt(sql, dialect, end)) is not None:
        token, near = misspelt
        told = f"“{token.text}” isn't understood here."
        return _fault(sql, told, f" Did you mean {near}?", token.start, token.end + 1)
    return _fault(sql, f"This can't be read at “{word}”.", "", start, end)


def _misspelt(sql: str, dialect: str, end: int) -> tuple[Token, str] | None:
    """The last word before a place that is nearly one of SQL's own, with that one: often the real fault."""
    words = [t for t in tokenize(sql, dialect=dialect) if t.end < end and t.token_type == TokenType.VAR]
    for token in reversed(words[-3:]):
        if near := get_close_matches(token.text.upper(), _WORDS, n=1, cutoff=_LIKE_A_WORD):
            return token, near[0]
    return None


# Names that aren't there


def _unknown_name(sql: str, tree: exp.Expr, schema: Schema, *, strictly: bool = False) -> QueryFault | None:
    """The first table or column that isn't there; `strictly` only what is surely a name of a table's."""
    made = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    read = [t for t in tree.find_all(exp.Table) if t.name and t.name.casefold() not in made]
    for table in read:
        if _name_in(table, schema) is None and isinstance(table.this, exp.Identifier):
            hint = did_you_mean(table.name, [t.name for t in schema.tables])
            return _fault(sql, f"There is no table {table.name!r}.", hint, *_place(table.this))
    tables = [schema.table(name) for table in read if (name := _name_in(table, schema)) is not None]
    undescribed = any(not t.name for t in tree.find_all(exp.Table)) or len(tables) < len(read)
    if strictly and (undescribed or tree.find(exp.Unnest, exp.Lateral, exp.Values, exp.Pivot)):
        return None
    return next(_unknown_columns(sql, tree, tables, strictly=strictly), None)


def _unknown_columns(
    sql: str, tree: exp.Expr, tables: Sequence[Table], *, strictly: bool
) -> Iterator[QueryFault]:
    known = [column.name for table in tables for column in table.columns]
    there = {name.casefold() for name in known} | {a.alias.casefold() for a in tree.find_all(exp.Alias)}
    there |= {i.name.casefold() for alias in tree.find_all(exp.TableAlias) for i in alias.columns}
    for column in tree.find_all(exp.Column):
        name = column.this
        if not column.name or column.name.casefold() in there or column.find(exp.Star):
            continue
        # SQLite reads a name in quotes that no column has as text.
        if strictly and (column.name.casefold() in _OF_THE_SYSTEM or name.args.get("quoted")):
            continue
        hint = did_you_mean(column.name, known) if len(tables) <= _FEW else ""
        yield _fault(sql, f"There is no column {column.name!r}.", hint, *_place(name))


def _name_in(table: exp.Table, schema: Schema) -> str | None:
    """The name under which the schema has a table; None where it doesn't."""
    return next((name for name in (table.name, f"{table.db}.{table.name}") if name in schema), None)


def _place(name: exp.Expr) -> tuple[int, int]:
    """The place of a name in the text, with its quotes."""
    start, end = name.meta.get("start"), name.meta.get("end")
    return (0, 0) if start is None or end is None else (int(start), int(end) + 1)
