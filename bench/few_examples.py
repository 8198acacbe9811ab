"""Whether solved examples ever hurt: the same questions asked without any, and with 1, 3, 12 and 40 of them.

No example has the query of a question that is asked, except in GeoQuery's training split, whose questions are
drawn as they are. `develop` are the databases on which it was found out how far to heed examples. Of each
database's questions every fourth is asked, of our own every eighth, all by `--whole`.
"""

import asyncio
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.evidence import shows
from bench.figures import DATA, Figure, thinned, wanted
from bench.offline import databases_of
from bench.questions.asking import asked_alone, file_of
from fathom.answering import prepare
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.records import Question, SolvedExample

TITLE = "Few solved examples to the offline method"
COUNTS = (0, 1, 3, 12, 40)
MOST = int(os.environ.get("FATHOM_BENCH_SAMPLE", "24"))
"""Questions asked of each database."""
WITHIN = 1 / 48
"""How many fewer right answers may be chance."""
_QUESTIONS = Path(__file__).parent / "questions"
_LEAST = 24


@dataclass(frozen=True)
class Lesson:
    """The questions to ask of one database, those that may be solved examples, and how rows are compared."""

    split: str
    name: str
    asked: Sequence[BenchmarkQuestion]
    solved: Sequence[BenchmarkQuestion]
    comparison: str


@dataclass(frozen=True)
class _Fate:
    right: bool
    declined: bool


def measure() -> Iterator[Figure]:
    sets = {"spider": (spider_lessons, 4), "own": (own_lessons, 8), "geoquery": (_geoquery, 4)}
    with TemporaryDirectory() as folder:
        for name, (lessons, share) in sets.items():
            if wanted(name):
                asked = [replace(one, asked=thinned(one.asked, share)) for one in lessons(Path(folder))]
                yield from _told(name, asked, Path(folder))
        if wanted("biomed"):
            yield from _sample(Path(folder))


def _told(name: str, lessons: Sequence[Lesson], folder: Path) -> Iterator[Figure]:
    """Per part, and number of examples: right answers beside those without examples to the same questions."""
    fates: dict[tuple[str, int], list[_Fate]] = defaultdict(list)
    before: dict[tuple[str, int], list[_Fate]] = defaultdict(list)
    for lesson in lessons:
        without: list[_Fate] = []
        for count in COUNTS:
            if count > len(lesson.solved):
                continue
            found = _asked(lesson, count, folder)
            without = found if count == 0 else without
            fates[lesson.split, count] += found
            before[lesson.split, count] += without
    for (split, count), found in sorted(fates.items()):
        if count:
            yield _beside(f"{name}, {split}: {count} examples", count, found, before[split, count])


def _beside(what: str, count: int, found: Sequence[_Fate], before: Sequence[_Fate]) -> Figure:
    right, was = (sum(f.right and not f.declined for f in fates) for fates in (found, before))
    met = right > was if count == COUNTS[-1] else right >= was - WITHIN * len(found)
    guesses, guessed = (sum(f.right for f in fates) for fates in (found, before))
    answered = sum(not f.declined for f in found)
    note = (
        f"{len(found)} questions; {right} of {answered} answers right, without examples {was} of "
        f"{sum(not f.declined for f in before)}; right best guesses {guesses}, without {guessed}"
    )
    return Figure(
        what, f"{right} for {was} right answers", "more" if count == COUNTS[-1] else "no fewer", met, note
    )


def _asked(lesson: Lesson, count: int, folder: Path) -> list[_Fate]:
    examples = tuple(SolvedExample(q.text, q.gold[0]) for q in lesson.solved[:count])
    found = []
    with connect(lesson.asked[0].database) as database:
        context = Context(database, KnowledgePack(), examples, cache=folder / "cache")
        for item in lesson.asked:
            draft = asyncio.run(run_method(find_method("offline"), item.question, context))
            response = respond(draft)
            outcome = judge(Exam(item, response, lesson.comparison, seconds=5.0)).final.outcome
            found.append(_Fate(outcome.value == "correct", response.declined))
    return found


