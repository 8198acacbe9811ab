"""Questions with what their gold queries use, and the databases they are about: what training reads."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.offline.linking import ColumnKey, Role
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Query, Unrepresentable
from fathom.offline.ranking.coverage import parts_of
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
    parts = parts_of(query)
    values = {(c, plain(v), o) for c, v, o in parts.values if c is not None and v is not None}
    return Uses(frozenset(parts.tables), frozenset(parts.columns), frozenset(values))


def plain(value: object) -> str:
    """A value as text to compare by: in lower case, numbers without a needless fraction."""
    text = str(value).strip().casefold()
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
