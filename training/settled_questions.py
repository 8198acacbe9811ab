"""Questions that rules settle, asked of the offline method: what speaks for the best guess; is it right?"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from bench.figures import DATA
from bench.offline import databases_of
from bench.questions import asking

from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack, load_packs
from fathom.offline.engine import RECALLED, OfflineEngine
from fathom.offline.examples.solved import Examples
from fathom.offline.opinions import settle_advised
from fathom.offline.settled import Settled
from fathom.offline.stated import evidence
from fathom.offline.verdict import SAME
from fathom.offline.weight_files import take_weights_from
from fathom.records import Draft
from training.lessons import FOLDS, fold_of

PUBLISHED: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "spider": (7, (0, 3)),
    "bird-train": (4, (0, 2)),
    "geoquery": (3, (0, 1)),
}
"""Which questions of published sets are asked, by the rest of their number: some 2,500 with our own."""
OWN = (
    *("plain", "everyday", "second_round", "first_questions", "reporting", "business", "analysis"),
    *("newcomers", "periods_and_shares", "unanswerable"),
)
SOLVED = "geoquery, solved"


@dataclass(frozen=True, slots=True)
class SettledQuestion:
    """A question whose best guess rules settled: what they let that stand for, what spoke for it and against
    it, and whether it is right. `group` is where the question is from."""

    group: str
    database: str
    standing: float
    right: bool
    told: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Labelled:
    group: str
    asked: BenchmarkQuestion
    comparison: str
    packs: tuple[Path, ...] = ()


def collected(unseen: Path) -> Iterator[SettledQuestion]:
    """Ask all of them: those about Spider's databases with weights that never saw them, out of a folder.

    Each part has a process of its own, since weights are kept once they are read.
    """
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for found in pool.map(_part, [*range(FOLDS), None], [unseen] * (FOLDS + 1)):
            yield from found


def _part(fold: int | None, unseen: Path) -> list[SettledQuestion]:
    """What becomes of the questions about Spider's databases of a fold, or about all others."""
    if fold is not None:
        take_weights_from(unseen / str(fold))
    with TemporaryDirectory() as folder:
        taught = {q.database_name for q in load_benchmark("spider", data=DATA)} - databases_of("report")

        def is_here(database: str) -> bool:
            return (fold_of(database) if database in taught else None) == fold

        by_database: dict[str, list[_Labelled]] = defaultdict(list)
        for one in (*_published(is_here), *_own(is_here, Path(folder))):
            by_database[one.asked.database].append(one)
        return [s for where, asked in by_database.items() for s in _ask(where, asked, Path(folder))]


def _published(is_here: Callable[[str], bool]) -> Iterator[_Labelled]:
    """The sample of the published questions about the databases that are asked here."""
    reported = databases_of("report")
    for name, (every, taken) in PUBLISHED.items():
        benchmark = load_benchmark(name, "train" if name == "geoquery" else None, data=DATA)
        here = [q for q in benchmark if q.database_name not in reported and is_here(q.database_name)]
        for one in (q for number, q in enumerate(here) if number % every in taken):
            packs = tuple(benchmark.packs(one.database_name))
            yield _Labelled(name, one, benchmark.comparison, packs)


def _own(is_here: Callable[[str], bool], folder: Path) -> Iterator[_Labelled]:
    """The questions of our own that may be read; those that nothing answers have no gold."""
    for name in OWN:
        file = Path(asking.__file__).with_name(f"{name}.yaml")
        cases: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        for database, case in cases.items():
            if case["split"] != "develop" or not is_here(database):
                continue
            where = str(asking.file_of(database, folder))
            for text, gold in (q for listed in case.values() for q in _with_gold(listed)):
                asked = BenchmarkQuestion(
                    text, text, where, gold, database_name=database, answerable=bool(gold)
                )
                yield _Labelled("own", asked, "sql_eval")


def _with_gold(listed: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The questions of a list in a file; nothing of what is no list there."""
    for one in listed if isinstance(listed, list) else ():
        yield (one, ()) if isinstance(one, str) else (one["question"], tuple(one["gold"]))


def _ask(where: str, asked: Iterable[_Labelled], cache: Path) -> Iterator[SettledQuestion]:
    """Ask the questions about one database."""
    asked = list(asked)
    with connect(where) as database:
        pack = load_packs(*asked[0].packs) if asked[0].packs else KnowledgePack()
        engine = OfflineEngine(database, pack, cache=cache).plain
        for one in asked:
            yield from _settled(engine, one, one.group)
        if asked[0].group == "geoquery":
            yield from _solved_before(engine, asked, cache)


def _solved_before(
    engine: OfflineEngine, asked: Iterable[_Labelled], cache: Path
) -> Iterator[SettledQuestion]:
    """Ask once more where another question is the same but for its values, with that as the one solved."""
    known = Examples(load_benchmark("geoquery", "train", data=DATA).examples(), engine.planner)
    for one in asked:
        recalled = known.recall(engine.link(one.asked.question), RECALLED)
        same = (r.example for r in recalled if r.similarity >= SAME and not r.kept)
        other = next((e for e in same if e.question != one.asked.text), None)
        if other is not None:
            taught = OfflineEngine(engine.database, engine.knowledge, (other,), cache=cache)
            yield from _settled(taught, one, SOLVED)


def _settled(engine: OfflineEngine, one: _Labelled, group: str) -> Iterator[SettledQuestion]:
    """What becomes of a question, where rules settle its best guess."""
    found = settle_advised(engine, engine.spelt_right(one.asked.question)[0])
    if found is None or not found.by_rule:
        return
    right = bool(one.asked.gold) and _is_right(found, one)
    yield SettledQuestion(group, one.asked.database_name, found.standing, right, evidence(engine, found))


def _is_right(found: Settled, one: _Labelled) -> bool:
    draft = replace(Draft(one.asked.question), sql=found.sql)
    marks = judge(Exam(one.asked, respond(draft), one.comparison, seconds=5.0))
    return marks.final.outcome.value == "correct"
