"""What teaching is worth: somebody asks one question after the other, and teaches the query where the answer
is wrong or missing; then other questions are asked, without any lesson and with 10, 40 and 100.

The databases are those of the halves called `develop`: questions of our own, every second one of Spider's
databases that no weights saw, and GeoQuery's training split. A third of a database's questions, at most 40,
are only ever asked, drawn by a number made of their words; the others come to be taught. No lesson is tried
before it is kept, as `fathom teach` does, so that what they do by themselves is seen. Of the databases with
questions of our own, and of Spider's, every fourth is taught, all by `--whole`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.few_examples import Lesson, number, own_lessons, spider_lessons
from bench.figures import DATA, Figure, thinned, wanted
from fathom.answering import Asking, answer
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack
from fathom.knowledge.lessons import solved
from fathom.methods import Context, find_method
from fathom.records import Ending

TITLE = "What teaching is worth"
LESSONS = (0, 10, 40, 100)
MOST = 40
"""Questions of one database that are only asked, at each number of lessons; a third of them where there are
fewer than three times as many."""


@dataclass(frozen=True)
class Course:
    """The questions of one database: those that somebody asks and corrects, and those only asked."""

    taught: Sequence[BenchmarkQuestion]
    asked: Sequence[BenchmarkQuestion]
    comparison: str


@dataclass(frozen=True)
class Fate:
    """What became of one question."""

    right: bool
    answered: bool


@dataclass(frozen=True)
class Standing:
    """The questions of one database with so many lessons: those only asked, and those that were taught."""

    asked: Sequence[Fate]
    repeated: Sequence[Fate]


def measure() -> Iterator[Figure]:
    """Per set and number of lessons: right answers beside those of the same questions with fewer lessons."""
    with TemporaryDirectory() as folder:
        sets = {"own": _own, "spider": _spider, "geoquery": _geoquery}
        for name, courses in sets.items():
            if wanted(name):
                found = [_learnt(course, Path(folder)) for course in courses(Path(folder))]
                yield from _told(name, found)


def _told(name: str, found: Sequence[dict[int, Standing]]) -> Iterator[Figure]:
    for before, count in pairwise(LESSONS):
        have = [standings for standings in found if count in standings]
        if not have:
            continue
        without, fewer, now = ([f for s in have for f in s[n].asked] for n in (0, before, count))
        note = (
            f"{len(have)} databases, {len(now)} questions that nobody taught; "
            f"{_wrong(now)} wrong answers, without lessons {_wrong(without)}"
        )
        yield Figure(
            f"{name}: right answers with {count} lessons each",
            f"{_right(now)}, with {before} {_right(fewer)}, without {_right(without)}",
            "no fewer",
            _right(now) >= max(_right(fewer), _right(without)),
            note,
        )
        again = [f for s in have for f in s[count].repeated]
        yield Figure(
            f"{name}: right of the {count} taught questions, asked again",
            f"{_right(again)}/{len(again)}",
            "all",
            _right(again) == len(again),
        )


def _right(fates: Sequence[Fate]) -> int:
    return sum(f.right for f in fates)


def _wrong(fates: Sequence[Fate]) -> int:
    return sum(f.answered and not f.right for f in fates)


def _learnt(course: Course, folder: Path) -> dict[int, Standing]:
    """How the questions of a database stand at each number of lessons, as far as there is something to teach.

    Somebody asks in turn, and teaches what isn't answered rightly.
    """
    found: dict[int, Standing] = {}
    with connect(course.asked[0].database) as database:
        bare = Asking(database, find_method("offline"), Context(database, cache=folder / "cache"))
        lessons: list[BenchmarkQuestion] = []
        coming = iter(course.taught)
        for count in LESSONS:
            asking = _knowing(bare, lessons[:count])
            if len(lessons) < count:
                break
            asked = [_fate(item, asking, course.comparison) for item in course.asked]
            repeated = [_fate(item, asking, course.comparison) for item in lessons]
            found[count] = Standing(asked, repeated)
            wanted_next = next((n for n in LESSONS if n > count), count)
            for item in coming:
                if not _fate(item, asking, course.comparison).right:
                    lessons.append(item)
                if len(lessons) == wanted_next:
                    break
    return found


def _knowing(bare: Asking, taught: Sequence[BenchmarkQuestion]) -> Asking:
    pack = KnowledgePack().merge(*(solved(q.text, q.gold[0]).pack for q in taught))
    return replace(bare, context=replace(bare.context, knowledge=pack))


def _fate(item: BenchmarkQuestion, asking: Asking, comparison: str) -> Fate:
    given = asyncio.run(answer(item.question, asking))
    if given.ending is not Ending.SURE:
        return Fate(right=False, answered=False)
    marks = judge(Exam(item, respond(given), comparison, seconds=5.0))
    return Fate(marks.final.outcome.value == "correct", answered=True)


def _drawn(items: Sequence[BenchmarkQuestion], comparison: str, most: int = MOST) -> Course:
    """The questions of a database in two parts: those that are taught from, and those that are only asked."""
    ordered = sorted(items, key=lambda q: number(q.text))
    asked = min(len(ordered) // 3, most)
    return Course(ordered[asked:], ordered[:asked], comparison)


def _own(folder: Path) -> Iterator[Course]:
    by_database: dict[str, list[Lesson]] = defaultdict(list)
    for lesson in own_lessons(folder):
        by_database[lesson.name].append(lesson)
    develop = [own for _, (own, *_) in sorted(by_database.items()) if own.split == "develop"]
    for lesson in thinned(develop, 4):
        yield _drawn([*lesson.asked, *lesson.solved], lesson.comparison)


def _spider(folder: Path) -> Iterator[Course]:
    items = load_benchmark("spider", data=DATA)
    develop = {lesson.name for lesson in spider_lessons(folder) if lesson.split == "develop"}
    by_database: dict[str, list[BenchmarkQuestion]] = defaultdict(list)
    for item in items:
        if item.database_name in develop:
            by_database[item.database_name].append(item)
    for _, own in thinned(sorted(by_database.items()), 4):
        yield _drawn(own, items.comparison)


def _geoquery(_: Path) -> Iterator[Course]:
    benchmark = load_benchmark("geoquery", "train", data=DATA)
    yield _drawn(list(benchmark), benchmark.comparison, 2 * MOST)
