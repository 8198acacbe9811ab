"""Which type the texts of a column have: what isn't plainly a number, a date or a flag stays text."""

from dataclasses import dataclass

import duckdb

from fathom.databases.engine import double_quoted

_INTEGER = r"\s*-?(0|[1-9]\d{0,17})\s*"
_FLOAT = r"\s*-?(0|[1-9]\d*)?(\.\d+)?([eE][+-]?\d{1,3})?\s*"
_COMMA = r"\s*-?(0|[1-9]\d*),\d+\s*"
_DATE = r"\d{4}-\d{2}-\d{2}"
_MOMENT = rf"{_DATE}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,9}})?)?Z?"
_FLAG = "(?i)true|false"


@dataclass(frozen=True, slots=True)
class Types:
    """The types of columns in their order; `decimal` is the sign before the decimals of all of them."""

    of: tuple[str, ...]
    decimal: str = "."


def types_of(connection: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> Types:
    """The types of the columns of a table of texts.

    A leading zero makes a text of a number, and of dates only those written YYYY-MM-DD are taken: which of
    03/04/2026 is the month can't be told.
    """
    counts = ", ".join(_counted(double_quoted(name)) for name in columns)
    cells = connection.execute(f"SELECT {counts} FROM {table}").fetchone() or ()
    width = len(_TESTS) + 1
    found = [_type(*cells[i : i + width]) for i in range(0, len(cells), width)]
    if "COMMA" in found and "DOUBLE" not in found:
        return Types(tuple("DOUBLE" if t == "COMMA" else t for t in found), ",")
    return Types(tuple("VARCHAR" if t == "COMMA" else t for t in found))


_TESTS = (
    "regexp_full_match($C, '" + _INTEGER + "')",
    "regexp_full_match($C, '" + _FLOAT + "') AND trim($C) NOT IN ('', '-')",
    "regexp_full_match($C, '" + _COMMA + "')",
    "regexp_full_match($C, '" + _DATE + "') AND TRY_CAST($C AS DATE) IS NOT NULL",
    "regexp_full_match($C, '" + _MOMENT + "') AND TRY_CAST($C AS TIMESTAMP) IS NOT NULL",
    "regexp_full_match($C, '" + _FLAG + "')",
)
_NAMES = ("BIGINT", "DOUBLE", "COMMA", "DATE", "TIMESTAMP", "BOOLEAN")


def _counted(column: str) -> str:
    tests = (test.replace("$C", column) for test in _TESTS)
    return ", ".join([f"count({column})", *(f"count_if({test})" for test in tests)])


def _type(held: int, *fitting: int) -> str:
    """The first type that fits all texts of a column, by how many of them each one fits."""
    if not held:
        return "VARCHAR"
    for count, name in zip(fitting, _NAMES, strict=True):
        if count == held and name != "COMMA":
            return name
    integers, _, commas, *_ = fitting
    return "COMMA" if commas and commas + integers == held else "VARCHAR"
