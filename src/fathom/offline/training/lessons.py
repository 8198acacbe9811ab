"""Questions with what their gold queries use, and the databases they are about: what training reads."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import ColumnKey, Role
from fathom.offline.parsing import parse
from fathom.offline.query import (
    Aggregate,
    Column,
    Comparison,
    Expression,
    Items,
    Literal,
    Query,
    Unrepresentable,
    all_queries,
    comparisons,
    mentioned_tables,
    walk,
)
from fathom.records import Question, Schema, TableProfile
from fathom.retrieval import ValueIndex

FOLDS = 4


@dataclass(frozen=True)
class World:
    """One database as training needs it."""

    schema: Schema
    profiles: Mapping[str, TableProfile]
    index: ValueIndex
    planner: JoinPlanner


@dataclass(frozen=True)
class Uses:
    """What a query uses: tables, columns by role, and (column, value as lower-case text, operator)."""

    tables: frozenset[str]
    columns: frozenset[tuple[ColumnKey, Role]]
    values: frozenset[tuple[ColumnKey, str, str]]


@dataclass(frozen=True)
class Lesson:
    """A question, its gold query, and what the query uses."""

    question: Question
    database: str
    sql: str
    query: Query
    uses: Uses


def open_world(file: Path) -> World:
    """Open a SQLite database for training."""
    database = connect(file)
    profiles = database.profile()
    index = ValueIndex.open_or_build(database, None)
    return World(database.schema, profiles, index, JoinPlanner(database.schema))


def read_lessons(questions: Iterable[BenchmarkQuestion], worlds: Mapping[str, World]) -> tuple[Lesson, ...]:
    """The questions about these databases, without those whose gold can't be represented."""
    lessons = []
    for item in questions:
        if (world := worlds.get(item.database_name)) is None:
            continue
        try:
            query = parse(item.gold[0], world.planner)
        except Unrepresentable:
            continue
        lessons.append(Lesson(item.question, item.database_name, item.gold[0], query, uses(query)))
    return tuple(lessons)


def fold_of(database: str) -> int:
    """Which fold a database belongs to: the same in every run."""
    return hashlib.sha256(database.encode()).digest()[0] % FOLDS


def uses(query: Query) -> Uses:
    """What a query uses."""
    tables: set[str] = set()
    columns: set[tuple[ColumnKey, Role]] = set()
    values: set[tuple[ColumnKey, str, str]] = set()
    for part in all_queries(query):
        tables |= {t.name for t in mentioned_tables(part)}
        columns |= set(_roles(part.select, "select"))
        columns |= set(_roles(part.group, "group"))
        columns |= set(_roles((o.key for o in part.order), "order"))
        for condition in (part.where, part.having):
            for comparison in comparisons(condition):
                sides = [s for s in (comparison.left, comparison.right) if s is not None]
                columns |= set(_roles(sides, "where"))
                values |= set(_values(comparison))
    return Uses(frozenset(tables), frozenset(columns), frozenset(values))


def _roles(expressions: Iterable[Expression], role: Role) -> Iterable[tuple[ColumnKey, Role]]:
    for expression in expressions:
        aggregated: set[Column] = set()
        for part in walk(expression):
            if isinstance(part, Aggregate):
                aggregated |= {c for c in walk(part.argument) if isinstance(c, Column)}
            elif isinstance(part, Column):
                key = ColumnKey(part.table.name, part.name)
                yield key, ("aggregate" if part in aggregated else role)


def _values(comparison: Comparison) -> Iterable[tuple[ColumnKey, str, str]]:
    column, right = comparison.left, comparison.right
    if not isinstance(column, Column):
        return
    for item in right.items if isinstance(right, Items) else (right,):
        if isinstance(item, Literal) and item.value is not None:
            yield ColumnKey(column.table.name, column.name), plain(item.value), comparison.operator


def plain(value: object) -> str:
    """A value as text to compare by: in lower case, numbers without a needless fraction."""
    text = str(value).strip().casefold()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
