"""What the judges learn from: graded candidates of lessons, with and without solved questions.

Questions that can't be answered are among them. Each is made by weights that never saw its database.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from fathom.offline.examples.solved import Examples
from fathom.offline.linking import Linker, Linking
from fathom.offline.proposals.candidates import propose
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Unrepresentable
from fathom.offline.queries.to_sql import render
from fathom.offline.ranking.choice import RankingWeights
from fathom.offline.ranking.ranker import RankedCandidate
from fathom.offline.sketches.shapes import ShapeModel
from fathom.records import SolvedExample
from training.attention_model import fit_attention
from training.candidates import FittedShapes, linker_for
from training.lessons import FOLDS, Lesson, World, fold_of
from training.linker import Fitted
from training.pools import GradedPool, Runner, grade
from training.ranker import (
    Case,
    featurise_out_of_fold,
    fit_judge,
    learn_translations,
    rank,
)
from training.unanswerable import unanswerable

MOST_OF_ONE = 60
"""Lessons of one database that are graded: databases with many questions shouldn't rule the ranking."""
MISPLACED, BEREFT = 220, 160
ACCURACY = 0.91
"""What share of the answers above the threshold should be right: a point more than the nine in ten that are
promised, since out of fold isn't quite unseen. Every choice made here was made looking at it."""


@dataclass(frozen=True)
class FittedRanking:
    """The weights learned from all lessons, and for each fold those learned without it."""

    full: RankingWeights
    without: tuple[RankingWeights, ...]


def fit_ranking(
    lessons: Sequence[Lesson],
    linkings: Sequence[Linking],
    worlds: Mapping[str, World],
    *,
    linking: Fitted,
    shapes: FittedShapes,
    files: Mapping[str, Path],
    processes: int = 1,
) -> FittedRanking:
    """Learn to rank candidates and to be sure of the best; the cases are made by so many processes."""
    planners = {d: w.planner for d, w in worlds.items()}
    maker = _Maker(lessons, linkings, worlds, shapes, files)
    # Forked, so that databases and models are shared and not sent.
    with ProcessPoolExecutor(
        processes, get_context("fork"), initializer=_Maker.share, initargs=(maker,)
    ) as pool:
        made = list(pool.map(_Maker.shared, spread(lessons), chunksize=50))
    cases, recalled = [a for a, _ in made], [b for _, b in made]
    refused = list(_refused(lessons, worlds, linking, shapes, {d: Runner(f) for d, f in files.items()}))
    known = [(k, x.query, x.database) for x, k in zip(lessons, linkings, strict=True)]
    ranked = []
    for answered in (cases, recalled):
        usable = [c for c in (*answered, *refused) if c.pool.entries]
        usable.sort(key=lambda c: fold_of(c.pool.database))
        pools = featurise_out_of_fold(usable, known, planners)
        ranked.append(rank(usable, pools, [not c.pool.gold for c in usable]))
    examples = [r.examples() for r in ranked]
    attention = fit_attention(examples, processes=processes)
    judges = [
        fit_judge(r, [attention.correct(e) for e in part], accuracy=ACCURACY)
        for r, part in zip(ranked, examples, strict=True)
    ]
    without = tuple(
        RankingWeights(
            *learn_translations((k, q) for k, q, database in known if fold_of(database) != fold),
            attention.without[fold],
            *(j.without[fold] for j in judges),
        )
        for fold in range(FOLDS)
    )
    translations = learn_translations((k, q) for k, q, _ in known)
    return FittedRanking(RankingWeights(*translations, attention.full, *(j.full for j in judges)), without)


_shared: list["_Maker"] = []


class _Maker:
    """Makes the cases of lessons, without and with solved questions, in one of several processes."""

    def __init__(
        self,
        lessons: Sequence[Lesson],
        linkings: Sequence[Linking],
        worlds: Mapping[str, World],
        shapes: FittedShapes,
        files: Mapping[str, Path],
    ) -> None:
        self._lessons, self._linkings, self._worlds, self._shapes = lessons, linkings, worlds, shapes
        self._files = files

    def share(self) -> None:
        """Make this the maker of this process, with connections of its own."""
        self._runners = {d: Runner(f) for d, f in self._files.items()}
        _shared.append(self)

    @staticmethod
    def shared(place: int) -> tuple[Case, Case]:
        """The cases of a lesson by the maker of this process."""
        return _shared[-1].make(place)

    def make(self, place: int) -> tuple[Case, Case]:
        """The cases of a lesson by its place."""
        lesson, linking = self._lessons[place], self._linkings[place]
        case = _case(lesson, linking, self._worlds, self._shapes, self._runners)
        recalling = _recalling(
            lesson,
            linking,
            case,
            lessons=self._lessons,
            planner=self._worlds[lesson.database].planner,
            runner=self._runners[lesson.database],
        )
        return case, recalling


