"""Worked examples of one schema: questions that its own tables, keys and columns suggest, with their queries.

A small model copies what it is shown. Each kind of question is shown once, over columns that have what it
needs: a key to join along, a date, a number, rows without a value. The questions are as clipped as people's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from fathom.forms import ColumnForm
from fathom.nl2sql.local.code_meanings import Meanings
from fathom.nl2sql.prompt_cells import prompt_literal
from fathom.nl2sql.quoted_names import quoted
from fathom.records import Column, ColumnProfile, ForeignKey, Schema, Table, TableProfile
from fathom.records.schema import DATED, NUMERIC
from fathom.text.identifiers import identifier_words

FEW_GROUPS = 20
"""The number of values from which on a column of text is no category."""

SAME = 10
"""Rows that may share a name, where the names are few."""


class Example(NamedTuple):
    """A question and the query that answers it."""

    question: str
    sql: str


@dataclass(frozen=True)
class SchemaFacts:
    """The facts that examples are made from: a schema whose columns have the kind that their values mean.

    With it go the profiles and forms of its columns, and the meanings of codes.
    """

    schema: Schema
    profiles: Mapping[str, TableProfile]
    forms: Mapping[tuple[str, str], ColumnForm]
    codes: Mapping[tuple[str, str], Meanings]

    def name(self, text: str) -> str:
        """A name as the dialect writes it."""
        return quoted(text, self.schema.dialect)

    def rows(self, table: str) -> int:
        """The number of a table's rows, as far as it is known."""
        return self.profiles[table].row_count or 0 if table in self.profiles else 0

    def numbers(self, table: Table) -> list[Column]:
        """The columns that can be averaged: numbers that are no key."""
        keys = self._keys(table)
        return [c for c in table.columns if self._is_number(table, c) and c.name not in keys]

    def dates(self, table: Table) -> list[Column]:
        """The columns that have a day."""
        return [c for c in table.columns if c.kind in DATED or self._is_date(table, c)]

    def labels(self, table: Table) -> list[Column]:
        """The columns of text whose values tell rows apart, more or less."""
        keys = self._keys(table)
        texts = [c for c in table.columns if c.kind == "text" and c.name not in keys]
        told = (c for c in texts if not self._form(table, c) and not self._is_date(table, c))
        return [c for c in told if not self._few(table, c) or self._tells_apart(table, c)]

    def categories(self, table: Table) -> list[Column]:
        """The columns of text with few values."""
        keys = self._keys(table)
        return [c for c in table.columns if c.kind == "text" and c.name not in keys and self._few(table, c)]

    def gaps(self, table: Table) -> list[Column]:
        """The columns that some rows have no value in."""
        seen = self.profiles[table.name].columns if table.name in self.profiles else {}
        return [c for c in table.columns if c.name in seen and 0 < seen[c.name].null_share < 1]

    def joins(self) -> Iterator[tuple[ForeignKey, Table, Table, Column]]:
        """Each key of one column between two tables, with both and the column that names the other's rows."""
        for key in self.schema.foreign_keys:
            if len(key.columns) == 1 and key.table != key.target_table:
                table, target = self.schema.table(key.table), self.schema.table(key.target_table)
                if labels := self.labels(target):
                    yield key, table, target, labels[0]

    def _keys(self, table: Table) -> set[str]:
        own = {c for k in self.schema.foreign_keys if k.table == table.name for c in k.columns}
        other = {
            c for k in self.schema.foreign_keys if k.target_table == table.name for c in k.target_columns
        }
        return {*table.primary_key, *own, *other}

    def _form(self, table: Table, column: Column) -> ColumnForm | None:
        return self.forms.get((table.name.casefold(), column.name.casefold()))

    def _is_number(self, table: Table, column: Column) -> bool:
        form = self._form(table, column)
        named = column.name.casefold().endswith(("id", "year", "no", "number", "code"))
        several = bool((seen := self._seen(table, column)) and (seen.distinct or 0) > 2)  # no yes or no
        return (column.kind in NUMERIC and several and not named) or bool(form and form.kind == "number")

    def _is_date(self, table: Table, column: Column) -> bool:
        seen = self._seen(table, column)
        return bool(seen and seen.format == "date" and (seen.pattern or "").startswith("%Y-%m-%d"))

    def _few(self, table: Table, column: Column) -> bool:
        seen, form = self._seen(table, column), self._form(table, column)
        return bool(seen and form is None and 1 < (seen.distinct or 0) <= FEW_GROUPS)

    def _tells_apart(self, table: Table, column: Column) -> bool:
        seen = self._seen(table, column)
        return bool(seen and SAME * (seen.distinct or 0) >= seen.rows_seen)

    def _seen(self, table: Table, column: Column) -> ColumnProfile | None:
        return self.profiles[table.name].columns.get(column.name) if table.name in self.profiles else None


def worked_examples(facts: SchemaFacts) -> list[Example]:
    """Give the examples, at most one of each kind.

    Tables that none was about yet come first, and of those the largest: people ask about what happens, not
    about lists.
    """
    used: dict[str, int] = {}
    found = []
    for kind in _KINDS:
        made = sorted(kind(facts), key=lambda pair: (used.get(pair[0], 0), -facts.rows(pair[0])))
        if made:
            table, example = made[0]
            used[table] = used.get(table, 0) + 1
            found.append(example)
    return found


