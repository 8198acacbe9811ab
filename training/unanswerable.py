"""Questions that a database can't answer, made from those that one can: what confidence learns to refuse."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources

from fathom.offline.linking import ColumnKey
from fathom.offline.linking.columns import key_columns, referenced_columns
from fathom.offline.queries.joins import JoinPlanner
from fathom.records import Question, Schema
from training.lessons import Lesson, World, fold_of


def unanswerable(
    lessons: Sequence[Lesson], worlds: Mapping[str, World], *, misplaced: int, bereft: int, seed: int = 0
) -> Iterator[tuple[Question, str, World]]:
    """Questions with a database that can't answer them, as (question, database's name, world).

    `misplaced` questions are asked of another database of the same fold, `bereft` ones of their own without
    a column that their query shows or compares, and every question of general knowledge of some database.
    """
    chance = random.Random(seed)
    names = sorted(worlds)
    for lesson in chance.sample(list(lessons), min(misplaced, len(lessons))):
        others = [n for n in names if n != lesson.database and fold_of(n) == fold_of(lesson.database)]
        if others:
            other = chance.choice(others)
            yield lesson.question, other, worlds[other]
    for lesson in chance.sample(list(lessons), min(bereft, len(lessons))):
        world = worlds[lesson.database]
        if removable := sorted(_removable(lesson, world.schema)):
            yield lesson.question, lesson.database, _without(world, chance.choice(removable))
    for text in general_questions():
        name = chance.choice(names)
        yield Question(text), name, worlds[name]


def general_questions() -> tuple[str, ...]:
    """Questions of general knowledge, opinion, advice and prediction, of our own writing."""
    file = resources.files(__package__) / "general_questions.txt"
    return tuple(file.read_text(encoding="utf-8").splitlines())


def _removable(lesson: Lesson, schema: Schema) -> set[ColumnKey]:
    keys = key_columns(schema) | referenced_columns(schema)
    used = {c for c, role in lesson.uses.columns if role in {"select", "where", "aggregate"}}
    named_alike = {
        c.name.casefold() for c in (c for t in schema.tables for c in t.columns)
        if sum(c.name.casefold() == d.name.casefold() for t in schema.tables for d in t.columns) > 1
    }  # fmt: skip
    return {c for c in used - keys if c.column.casefold() not in named_alike}


def _without(world: World, column: ColumnKey) -> World:
    tables = tuple(
        replace(t, columns=tuple(c for c in t.columns if c.name != column.column))
        if t.name == column.table
        else t
        for t in world.schema.tables
    )
    schema = replace(world.schema, tables=tables)
    return replace(world, schema=schema, planner=JoinPlanner(schema))
