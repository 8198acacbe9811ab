"""Follow-ups made from templates over any database: none may fail, or drop a condition without a word."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import sqlglot
from sqlglot import exp

from fathom.databases import Database
from fathom.offline.engine import OfflineEngine
from fathom.offline.followups import follow
from fathom.records import Column, Limits, Table
from fathom.records.schema import NUMERIC

_TODAY = (
    "{0} >= DATE('now', 'start of year')",
    "{0} >= DATE('now', 'weekday 0', '-6 days') AND {0} < DATE('now', 'weekday 0', '-6 days', '+7 days')",
    "{0} >= DATE('now', 'start of year') AND {0} < DATE('now', 'start of year', '+1 years')",
    "{0} BETWEEN '2024-01-01' AND '2024-12-31'",
    "{0} LIKE '2024%'",
    "{0} IS NOT NULL",
)
_ALONE = (
    "and the year before?", "and last month?", "and this week?", "in 2023 instead", "how many are there?",
    "count them", "list them", "what is their total?", "how much is that in total?", "and the average?",
    "which one is the highest?", "only the top 3", "in reverse order", "sort them", "and in March?",
    "what do they come to together?", "since 2020", "show the names too", "and how many not?", "by month",
)  # fmt: skip
_WITH_COLUMN = (
    "by {0}", "and their {0}?", "show the total {0} instead", "show the {0} instead", "sort by {0}",
    "the average {0}?", "which has the most {0}?", "only those with {0} over 2", "remove the {0}",
)  # fmt: skip
_LIFTING = frozenset(("and how many not?",))
"""Those that are about the conditions themselves."""


@dataclass(frozen=True, slots=True)
class MadeFollowUp:
    """A follow-up after a query, in words."""

    before: str
    text: str


def made_follow_ups(database: Database) -> Iterator[MadeFollowUp]:
    """Every template after every kind of query over each table with a condition."""
    for table in database.schema.tables:
        for before in _queries(database, table):
            for text in _texts(table):
                yield MadeFollowUp(before, text)


def _texts(table: Table) -> Iterator[str]:
    yield from _ALONE
    for column in table.columns:
        for form in _WITH_COLUMN:
            yield form.format(column.name.replace("_", " "))


def _queries(database: Database, table: Table) -> Iterator[str]:
    name = database.identifier(table.name)
    amount = next((c for c in table.columns if c.kind in NUMERIC and c.name not in table.primary_key), None)
    shown = next((c for c in table.columns if c.kind == "text"), table.columns[0])
    for condition in islice(_conditions(database, table), 8):
        where = f"FROM {name} WHERE {condition}"
        yield f"SELECT COUNT(*) {where}"
        yield f"SELECT {shown.name}, COUNT(*) {where} GROUP BY {shown.name}"
        if amount is not None:
            yield f"SELECT SUM({amount.name}) {where}"
            yield f"SELECT {shown.name} {where} ORDER BY {amount.name} DESC LIMIT 3"


def _conditions(database: Database, table: Table) -> Iterator[str]:
    for column in table.columns:
        if column.kind in {"date", "datetime"}:
            yield from (form.format(column.name) for form in _TODAY)
    for column in table.columns:
        if column.kind == "text" and (value := _value(database, table, column)) is not None:
            yield f"{column.name} = {exp.Literal.string(value).sql()}"


def _value(database: Database, table: Table, column: Column) -> str | None:
    name = database.identifier(table.name)
    sql = f"SELECT {column.name} FROM {name} WHERE {column.name} IS NOT NULL LIMIT 1"
    rows = database.run(sql, Limits(seconds=5.0)).rows
    return str(rows[0][0]) if rows else None


def dropped(made: MadeFollowUp, engine: OfflineEngine) -> tuple[str, ...] | None:
    """The columns whose conditions a follow-up drops; None where it isn't read.

    Raises what reading it raises.
    """
    after = follow(made.text, made.before, engine)
    if after.sql is None:
        return None
    dialect = engine.database.dialect
    lost = _compared(made.before, dialect) - _compared(after.sql, dialect)
    return () if made.text in _LIFTING else tuple(sorted(lost))


def _compared(sql: str, dialect: str) -> set[str]:
    """The columns in the WHERE of a query, and of those inside it."""
    clauses = sqlglot.parse_one(sql, read=dialect).find_all(exp.Where)
    return {c.name.casefold() for clause in clauses for c in clause.find_all(exp.Column)}
