"""The checks that need a gold query, its question and its database; each gives its evidence or None."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from sqlglot import exp

from fathom.authoring.audit.asking_checks import check_asking
from fathom.authoring.audit.data_checks import check_data, reads_empty_table
from fathom.authoring.audit.evidence_checks import check_evidence
from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import take_apart
from fathom.authoring.audit.literal_checks import check_literals
from fathom.authoring.audit.query_checks import check_query
from fathom.authoring.audit.question_words import QuestionWords
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.databases.query_columns import items_of
from fathom.errors import QueryError
from fathom.evaluation.comparisons.order import read_ordering
from fathom.knowledge import KnowledgePack
from fathom.records import Limits, Result, Schema

_ROWS = 50_000
_NOTHING_KNOWN = KnowledgePack()
_ASKS_NAMES = re.compile(r"\b(names?|titles?|called)\b|(^|[.,;] )whom?\b", re.IGNORECASE)
_ASKS_IDS = re.compile(r"\b(ids?|identifiers?|numbers?|codes?|keys?|how many|count)\b", re.IGNORECASE)
_LOOKS_LIKE_NAME = re.compile(r"name|title|label|description", re.IGNORECASE)


def check_gold(
    question: BenchmarkQuestion,
    sql: str,
    database: Database,
    seconds: float,
    pack: KnowledgePack = _NOTHING_KNOWN,
) -> Iterator[Evidence]:
    """Everything suspicious about one gold query. The query runs twice; further queries are short.

    `pack` holds what is known of the database: its names and meanings count as said. A table without rows
    says nothing of the queries that read it: what they return isn't looked at.
    """
    limits = Limits(seconds=seconds, rows=_ROWS)
    try:
        first = database.run(sql, limits)
    except QueryError as error:
        yield "gold_fails", str(error), {"error_class": error.error_class.value}
        return
    parts = take_apart(sql, database.schema)
    if parts is not None:
        asked = QuestionWords(question, database.schema, pack)
        yield from check_query(parts, database.schema)
        yield from check_evidence(parts, asked)
        yield from check_literals(parts, asked)
        yield from check_asking(parts, asked)
        if reads_empty_table(parts, database, seconds):
            return
        yield from check_data(parts, question.text, first, database, seconds)
    if _is_empty(first):
        yield "gold_empty", "no row" if not first.rows else "one row of NULL only", {"rows": len(first.rows)}
    yield from _unstable(sql, first, database, limits)
    yield from _cut_rows(sql, database, limits)
    yield from _ids_for_names(question, sql, database)
    yield from _missing_values(sql, database, seconds)


def _is_empty(result: Result) -> bool:
    return not result.rows or (len(result.rows) == 1 and all(v is None for v in result.rows[0]))


def _unstable(sql: str, first: Result, database: Database, limits: Limits) -> Iterator[Evidence]:
    try:
        second = database.run(sql, limits)
    except QueryError as error:
        yield "gold_unstable", f"the second run failed: {error}", {}
        return
    if first.truncated or second.truncated:
        return
    was, now = _bag(first), _bag(second)
    if was != now:
        gone, new = (was - now).total(), (now - was).total()
        yield "gold_unstable", f"{gone} rows went and {new} came", {"gone": gone, "new": new}


def _bag(result: Result) -> Counter[str]:
    return Counter(map(repr, result.rows))


def _cut_rows(sql: str, database: Database, limits: Limits) -> Iterator[Evidence]:
    """Find rows cut arbitrarily: the row after the last one has the same keys, or there is no order."""
    ordering = read_ordering(sql, database.dialect)
    if ordering is None or not ordering.limit:
        return
    end = ordering.offset + ordering.limit
    try:
        with database.stream(ordering.uncut, Limits(limits.seconds, end + 1, None)) as stream:
            rows = [row for batch in stream for row in batch]
    except QueryError:
        return
    if len(rows) <= end:
        return
    if not ordering.keys:
        if len({repr(r) for r in rows}) > 1:
            told = f"LIMIT {ordering.limit} without ORDER BY, and there are more rows"
            yield "limit_unordered", told, {"limit": ordering.limit}
        return
    last, after = rows[end - 1], rows[end]
    keys = last[-ordering.keys :], after[-ordering.keys :]
    shown = last[: -ordering.keys], after[: -ordering.keys]
    if keys[0] == keys[1] and shown[0] != shown[1]:
        both = f"{_shown(shown[0])} and {_shown(shown[1])}"
        told = f"the last row given and the next one tie at {_shown(keys[0])}: {both}"
        yield "limit_ties", told, {"limit": ordering.limit}


def _shown(row: Sequence[object]) -> str:
    return ", ".join(str(v)[:60] for v in row)


def _ids_for_names(question: BenchmarkQuestion, sql: str, database: Database) -> Iterator[Evidence]:
    text = question.text
    if not _ASKS_NAMES.search(text) or _ASKS_IDS.search(text):
        return
    columns = _selected(sql, database.dialect)
    if not columns or any(_LOOKS_LIKE_NAME.search(c) for c in columns):
        return
    named = _keys_of_named(database.schema)
    if all(c.casefold() in named for c in columns):
        yield "ids_for_names", f"the query returns {', '.join(columns)}", {"columns": columns}


def _keys_of_named(schema: Schema) -> set[str]:
    """Keys that are no text, of tables that also hold a name: there, the name could have been returned."""
    found = set()
    for table in schema.tables:
        key = table.primary_key if len(table.primary_key) == 1 else ()
        has_name = any(c.kind == "text" and _LOOKS_LIKE_NAME.search(c.name) for c in table.columns)
        found |= {k.casefold() for k in key if has_name and table.column(k).kind != "text"}
    return found


def _selected(sql: str, dialect: str) -> list[str]:
    """Names of the columns that the query returns; empty where one isn't a plain column."""
    tree = parsed(sql, dialect)
    if not isinstance(tree, exp.Query):
        return []
    plain = [p.unalias() for p in tree.selects]
    return [p.name for p in plain] if all(isinstance(p, exp.Column) for p in plain) else []