def number(text: str) -> str:
    """What to draw by: the same in every run."""
    return hashlib.sha256(text.encode()).hexdigest()


def spider_lessons(_: Path) -> Iterator[Lesson]:
    """The databases that the weights never saw; every second one to develop on."""
    benchmark = load_benchmark("spider", data=DATA)
    by_database: dict[str, list[BenchmarkQuestion]] = defaultdict(list)
    report = sorted(databases_of("report"))
    for item in benchmark:
        by_database[item.database_name].append(item)
    for place, name in enumerate(report):
        items = by_database[name]
        golds = sorted({q.gold[0] for q in items}, key=number)
        known = set(golds[: len(golds) // 2])
        solved = sorted((q for q in items if q.gold[0] in known), key=lambda q: number(q.text))
        asked = sorted((q for q in items if q.gold[0] not in known), key=lambda q: number(q.text))
        split = "measure" if place % 2 else "develop"
        yield Lesson(split, name, asked[:MOST], solved, benchmark.comparison)


def _geoquery(_: Path) -> Iterator[Lesson]:
    benchmark = load_benchmark("geoquery", "train", data=DATA)
    items = sorted(benchmark, key=lambda q: number(q.text))
    yield Lesson("develop", "geography", items[100 : 100 + 4 * MOST], items[:100], benchmark.comparison)
    dev = load_benchmark("geoquery", "dev", data=DATA)
    yield Lesson("measure", "geography", list(dev), items[:100], benchmark.comparison)


def own_lessons(folder: Path) -> Iterator[Lesson]:
    """Questions of our own, of all files together, each half once as what is solved for the other."""
    cases: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for file in sorted(_QUESTIONS.glob("*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        for name, case in content.items() if isinstance(content, dict) else ():
            if isinstance(case, dict) and "split" in case:
                for listed in case.values():
                    cases[name, case["split"]].update(asked_alone(listed))
    for (name, split), questions in sorted(cases.items()):
        if len(questions) >= _LEAST:
            path = str(file_of(name, folder))
            items = [
                BenchmarkQuestion(text, text, path, tuple(questions[text]["gold"]), database_name=name)
                for text in sorted(questions, key=number)
            ]
            half = len(items) // 2
            yield Lesson(split, name, items[:half], items[half:], "sql_eval")
            yield Lesson(split, name, items[half:], items[:half], "sql_eval")


def _sample(folder: Path) -> Iterator[Figure]:
    """Our own questions to the sample knowledge base, with its pack and with that without its examples."""
    cases = yaml.safe_load((_QUESTIONS / "biomed.yaml").read_text(encoding="utf-8"))
    for split in ("develop", "measure"):
        told: list[list[_Fate]] = []
        for with_examples in (False, True):
            with connect("demo:biomed") as database:
                context = prepare(database).context
                pack = context.knowledge
                knowledge = pack if with_examples else pack.model_copy(update={"examples": ()})
                known = replace(context, knowledge=knowledge, cache=folder / "cache")
                own = [c for c in cases if c["split"] == split and c["sql"]]
                told.append([_fate(c, known) for c in own])
        without, found = told
        yield replace(
            _beside(f"sample knowledge base, {split}: the pack's examples", COUNTS[-1], found, without),
            mark="no fewer",
            ok=_right(found) >= _right(without) - 1,
        )


def _right(fates: Sequence[_Fate]) -> int:
    return sum(f.right and not f.declined for f in fates)


def _fate(case: Mapping[str, Any], context: Context) -> _Fate:
    draft = asyncio.run(run_method(find_method("offline"), Question(case["question"]), context))
    gold = context.database.run(case["sql"]).rows
    return _Fate(shows(draft.sql, gold, context), draft.refusal is not None)
