"""How often questions by period and questions of shares are answered, and rightly: our own questions."""

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
from fathom.evaluation.runs.judging import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft

TITLE = "Periods and shares in the offline method"
QUESTIONS = Path(__file__).parent / "questions" / "periods_and_shares.yaml"
RIGHT_OF_ANSWERED = 0.85
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
"""Whether to print each question's fate; for the part `develop` alone, which may be read."""


@dataclass(frozen=True)
class Asked:
    """What became of one question; `own` where the database is one that no weight was learned from."""

    kind: str
    own: bool
    right: bool
    declined: bool


def measure() -> Iterator[Figure]:
    cases: Mapping[str, Any] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    for split in ("develop", "measure"):
        if not wanted(split):
            continue
        with TemporaryDirectory() as folder:
            asked = [a for n, c in cases.items() if c["split"] == split for a in _ask(n, c, Path(folder))]
        for kind in ("periods", "shares"):
            yield from _figures(f"{kind}, split {split}", [a for a in asked if a.kind == kind])
        yield from _figures(f"both, split {split}", asked)


def _ask(name: str, case: Mapping[str, Any], folder: Path) -> Iterator[Asked]:
    own = name in SMALL
    file = make(name, folder) if own else DATA / "spider" / "database" / name / f"{name}.sqlite"
    with connect(str(file)) as database:
        context = Context(database, cache=folder)
        for kind in ("periods", "shares"):
            for one in case[kind]:
                text = one["question"]
                question = BenchmarkQuestion(text, text, str(file), tuple(one["gold"]), database_name=name)
                draft = asyncio.run(run_method(find_method("offline"), question.question, context))
                marks = judge(Exam(question, respond(draft), "sql_eval", seconds=5.0))
                right = marks.final.outcome.value == "correct"
                if SHOW and case["split"] == "develop":
                    _show(name, text, draft, right=right)
                yield Asked(kind, own, right, draft.refusal is not None)


def _show(name: str, text: str, draft: Draft, *, right: bool) -> None:
    fate = f"{'right' if right else 'WRONG'} {'declined' if draft.refusal else 'ANSWERED'}"
    why = " ".join(draft.refusal.missing) if draft.refusal else ""
    print(f"{fate} {draft.confidence:.2f} {name}: {text} ({why})\n    {draft.sql}")


def _figures(what: str, asked: Sequence[Asked]) -> Iterator[Figure]:
    kept = [a for a in asked if not a.declined]
    ours = [a for a in asked if a.own]
    note = f"databases of our own: {_rate(ours)}"
    yield Figure(f"{what}: right best guesses", _rate(asked), note=note)
    met = sum(a.right for a in kept) >= RIGHT_OF_ANSWERED * len(kept) if kept else None
    yield Figure(
        f"{what}: right of those answered",
        _rate(kept),
        f"{RIGHT_OF_ANSWERED:.0%}",
        met,
        f"coverage {len(kept) / len(asked):.0%}; databases of our own: {_rate([a for a in kept if a.own])}",
    )


def _rate(asked: Sequence[Asked]) -> str:
    right = sum(a.right for a in asked)
    return f"{right / len(asked):.1%} ({right}/{len(asked)})" if asked else "none"
