"""Questions whose conventions only solved ones tell: three databases, with 20 of their questions solved.

Who is "good", what "where is" shows, which rows don't count: nothing in the databases says it. The authors'
questions were written before any was asked. Of each database 20 questions are solved, as somebody does who
knows what people ask: one of each kind, drawn by a number made of its words, the commonest kinds first. The
others are asked, also those of kinds that nobody solved. `--only read` or `--only measure` asks one half;
`FATHOM_BENCH_SHOW` lists what isn't right.
"""

import asyncio
import gzip
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from bench.few_examples import number
from bench.figures import Figure, thinned, wanted
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.records import SolvedExample

TITLE = "Conventions that only solved questions tell"
HERE = Path(__file__).parent / "questions" / "conventions"
SOLVED = 20
GUESSED, ANSWERED, RIGHT = 0.75, 0.55, 0.92
"""The marks: best guesses that are right, questions that are answered, and answers that are right."""


@dataclass(frozen=True)
class Fate:
    """What became of a question: the best guess, and whether it was answered."""

    right: bool
    answered: bool


def measure() -> Iterator[Figure]:
    """Right guesses, answers, and right answers, of each half."""
    for split in ("read", "measure"):
        if wanted(split):
            with TemporaryDirectory() as folder:
                yield from _figures(split, [f for name in _names(split) for f in asked(name, Path(folder))])


def _names(split: str) -> list[str]:
    files = sorted(HERE.glob("*.yaml"))
    return [f.stem for f in files if yaml.safe_load(f.read_text(encoding="utf-8"))["split"] == split]


def questions(name: str, folder: Path) -> list[BenchmarkQuestion]:
    """The questions to one database, with their gold, one of each kind ahead, the commonest kinds first.

    The database is made in `folder`.
    """
    file = folder / f"{name}.sqlite"
    if not file.exists():
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(gzip.decompress((HERE / f"{name}.sql.gz").read_bytes()).decode())
    kinds = yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))["kinds"]
    firsts, others = [], []
    for kind in sorted(kinds, key=lambda k: (-len(k["asked"]), number(k["sql"]))):
        first, *rest = sorted(
            (
                BenchmarkQuestion(text, text, str(file), (kind["sql"].format(*values),), database_name=name)
                for text, *values in kind["asked"]
            ),
            key=lambda q: number(q.text),
        )
        firsts.append(first)
        others += rest
    return [*firsts, *others]


def asked(name: str, folder: Path) -> Iterator[Fate]:
    """The fates of the questions to one database that aren't solved."""
    items = questions(name, folder)
    examples = tuple(SolvedExample(q.text, q.gold[0]) for q in items[:SOLVED])
    with connect(str(folder / f"{name}.sqlite")) as database:
        pack = KnowledgePack(examples=examples)
        context = Context(database, pack, cache=folder / "cache")
        for item in thinned(items[SOLVED:]):
            draft = asyncio.run(run_method(find_method("offline"), item.question, context))
            response = respond(draft)
            marks = judge(Exam(item, response, "spider", seconds=5.0))
            fate = Fate(marks.final.outcome.value == "correct", not response.declined)
            _show(item, draft.sql, fate)
            yield fate


def _show(item: BenchmarkQuestion, sql: str | None, fate: Fate) -> None:
    if os.environ.get("FATHOM_BENCH_SHOW") and not (fate.right and fate.answered):
        said = f"answered {fate.answered}, right {fate.right}"
        print(f"{item.text}\n  {said}\n  {item.gold[0]}\n  {sql}")


def _figures(split: str, fates: Sequence[Fate]) -> Iterator[Figure]:
    answered = [f for f in fates if f.answered]
    for what, part, whole, mark in (
        ("right best guesses", [f for f in fates if f.right], fates, GUESSED),
        ("answered", answered, fates, ANSWERED),
        ("right of those answered", [f for f in answered if f.right], answered, RIGHT),
    ):
        share = len(part) / max(1, len(whole))
        yield Figure(
            f"{split}: {what}", f"{share:.1%} ({len(part)}/{len(whole)})", f"{mark:.0%}", share >= mark
        )