def _missing_values(sql: str, database: Database, seconds: float) -> Iterator[Evidence]:
    """Equality with a text that the column doesn't hold; the evidence names the same text in other case."""
    for table, column, value in islice(_compared(sql, database), 8):
        name, held = database.identifier(table), database.identifier(table, column)
        text = exp.Literal.string(value).sql(dialect=database.dialect)
        try:
            found = database.run(
                f"SELECT 1 FROM {name} WHERE {held} = {text} LIMIT 1", Limits(seconds=seconds)
            )
            if found.rows:
                continue
            near = database.run(
                f"SELECT {held} FROM {name} WHERE LOWER(TRIM({held})) = LOWER(TRIM({text})) LIMIT 1",
                Limits(seconds=seconds),
            )
        except QueryError:
            continue
        like = f"; it holds {near.rows[0][0]!r}" if near.rows else ""
        yield (
            "value_not_found",
            f"{table}.{column} never holds {value!r}{like}",
            {"column": f"{table}.{column}"},
        )


def _compared(sql: str, database: Database) -> Iterator[tuple[str, str, str]]:
    """(table, column, text) of every `column = 'text'`, where only one table read has such a column."""
    tree = parsed(sql, database.dialect)
    if tree is None:
        return
    try:
        read = items_of(sql, database.schema).tables
    except QueryError:
        return
    schema = database.schema
    owners: dict[str, list[str]] = {}
    for table in (schema.table(t) for t in read):
        for column in table.columns:
            owners.setdefault(column.name.casefold(), []).append(table.name)
    for equal in tree.find_all(exp.EQ):
        left, right = equal.left, equal.right
        if isinstance(left, exp.Column) and isinstance(right, exp.Literal) and right.is_string:
            tables = owners.get(left.name.casefold(), [])
            if len(tables) == 1:
                yield tables[0], schema.table(tables[0]).column(left.name).name, right.name
