"""Readings that somebody may mean: not those that are next to impossible, nor sums of dates and keys."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from fathom.answering.expressions import uncast
from fathom.answering.restatement import sources_read
from fathom.databases.parsing import parsed
from fathom.databases.query_columns import qualified
from fathom.records import Column, Reading, Schema, Table
from fathom.records.schema import DATED, NUMERIC, TIMED
from fathom.text.identifiers import spoken
from fathom.text.inflection import singular
from fathom.text.patterns import Pattern

LEAST = 0.05
"""A reading that is meant once in twenty times only hides the others."""
_WORD = Pattern(r"\w+")
_YEARS = range(1900, 2101)
_ADDED = (exp.Sum, exp.Avg)
_COMPARED = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def likely_readings(readings: Sequence[Reading], schema: Schema, question: str) -> list[Reading]:
    """Keep the readings that somebody may mean, in their order; `schema` is of the database they ask.

    Of those that differ in nothing but the columns that they show of a table the first stays, unless the
    question names one of these columns.
    """
    kept: dict[str, Reading] = {}
    for place, one in enumerate(readings):
        if (one.confidence is None or one.confidence >= LEAST) and not _is_absurd(one.sql, schema, question):
            kept.setdefault(_rows_read(one.sql, schema, question) or str(place), one)
    return list(kept.values())


def _rows_read(sql: str, schema: Schema, question: str) -> str:
    """Which rows a query gives, for those that show columns of one table; "" for others.

    Columns that the question names stay in it.
    """
    tree = parsed(sql, schema.dialect)
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return ""
    items = [item.unalias() for item in tree.expressions]
    plain = [i for i in items if isinstance(i, exp.Column | exp.Star)]
    if not plain or len({i.table for i in plain if isinstance(i, exp.Column)}) > 1:
        return ""
    rest = tree.copy()
    named = [i.sql() for i in plain if isinstance(i, exp.Column) and _is_named(i.name, question)]
    figures = [i.sql() for i in items if not isinstance(i, exp.Column | exp.Star)]
    of = {i.table for i in plain if isinstance(i, exp.Column)} - {""}
    rest.set("expressions", [])
    return " ".join((*sorted((*named, *figures, *of)), rest.sql()))


def _is_named(column: str, question: str) -> bool:
    """True if each word of a column's name is one of the question."""
    asked = {singular(word) for word in _WORD.findall(question.casefold())}
    return {singular(word) for word in spoken(column).casefold().split()} <= asked


def told_apart(readings: Sequence[Reading], dialect: str) -> tuple[Reading, ...]:
    """The readings, where those whose words are the same say how they join which tables, or all they do."""
    texts = [one.text for one in readings]
    with_sources = [f"{one.text} (of {sources_read(one.sql, dialect)})" for one in readings]
    in_full = [one.explanation.rstrip(".") or one.sql for one in readings]
    return tuple(
        replace(one, text=next(_apart(place, texts, with_sources, in_full)))
        for place, one in enumerate(readings)
    )


def _apart(place: int, *ways: Sequence[str]) -> Iterator[str]:
    """The words of a reading, of each way of telling them that no other reading shares; then the last."""
    for told in ways:
        if told.count(told[place]) == 1:
            yield told[place]
    yield ways[-1][place]


def _is_absurd(sql: str, schema: Schema, question: str) -> bool:
    """True if a query adds up or ranks by dates or keys, or reads one number of the question twice.

    Also if it takes a year for a key, or looks up what it is told. False where it can't be parsed.
    """
    tree = parsed(sql, schema.dialect)
    if tree is None:
        return False
    if _reads_twice(tree, question) or any(_looks_up_itself(test) for test in tree.find_all(exp.EQ, exp.In)):
        return True
    try:
        read = list(_columns_read(qualified(tree, schema), schema))
    except (SqlglotError, RecursionError):
        return False
    return any(
        _adds(node, table, column, schema)
        or _is_year(node, table, column)
        or _ranks_by_key(node, table, column, schema, question)
        for node, table, column in read
    )


def _columns_read(tree: exp.Expr, schema: Schema) -> Iterator[tuple[exp.Column, Table, Column]]:
    """Each place where a query names a column of a table."""
    for scope in traverse_scope(tree):
        for node in scope.columns:
            source = scope.sources.get(node.table)
            name = source.name.replace("\x00", ".") if isinstance(source, exp.Table) else ""
            if name not in schema:
                continue
            table = schema.table(name)
            found = next((c for c in table.columns if c.name.casefold() == node.name.casefold()), None)
            if found is not None:
                yield node, table, found


def _adds(node: exp.Column, table: Table, column: Column, schema: Schema) -> bool:
    total = node.find_ancestor(*_ADDED, exp.Select)
    if not isinstance(total, _ADDED) or uncast(total.this) is not node:
        return False
    return column.kind in TIMED or _is_key(table, column, schema)


def _is_key(table: Table, column: Column, schema: Schema) -> bool:
    leading = {c for k in schema.foreign_keys if k.table == table.name for c in k.columns}
    return table.primary_key == (column.name,) or column.name in leading


def _ranks_by_key(node: exp.Column, table: Table, column: Column, schema: Schema, question: str) -> bool:
    """True for the first rows by a key that the question doesn't name."""
    ordered = node.parent
    cut = isinstance(ordered, exp.Ordered) and ordered.parent_select
    if not isinstance(cut, exp.Select) or not cut.args.get("limit") or cut.args["order"].expressions[1:]:
        return False
    return column.kind in NUMERIC and _is_key(table, column, schema) and not _is_named(column.name, question)


def _reads_twice(tree: exp.Expr, question: str) -> bool:
    """True if a number that stands once in the question says how many rows, and is compared with as well."""
    limits = [limit.expression.name for limit in tree.find_all(exp.Limit) if limit.expression is not None]
    compared = {n.name for test in tree.find_all(*_COMPARED) for n in test.find_all(exp.Literal)}
    return any(question.split().count(number) == 1 for number in limits if number in compared)


def _looks_up_itself(test: exp.Expr) -> bool:
    """True if a column is compared with the same column of the rows where it is a value: Ada with Ada."""
    query = test.args.get("query") or test.args.get("expression")
    inner = query.unnest() if isinstance(query, exp.Expression) else None
    if not isinstance(inner, exp.Select) or not isinstance(test.this, exp.Column):
        return False
    where, shown = inner.args.get("where"), inner.expressions[0].unalias()
    told = where.this if where is not None else None
    if (
        not isinstance(told, exp.EQ)
        or not isinstance(told.expression, exp.Literal)
        or inner.args.get("joins")
    ):
        return False
    return all(isinstance(c, exp.Column) and c.name == test.this.name for c in (shown, told.this))


def _is_year(node: exp.Column, table: Table, column: Column) -> bool:
    """True if a key is held against a year, where the table has dates that the year may be of."""
    compared = node.parent
    if table.primary_key != (column.name,) or not isinstance(compared, _COMPARED):
        return False
    years = [n for n in compared.find_all(exp.Literal) if n.is_int and int(n.this) in _YEARS]
    return bool(years) and any(c.kind in DATED for c in table.columns)
