"""The labelled questions of the golden file, asked of the offline method set by set."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.figures import DATA
from bench.golden.fates import Fate, fate_of
from bench.offline import databases_of
from bench.questions.asking import file_of
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, SolvedExample

OWN = ("plain", "everyday", "second_round", "first_questions", "reporting", "business", "analysis")
SAMPLED: Mapping[str, int] = {"spider": 8, "bird-train": 10, "sql-eval": 4, "sql-eval-idk": 4, "geoquery": 2}
"""Of published sets, every so manieth question stands in the sample: about as many of each as of ours."""
SAMPLED_OWN = 3


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with gold; `split` is the half of our own that it is of, empty for published ones."""

    kind: str
    asked: BenchmarkQuestion
    comparison: str
    packs: tuple[Path, ...] = ()
    examples: tuple[SolvedExample, ...] = ()


Ask = Callable[[Labelled, Context], Draft]


def own(folder: Path, *, every: int) -> Iterator[Labelled]:
    """Every so manieth of our own questions; `kind` is the file and its half."""
    for name in OWN:
        file = Path(__file__).parent.parent / "questions" / f"{name}.yaml"
        cases: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        listed = [(database, case, q) for database, case in cases.items() for q in case["questions"]]
        for database, case, one in listed[::every]:
            where, text = str(file_of(database, folder)), one["question"]
            asked = BenchmarkQuestion(text, text, where, tuple(one["gold"]), database_name=database)
            yield Labelled(f"{name}, {case['split']}", asked, "sql_eval")


def published(name: str, *, every: int) -> Iterator[Labelled]:
    """Every so manieth question of a published set, those that solved examples go with in both ways."""
    benchmark = load_benchmark(name, "dev" if name == "geoquery" else None, data=DATA)
    databases = databases_of("report") if name == "spider" else None
    asked = [q for q in benchmark if databases is None or q.database_name in databases]
    for one in sorted(asked[::every], key=lambda q: q.database_name):
        packs = tuple(benchmark.packs(one.database_name))
        labelled = Labelled(name, one, benchmark.comparison, packs)
        yield labelled
        if name == "geoquery":
            solved = tuple(benchmark.examples(one.database_name))
            yield replace(labelled, kind=f"{name}, solved examples", examples=solved)


def labelled(kind: str, folder: Path, *, whole: bool) -> Sequence[Labelled]:
    """The questions of a set, or those of them in the sample; `own` is all of our own."""
    if kind == "own":
        return list(own(folder, every=1 if whole else SAMPLED_OWN))
    return list(published(kind, every=1 if whole else SAMPLED[kind]))


def ask_method(one: Labelled, context: Context) -> Draft:
    """The draft of the offline method for a question."""
    return asyncio.run(run_method(find_method("offline"), one.asked.question, context))


def ask_set(kind: str, *, whole: bool, ask: Ask = ask_method) -> Iterator[tuple[Labelled, Draft, Fate]]:
    """Ask the questions of a set, database by database, and judge what came of each."""
    with TemporaryDirectory() as folder:
        by_context: dict[tuple[str, int], list[Labelled]] = defaultdict(list)
        for one in labelled(kind, Path(folder), whole=whole):
            by_context[one.asked.database, len(one.examples)].append(one)
        for (where, _), questions in by_context.items():
            first = questions[0]
            packs = load_packs(*first.packs) if first.packs else KnowledgePack()
            with connect(where) as database:
                context = Context(database, packs, first.examples, cache=Path(folder))
                for one in questions:
                    draft = ask(one, context)
                    yield one, draft, judged(one, draft)


def judged(one: Labelled, draft: Draft) -> Fate:
    """The fate of a question by its gold."""
    marks = judge(Exam(one.asked, respond(draft), one.comparison, seconds=5.0))
    right = marks.final.outcome.value == "correct"
    text = f"{one.asked.text}\n{one.asked.evidence}"
    return fate_of(one.kind, one.asked.database_name, text, draft, right=right)
