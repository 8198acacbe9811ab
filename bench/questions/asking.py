"""Asks the offline method questions of our own, kept as YAML by database, and says what became of each."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.figures import DATA, Figure, wanted
from bench.questions.small import SMALL, make
from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import Response, respond
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft

SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
"""Whether to print each question's fate; for the part `develop` alone, which may be read."""
_ELSEWHERE = {
    "chinook": "samples/chinook.sqlite",
    "northwind": "samples/northwind.sqlite",
    "geography": "geoquery/geography.sqlite",
}


@dataclass(frozen=True)
class Asked:
    """What became of one question; `kind` is the list it stands in."""

    database: str
    kind: str
    right: bool
    declined: bool


def ask_by_split(questions: Path, kinds: Sequence[str]) -> Iterator[tuple[str, list[Asked]]]:
    """The fates of the questions in a file by split, `develop` before `measure`; those wanted alone."""
    cases: Mapping[str, Any] = yaml.safe_load(questions.read_text(encoding="utf-8"))
    for split in ("develop", "measure"):
        if wanted(split):
            with TemporaryDirectory() as folder:
                own = {n: c for n, c in cases.items() if c["split"] == split}
                asked = [a for n, c in own.items() for a in _ask(n, c, kinds, Path(folder))]
            if asked:
                yield split, asked


def tell_by_split(questions: Path, mark: float) -> Iterator[Figure]:
    """What `tell` says of the list `questions` of a file, split by split."""
    for split, asked in ask_by_split(questions, ("questions",)):
        yield from tell(f"split {split}", asked, mark)


def kept(asked: Sequence[Asked]) -> list[Asked]:
    """Those that were answered."""
    return [a for a in asked if not a.declined]


def rate(asked: Sequence[Asked]) -> str:
    """How many are right, as a share and as counts."""
    right = sum(a.right for a in asked)
    return f"{right / len(asked):.1%} ({right}/{len(asked)})" if asked else "none"


def tell(what: str, asked: Sequence[Asked], mark: float) -> Iterator[Figure]:
    """How many best guesses are right, how many questions are answered, of the answers how many are right,
    held against a mark.
    """
    answered = kept(asked)
    met = sum(a.right for a in answered) >= mark * len(answered) if answered else None
    yield Figure(f"{what}: right best guesses", rate(asked))
    yield Figure(f"{what}: answered", f"{len(answered) / len(asked):.1%} ({len(answered)}/{len(asked)})")
    yield Figure(f"{what}: right of those answered", rate(answered), f"{mark:.0%}", met)


def _ask(name: str, case: Mapping[str, Any], kinds: Sequence[str], folder: Path) -> Iterator[Asked]:
    file = file_of(name, folder)
    with connect(str(file)) as database:
        context = Context(database, cache=folder)
        for kind in kinds:
            for text, gold in _with_gold(case[kind]):
                question = BenchmarkQuestion(
                    text, text, str(file), gold, database_name=name, answerable=bool(gold)
                )
                draft = asyncio.run(run_method(find_method("offline"), question.question, context))
                response = respond(draft)
                right = bool(gold) and _is_right(question, response)
                if SHOW and case["split"] == "develop":
                    _show(name, text, draft, right=right)
                yield Asked(name, kind, right, response.declined)


def _with_gold(listed: Sequence[Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Questions with their gold; what is listed as a text alone has none, for nothing answers it."""
    for one in listed:
        yield (one, ()) if isinstance(one, str) else (one["question"], tuple(one["gold"]))


def _is_right(question: BenchmarkQuestion, response: Response) -> bool:
    return judge(Exam(question, response, "sql_eval", seconds=5.0)).final.outcome.value == "correct"


def asked_alone(listed: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The questions with gold in a list of a file, by their text: follow-ups can't be asked alone."""
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and {"question", "gold"} <= one.keys():
            yield one["question"], one


def file_of(name: str, folder: Path) -> Path:
    """The file of a database that questions of our own are asked of, made where it is one of ours."""
    if name in SMALL:
        return make(name, folder)
    spider = f"spider/database/{name}/{name}.sqlite"
    bird = (f"bird/{part}_databases/{name}/{name}.sqlite" for part in ("train", "dev"))
    found = next((f for f in (spider, *bird) if (DATA / f).exists()), spider)
    return DATA / _ELSEWHERE.get(name, found)


def _show(name: str, text: str, draft: Draft, *, right: bool) -> None:
    told = "declined" if draft.refusal else "asks back" if draft.readings else "ANSWERED"
    fate = f"{'right' if right else 'WRONG'} {told}"
    why = " ".join(draft.refusal.missing) if draft.refusal else ""
    print(f"{fate} {draft.confidence:.2f} {name}: {text} ({why})\n    {draft.sql}")
