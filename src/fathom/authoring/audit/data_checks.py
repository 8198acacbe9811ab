"""Checks of a query against what the tables hold: ranges, joins without a match, counts of repeats."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from sqlglot import exp

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import ColumnOf, GoldParts
from fathom.databases import Database
from fathom.errors import QueryError
from fathom.nl2sql.adaptive.plausible import complaints
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.records import Limits, Result

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")
_MOST = 6
"""Conditions and joins of one query that are looked at, at a query each."""


def check_data(
    parts: GoldParts, question: str, result: Result, database: Database, seconds: float
) -> Iterator[Evidence]:
    """The suspicions about a query's conditions, joins and result; a few short queries."""
    look = _Look(database, Limits(seconds=seconds, rows=2))
    yield from _ranges(parts, look)
    yield from _joins(parts, look)
    yield from _repeats(parts, result, look)
    if result.rows:
        for told in complaints(question, QueryRun(parts.sql, Status.OK, result)):
            yield "result_misshapen", told, {}


class _Look:
    """Short queries of one database."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self.database = database
        self._limits = limits

    def name(self, column: ColumnOf) -> tuple[str, str]:
        """The table and the column, as SQL."""
        table = self.database.schema.table(column.table)
        identifier = self.database.identifier
        return identifier(table.name), identifier(table.name, table.column(column.name).name)

    def rows(self, sql: str) -> Sequence[Sequence[Any]] | None:
        """The first rows of a query; None where it fails or takes too long."""
        try:
            return self.database.run(sql, self._limits).rows
        except QueryError:
            return None

    def none(self, sql: str) -> bool:
        """True if a query gives no row; not where it fails."""
        rows = self.rows(sql)
        return rows is not None and not rows

    def empty(self, table: str) -> bool:
        """True if a table holds no row: it tells nothing of the queries that read it."""
        name = self.database.identifier(self.database.schema.table(table).name)
        return self.none(f"SELECT 1 FROM {name} LIMIT 1")


def reads_empty_table(parts: GoldParts, database: Database, seconds: float) -> bool:
    """True if a query reads a table without rows, so that an empty result says nothing of the query."""
    look = _Look(database, Limits(seconds=seconds, rows=2))
    return any(look.empty(t) for t in {t for _, t in parts.tables})


def _ranges(parts: GoldParts, look: _Look) -> Iterator[Evidence]:
    seen = {
        (t.column, t.value)
        for t in parts.tests
        if t.plain and not t.is_text and t.operator not in ("like", "not like") and _NUMBER.match(t.value)
    }
    for column, value in islice(sorted(seen), _MOST):
        table, held = look.name(column)
        rows = look.rows(f"SELECT MIN({held}), MAX({held}) FROM {table}")
        least, most = rows[0] if rows else (None, None)
        if not isinstance(least, int | float) or not isinstance(most, int | float):
            continue
        if not least <= float(value) <= most:
            told = f"{column.key} holds {least:g} to {most:g}, and is compared with {value}"
            yield "value_out_of_range", told, {"column": column.key}


def _joins(parts: GoldParts, look: _Look) -> Iterator[Evidence]:
    for left, right in islice(dict.fromkeys(parts.joined), _MOST):
        if left.table == right.table or look.empty(left.table) or look.empty(right.table):
            continue
        (one, a), (two, b) = look.name(left), look.name(right)
        held = f"SELECT 1 FROM {one} WHERE {a} IN (SELECT {b} FROM {two}) LIMIT 1"
        if look.none(held):
            told = f"{left.key} and {right.key} share no value, so the join gives nothing"
            yield "join_disjoint", told, {"columns": [left.key, right.key]}


def _repeats(parts: GoldParts, result: Result, look: _Look) -> Iterator[Evidence]:
    """A single COUNT of a column that gives less with DISTINCT."""
    tree = parts.tree
    if (
        not isinstance(tree, exp.Select)
        or len(parts.returned) != 1
        or not parts.joined
        or len(result.rows) != 1
    ):
        return
    count = parts.returned[0]
    if not isinstance(count, exp.Count) or not isinstance(count.this, exp.Column) or tree.args.get("group"):
        return
    once = tree.copy()
    counted = once.find(exp.Count)
    if counted is None:
        return
    counted.set("this", exp.Distinct(expressions=[counted.this.copy()]))
    rows = look.rows(once.sql(dialect=look.database.dialect))
    if rows and rows[0] and rows[0][0] != result.rows[0][0]:
        told = f"the count is {result.rows[0][0]}, and {rows[0][0]} without repeats that the join makes"
        yield "count_repeats", told, {"distinct": rows[0][0]}