Made = Iterator[tuple[str, Example]]


def _per_label(facts: SchemaFacts) -> Made:
    for key, table, target, label in facts.joins():
        shown = f"T2.{facts.name(label.name)}"
        yield (
            table.name,
            Example(
                f"{_said(table.name)} per {_said(target.name)}",
                f"SELECT {shown}, COUNT(*) FROM {_joined(facts, key)} GROUP BY {shown}",
            ),
        )


def _without_rows(facts: SchemaFacts) -> Made:
    for key, table, target, label in facts.joins():
        column, own = facts.name(key.columns[0]), facts.name(key.target_columns[0])
        yield (
            target.name,
            Example(
                f"{_said(target.name)} with no {_said(table.name)}",
                f"SELECT {facts.name(label.name)} FROM {facts.name(target.name)} WHERE {own} NOT IN "
                f"(SELECT {column} FROM {facts.name(table.name)} WHERE {column} IS NOT NULL)",
            ),
        )


def _several_rows(facts: SchemaFacts) -> Made:
    for key, table, target, label in facts.joins():
        shown, own = f"T2.{facts.name(label.name)}", f"T2.{facts.name(key.target_columns[0])}"
        yield (
            target.name,
            Example(
                f"{_said(target.name)} w/ more than 2 {_said(table.name)}",
                f"SELECT {shown} FROM {_joined(facts, key)} GROUP BY {own} HAVING COUNT(*) > 2",
            ),
        )


def _average_by_category(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        for number in facts.numbers(table):
            for group in facts.categories(table):
                shown, of = facts.name(group.name), facts.name(number.name)
                yield (
                    table.name,
                    Example(
                        f"avg {_said(number.name)} by {_said(group.name)}",
                        f"SELECT {shown}, AVG({of}) FROM {facts.name(table.name)} GROUP BY {shown}",
                    ),
                )


def _most_of_all(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        for number in facts.numbers(table):
            for label in facts.labels(table):
                of = facts.name(number.name)
                yield (
                    table.name,
                    Example(
                        f"{_said(table.name)} with the highest {_said(number.name)}",
                        f"SELECT {facts.name(label.name)} FROM {facts.name(table.name)} "
                        f"ORDER BY {of} DESC LIMIT 1",
                    ),
                )


def _no_value(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        for column in facts.gaps(table):
            yield (
                table.name,
                Example(
                    f"how many {_said(table.name)} w/o {_said(column.name)}",
                    f"SELECT COUNT(*) FROM {facts.name(table.name)} WHERE {facts.name(column.name)} IS NULL",
                ),
            )


def _of_a_month(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        for column in facts.dates(table):
            day = facts.name(column.name)
            yield (
                table.name,
                Example(
                    f"# {_said(table.name)} in feb 2023",
                    f"SELECT COUNT(*) FROM {facts.name(table.name)} WHERE {day} >= '2023-02-01' "
                    f"AND {day} < '2023-03-01'",
                ),
            )


def _per_month(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        for column in facts.dates(table) if facts.schema.dialect == "sqlite" else ():
            month = f"strftime('%Y-%m', {facts.name(column.name)})"
            yield (
                table.name,
                Example(
                    f"{_said(table.name)} by month",
                    f"SELECT {month}, COUNT(*) FROM {facts.name(table.name)} GROUP BY {month}",
                ),
            )


def _days_between(facts: SchemaFacts) -> Made:
    for table in facts.schema.tables:
        dates = facts.dates(table)
        for first, second in pairwise(dates):
            start, end = facts.name(first.name), facts.name(second.name)
            days = f"{end} - {start}"
            if facts.schema.dialect == "sqlite":
                days = f"julianday({end}) - julianday({start})"
            yield (
                table.name,
                Example(
                    f"avg days from {_said(first.name)} to {_said(second.name)}",
                    f"SELECT AVG({days}) FROM {facts.name(table.name)}",
                ),
            )


def _with_a_code(facts: SchemaFacts) -> Made:
    for (table, column), meanings in facts.codes.items():
        code, meaning = list(meanings.items())[-1]
        yield (
            table,
            Example(
                f"{meaning.casefold()} {_said(table)}",
                f"SELECT * FROM {facts.name(table)} WHERE {facts.name(column)} = {prompt_literal(code)}",
            ),
        )


_KINDS: tuple[Callable[[SchemaFacts], Made], ...] = (
    _per_label,
    _without_rows,
    _average_by_category,
    _of_a_month,
    _no_value,
    _days_between,
    _with_a_code,
    _most_of_all,
    _several_rows,
    _per_month,
)


def _joined(facts: SchemaFacts, key: ForeignKey) -> str:
    table, target = facts.name(key.table), facts.name(key.target_table)
    own, other = facts.name(key.columns[0]), facts.name(key.target_columns[0])
    return f"{table} AS T1 JOIN {target} AS T2 ON T1.{own} = T2.{other}"


def _said(name: str) -> str:
    return " ".join(identifier_words(name)) or name
