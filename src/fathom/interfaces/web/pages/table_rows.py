"""The rows of one table, a page at a time: sorted and filtered by the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from pydantic import BaseModel, Field
from sqlglot import exp

from fathom.answering.audit_log import logged_run, logging_as
from fathom.databases import Database
from fathom.errors import InputError, QueryError
from fathom.records import Column, Limits, Table
from fathom.records.schema import NUMERIC

PAGE = 50
MOST_DIGITS = 300
LIMITS = Limits(seconds=10, rows=PAGE + 1)
_UNSORTED = frozenset(("json", "blob", "other"))
"""Kinds of columns that not every engine sorts or compares."""
Comparison = Literal["is", "contains", "at least", "at most", "missing"]
_SIGNS: Mapping[Comparison, str] = {"is": "=", "at least": ">=", "at most": "<="}


class RowsWanted(BaseModel):
    """The rows to show: the page from 1, the column that sorts them, and a condition on one column."""

    page: int = Field(1, ge=1, le=10_000)
    sort: str = Field("", max_length=300)
    down: bool = False
    column: str = Field("", max_length=300)
    how: Comparison = "is"
    value: str = Field("", max_length=500)


@dataclass(frozen=True, slots=True)
class RowsShown:
    """A page of rows; `more` says that others follow, `problem` why there are none.

    `sortable` are the columns that can sort and filter; `leads_to` the table and column that a key points at.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    wanted: RowsWanted
    more: bool
    sortable: Sequence[str]
    leads_to: Mapping[str, tuple[str, str]]
    problem: str


def rows_of(database: Database, table: Table, wanted: RowsWanted) -> RowsShown:
    """One page of a table's rows. Raises `SchemaError` for an unknown column, `InputError` for no number."""
    sortable = [c.name for c in table.columns if c.kind not in _UNSORTED]
    leads_to = {
        key.columns[0]: (key.target_table, key.target_columns[0])
        for key in database.schema.foreign_keys
        if key.table == table.name and len(key.columns) == 1 and key.target_table in database.schema
    }
    sql = _query(database, table, wanted)
    try:
        with logging_as("browser"):
            result = logged_run(database, sql, LIMITS)
    except QueryError as error:
        return RowsShown((), (), wanted, False, sortable, leads_to, str(error))
    rows, more = result.rows[:PAGE], len(result.rows) > PAGE or result.truncated == "bytes"
    return RowsShown(result.columns, rows, wanted, more, sortable, leads_to, "")


def _query(database: Database, table: Table, wanted: RowsWanted) -> str:
    parts = [f"SELECT * FROM {database.identifier(table.name)}"]
    if wanted.column:
        parts.append(f"WHERE {_condition(database, table, wanted)}")
    if wanted.sort:
        name = database.identifier(table.name, wanted.sort)
        direction = " DESC" if wanted.down else ""
        parts.append(f"ORDER BY CASE WHEN {name} IS NULL THEN 1 ELSE 0 END, {name}{direction}")
    return " ".join([*parts, f"LIMIT {PAGE + 1} OFFSET {(wanted.page - 1) * PAGE}"])


def _condition(database: Database, table: Table, wanted: RowsWanted) -> str:
    column, dialect = table.column(wanted.column), database.dialect
    name = database.identifier(table.name, column.name)
    if wanted.how == "missing":
        return f"{name} IS NULL"
    if wanted.how == "contains":
        marked = wanted.value.replace("!", "!!").replace("%", "!%").replace("_", "!_")
        text = exp.Cast(this=exp.var(name), to=exp.DataType.build("text")).sql(dialect=dialect)
        pattern = exp.Literal.string(f"%{marked}%").sql(dialect=dialect)
        return f"{text} LIKE {pattern} ESCAPE '!'"
    return f"{name} {_SIGNS[wanted.how]} {_literal(column, wanted.value, dialect)}"


def _literal(column: Column, value: str, dialect: str) -> str:
    """A value as the dialect writes it. Raises `InputError` for text against numbers."""
    if column.kind == "boolean" and value.casefold() in ("true", "false", "1", "0"):
        return "TRUE" if value.casefold() in ("true", "1") else "FALSE"
    if column.kind not in NUMERIC:
        return exp.Literal.string(value).sql(dialect=dialect)
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
        raise InputError(f"{column.name} holds numbers; {value!r} is none")
    return f"{number:f}"
