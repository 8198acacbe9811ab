"""How often an unsure answer shows the right reading, and how often one is shown of what can't be answered.

Of answerable questions that are declined: Spider's databases never seen, GeoQuery dev, sql_eval and questions
of our own, together and apart. `develop` are those of our own that may be read. Of Spider's every sixth is
asked, of our own every fourth, all by `--whole`.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.figures import DATA, Figure, thinned, wanted
from bench.offline import databases_of, rate
from bench.questions.asking import asked_alone, file_of
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import Database, connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context, find_method, run_method

TITLE = "Readings shown by the offline method where it isn't sure"
RIGHT_SHOWN, SHOWN_FOR_NOTHING = 0.6, 0.1
_QUESTIONS = Path(__file__).parent / "questions"
_SETS: Mapping[str, tuple[str, str | None, str]] = {
    "Spider, databases never seen": ("spider", None, "report"),
    "GeoQuery dev": ("geoquery", "dev", ""),
    "sql_eval": ("sql-eval", None, ""),
}


@dataclass(frozen=True)
class _Fate:
    declined: bool
    shows: bool
    shows_right: bool


def measure() -> Iterator[Figure]:
    answerable: list[_Fate] = []
    with TemporaryDirectory() as cache:
        for what, (name, split, databases) in _SETS.items():
            if wanted(name):
                found = _of_benchmark(name, split, databases, Path(cache))
                answerable += found
                yield _right(what, found)
        for split in ("develop", "measure"):
            if wanted("own"):
                found = list(_own(split, answerable=True, folder=Path(cache)))
                answerable += found
                yield _right(f"our own, {split}", found)
        if len(answerable) and wanted("own"):
            yield _right("all of these", answerable, RIGHT_SHOWN)
        if wanted("unanswerable"):
            nothing = _of_benchmark("sql-eval-idk", None, "", Path(cache))
            yield _shown("sql_eval, unanswerable", nothing)
            for split in ("develop", "measure"):
                found = list(_own(split, answerable=False, folder=Path(cache)))
                nothing += found
                yield _shown(f"our own, {split}, unanswerable", found)
            yield _shown("all unanswerable", nothing, SHOWN_FOR_NOTHING)


def _right(what: str, fates: Sequence[_Fate], mark: float | None = None) -> Figure:
    declined = [f for f in fates if f.declined]
    shown = sum(f.shows for f in declined)
    note = f"{len(declined)} of {len(fates)} declined, {shown} with readings"
    right = sum(f.shows_right for f in declined)
    return rate(f"{what}: declined, right one among those shown", right, len(declined), mark, note)


def _shown(what: str, fates: Sequence[_Fate], mark: float | None = None) -> Figure:
    shown, answered = sum(f.shows for f in fates), sum(not f.declined for f in fates)
    share = rate(f"{what}: shows a reading", shown, len(fates), note=f"{answered} answered")
    met = None if mark is None else shown <= mark * len(fates)
    return Figure(share.what, share.value, "" if mark is None else f"<= {mark:.0%}", met, share.note)


def _of_benchmark(name: str, split: str | None, databases: str, cache: Path) -> list[_Fate]:
    benchmark = load_benchmark(name, split, data=DATA)
    known = databases_of(databases) if databases else None
    found = [i for i in benchmark if known is None or i.database_name in known]
    items = found if known is None else thinned(found, 6)

    def packs(database: str) -> KnowledgePack:
        found = benchmark.packs(database)
        return load_packs(*found) if found else KnowledgePack()

    return list(_asked(items, benchmark.comparison, packs, cache))


def _own(split: str, *, answerable: bool, folder: Path) -> Iterator[_Fate]:
    """Our own questions: those with gold, or those without, which nothing answers."""
    for file in sorted(_QUESTIONS.glob("*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        for name, case in content.items() if isinstance(content, dict) else ():
            if isinstance(case, dict) and case.get("split") == split:
                asked = questions_of(name, case, folder)
                items = [i for i in asked if i.answerable == answerable]
                yield from _asked(
                    thinned(items, 4) if answerable else items, "sql_eval", lambda _: KnowledgePack(), folder
                )


def questions_of(name: str, case: Mapping[str, Any], folder: Path) -> Iterator[BenchmarkQuestion]:
    """A database's questions in all lists of a file: those without gold are texts alone."""
    file = str(file_of(name, folder))
    for listed in (kind for kind in case.values() if isinstance(kind, list)):
        asked = {text: tuple(one["gold"]) for text, one in asked_alone(listed)}
        for text, gold in (asked | {text: () for text in listed if isinstance(text, str)}).items():
            yield BenchmarkQuestion(text, text, file, gold, database_name=name, answerable=bool(gold))


def _asked(items: Iterable[BenchmarkQuestion], comparison: str, packs: Any, cache: Path) -> Iterator[_Fate]:
    opened: dict[str, Database] = {}
    contexts: dict[str, Context] = {}
    for item in items:
        if item.database not in contexts:
            opened[item.database] = connect(item.database)
            contexts[item.database] = Context(opened[item.database], packs(item.database_name), cache=cache)
        draft = asyncio.run(run_method(find_method("offline"), item.question, contexts[item.database]))
        response = respond(draft)
        right = False
        if response.declined and response.shown and item.answerable:
            marks = judge(Exam(item, response, comparison, seconds=5.0))
            right = any(s.outcome.value == "correct" for s in marks.shown)
        yield _Fate(response.declined, bool(response.shown), right)
    for database in opened.values():
        database.close()
