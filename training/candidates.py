"""Linkings, sketches and candidates of lessons, each by weights that never saw the lesson's database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fathom.offline.linking import Linker, Linking, LinkingWeights
from fathom.offline.queries.query import Query, Unrepresentable
from fathom.offline.sketches.delexical import features
from fathom.offline.sketches.shapes import ShapeModel
from training.abstraction import abstract
from training.lessons import FOLDS, Lesson, World, fold_of
from training.linker import Fitted
from training.sketch_model import fit_shapes


@dataclass(frozen=True)
class FittedShapes:
    """The model of all lessons, and for each fold the one learned without it."""

    full: ShapeModel
    without: tuple[ShapeModel, ...]


def link_lessons(lessons: Sequence[Lesson], worlds: Mapping[str, World], fitted: Fitted) -> list[Linking]:
    """The linkings of the lessons, out of fold."""
    linkers: dict[str, Linker] = {}
    found = []
    for lesson in lessons:
        if lesson.database not in linkers:
            weights = fitted.without[fold_of(lesson.database)]
            linkers[lesson.database] = linker_for(worlds[lesson.database], weights)
        found.append(linkers[lesson.database].link(lesson.question))
    return found


def linker_for(world: World, weights: LinkingWeights) -> Linker:
    """A linker for one database."""
    return Linker(world.schema, weights, profiles=world.profiles, index=world.index)


def fit_all_shapes(
    lessons: Sequence[Lesson], linkings: Sequence[Linking], worlds: Mapping[str, World]
) -> FittedShapes:
    """Learn the sketches of the lessons whose gold has one, on everything and without each fold."""
    rows, sketches, folds = [], [], []
    for lesson, linking in zip(lessons, linkings, strict=True):
        sketch = sketch_of(lesson, worlds[lesson.database])
        if sketch is not None:
            rows.append(features(linking))
            sketches.append(sketch)
            folds.append(fold_of(lesson.database))
    without = []
    for fold in range(FOLDS):
        kept = [i for i, f in enumerate(folds) if f != fold]
        # One network is enough where only the spread of the candidates matters.
        without.append(fit_shapes([rows[i] for i in kept], [sketches[i] for i in kept], seeds=(0,)))
    return FittedShapes(fit_shapes(rows, sketches), tuple(without))


def sketch_of(lesson: Lesson, world: World) -> Query | None:
    """The sketch of a lesson's gold query; None where it has none."""
    try:
        return abstract(lesson.query, world.planner)[0]
    except Unrepresentable:
        return None