def spread(lessons: Sequence[Lesson]) -> list[int]:
    """The places of lessons to grade: at most so many of one database, picked the same in every run."""
    order = list(range(len(lessons)))
    random.Random(0).shuffle(order)
    seen: Counter[str] = Counter()
    kept = []
    for place in order:
        seen[lessons[place].database] += 1
        if seen[lessons[place].database] <= MOST_OF_ONE:
            kept.append(place)
    return sorted(kept)


def _case(
    lesson: Lesson,
    linking: Linking,
    worlds: Mapping[str, World],
    shapes: FittedShapes,
    runners: Mapping[str, Runner],
) -> Case:
    world, model = worlds[lesson.database], shapes.without[fold_of(lesson.database)]
    proposals = propose(linking, world.schema, world.planner, model)
    entries, grades = grade(
        _written(map(_entry, proposals), world.planner), lesson.sql, runners[lesson.database]
    )
    return Case(
        linking, GradedPool(lesson.database, lesson.question.text, lesson.sql, tuple(entries), tuple(grades))
    )


def _entry(p: Proposal) -> RankedCandidate:
    return RankedCandidate(p.query, p.score, p.sketch_score, p.filling_score, p.plan_rank, p.sketch_rank)


def _written(
    entries: Iterable[RankedCandidate], planner: JoinPlanner
) -> Iterator[tuple[RankedCandidate, str]]:
    for entry in entries:
        try:
            yield entry, render(entry.query, planner)
        except Unrepresentable:
            continue


def _recalling(
    lesson: Lesson,
    linking: Linking,
    case: Case,
    *,
    lessons: Sequence[Lesson],
    planner: JoinPlanner,
    runner: Runner,
) -> Case:
    """The case as it is where other questions of the database were solved before: some, not all."""
    chance = random.Random(lesson.question.text)
    solved = [
        SolvedExample(other.question.text, other.sql)
        for other in lessons
        if other.database == lesson.database
        and other.question.text != lesson.question.text
        and chance.random() < (0.24 if other.sql == lesson.sql else 0.8)
    ]
    recalled = [
        RankedCandidate(r.query, 0.0, from_example=True, similarity=r.similarity, kept=r.kept)
        for r in Examples(solved, planner).recall(linking)
    ]
    entries, grades = grade(_written(recalled, planner), lesson.sql, runner)
    made = {e.query: e for e in case.pool.entries}
    merged = [
        replace(made[e.query], from_example=True, similarity=e.similarity, kept=e.kept)
        if e.query in made
        else e
        for e in entries
    ]
    also = {e.query for e in entries}
    rest = [(e, g) for e, g in zip(case.pool.entries, case.pool.grades, strict=True) if e.query not in also]
    pool = replace(
        case.pool,
        entries=(*merged, *(e for e, _ in rest)),
        grades=(*grades, *(g for _, g in rest)),
    )
    return replace(case, pool=pool)


def _refused(
    lessons: Sequence[Lesson],
    worlds: Mapping[str, World],
    linking: Fitted,
    shapes: FittedShapes,
    runners: Mapping[str, Runner],
) -> Iterator[Case]:
    """Cases that no query answers."""
    linkers: dict[str, Linker] = {}
    for question, database, world in unanswerable(lessons, worlds, misplaced=MISPLACED, bereft=BEREFT):
        if world is not worlds[database]:
            linker = linker_for(world, linking.without[fold_of(database)])
        else:
            linker = linkers.setdefault(database, linker_for(world, linking.without[fold_of(database)]))
        linked = linker.link(question)
        model: ShapeModel = shapes.without[fold_of(database)]
        proposals = propose(linked, world.schema, world.planner, model)
        written = _written(map(_entry, proposals), world.planner)
        entries, _ = grade(written, "SELECT 1", runners[database])
        pool = GradedPool(database, question.text, "", tuple(entries), (0,) * len(entries))
        yield Case(linked, pool, world.planner if world is not worlds[database] else None)
