"""Hold a pack against a database: what the pack names must be there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from fathom.errors import SchemaError
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.sql import columns_of
from fathom.records import Schema


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something of a pack that the database doesn't have: where the pack says it, and what is wrong."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


def check(pack: KnowledgePack, schema: Schema) -> tuple[Mismatch, ...]:
    """Every name in the pack of a table or column that the database doesn't have, with the nearest one."""
    return tuple(dict.fromkeys(_mismatches(pack, schema)))


def _mismatches(pack: KnowledgePack, schema: Schema) -> Iterator[Mismatch]:
    for table, note in pack.tables.items():
        yield from _missing(schema, f"tables.{table}", (table,), ())
        if table in schema:
            yield from _missing(schema, f"tables.{table}", (table,), note.columns)
    for term in pack.glossary:
        named = [term.column] if term.column else []
        for sql in (term.condition, term.expression):
            named += columns_of(sql) if sql else ()
        yield from _missing(schema, f"glossary term {term.term!r}", term.tables, named)
    for convention in pack.conventions:
        when = convention.when
        named = [*convention.columns, *when.columns, *when.without_conditions_on]
        yield from _missing(schema, f"convention {convention.name!r}", when.tables, named)
    for join in pack.joins:
        for table, columns in ((join.table, join.columns), (join.target_table, join.target_columns)):
            yield from _missing(schema, "joins", (table,), columns)
    for example in pack.examples:
        yield from _missing_in_query(schema, example.question, example.sql, pack.dialect)


def _missing(
    schema: Schema,
    where: str,
    tables: tuple[str, ...],
    columns: Iterable[str],
) -> Iterator[Mismatch]:
    for table in tables:
        if table not in schema:
            yield Mismatch(where, _why(schema, table))
    for name in columns:
        table, _, column = name.rpartition(".")
        within = (table,) if table else tuple(t for t in tables if t in schema)
        if table or within:
            problems = [_why(schema, t, column) for t in within]
            if all(problems):
                yield Mismatch(where, problems[0])
        elif not any(_why(schema, t.name, column) == "" for t in schema.tables):
            yield Mismatch(where, f"No table has a column {column!r}.")


def _why(schema: Schema, table: str, column: str | None = None) -> str:
    """Find the fault in a name; empty where there is none."""
    try:
        found = schema.table(table)
        if column is not None:
            found.column(column)
    except SchemaError as error:
        return str(error)
    return ""


def _missing_in_query(schema: Schema, question: str, sql: str, dialect: str) -> Iterator[Mismatch]:
    where = f"example {question!r}"
    try:
        query = sqlglot.parse_one(sql, dialect=dialect or schema.dialect)
    except sqlglot.errors.SqlglotError as error:
        yield Mismatch(where, f"its SQL can't be read: {str(error).splitlines()[0]}")
        return
    except RecursionError:
        yield Mismatch(where, "its SQL is nested too deeply to be read.")
        return
    local = {c.alias_or_name.casefold() for c in query.find_all(exp.CTE)}
    for table in query.find_all(exp.Table):
        name = f"{table.db}.{table.name}" if table.db else table.name
        # `main.t` and `t` are the same table: schemas name those of the default schema without it.
        if name and name.casefold() not in local and name not in schema and table.name not in schema:
            yield Mismatch(where, _why(schema, name))
