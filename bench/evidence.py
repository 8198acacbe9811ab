"""What evidence and a knowledge pack add to the offline method: BIRD questions, and our own to the sample."""

import asyncio
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import yaml

from bench.figures import DATA, Figure
from fathom.answering import prepare
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import connect
from fathom.errors import QueryError
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.knowledge import KnowledgePack
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft, Question

TITLE = "Evidence and knowledge packs in the offline method"
LOOKED_AT = frozenset({"books", "movies_4"})
"""The databases whose questions were read while this was built; the others were only measured."""
SAMPLE = int(os.environ.get("FATHOM_BENCH_SAMPLE", "60"))
"""How many of BIRD's 1,051 questions, some minutes' worth; 0 for all."""
QUESTIONS = Path(__file__).parent / "questions" / "biomed.yaml"


@dataclass(frozen=True)
class Answered:
    """What became of one question; `known` where some candidate was right."""

    database: str
    right: bool
    known: bool
    declined: bool
    seconds: float


def measure() -> Iterator[Figure]:
    items = list(load_benchmark("bird-train", data=DATA))
    if SAMPLE:
        items = random.Random(7).sample(items, SAMPLE)
    times: list[float] = []
    shares = []
    for with_evidence in (True, False):
        answered = list(_bird(items, with_evidence=with_evidence))
        times += [a.seconds for a in answered]
        name = "with evidence" if with_evidence else "without evidence"
        unseen = [a for a in answered if a.database not in LOOKED_AT]
        shares.append(np.mean([a.right for a in unseen]))
        yield _share(f"BIRD train {name}, 3 databases only measured", unseen, 0.35 if with_evidence else None)
        yield _share(f"BIRD train {name}, 2 databases looked at", [a for a in answered if a not in unseen])
    yield Figure("what evidence adds", f"{100 * (shares[0] - shares[1]):.1f} points")
    for split in ("develop", "measure"):
        own = list(_biomed(split))
        times += [a.seconds for a in own]
        yield _share(f"sample knowledge base with its pack, split {split}", own)
        kept = [a for a in own if not a.declined]
        right = sum(a.right for a in kept)
        yield Figure(
            f"sample knowledge base, split {split}: correct of those answered",
            f"{right / max(len(kept), 1):.1%} ({right}/{len(kept)})",
        )
    p50, p95 = (1000 * float(np.percentile(times, p)) for p in (50, 95))
    yield Figure(
        "processor time for one question, warm, p95",
        f"{p95:.0f} ms",
        "300 ms",
        p95 <= 300,
        f"p50 {p50:.0f} ms",
    )


def _share(what: str, answered: list[Answered], mark: float | None = None) -> Figure:
    rights: dict[str, list[bool]] = defaultdict(list)
    for one in answered:
        rights[one.database].append(one.right)
    share = float(np.mean([a.right for a in answered]))
    known = float(np.mean([a.known for a in answered]))
    by = ", ".join(f"{d} {np.mean(r):.0%}" for d, r in sorted(rights.items()) if len(rights) > 1)
    note = "; ".join(n for n in (f"right one among the first 20: {known:.0%}", by) if n)
    value = f"{share:.1%} ({sum(a.right for a in answered)}/{len(answered)})"
    return Figure(what, value, f"{mark:.0%}" if mark else "", share >= mark if mark else None, note)


def _bird(items: list[BenchmarkQuestion], *, with_evidence: bool) -> Iterator[Answered]:
    contexts: dict[str, Context] = {}
    with TemporaryDirectory() as cache:
        for item in sorted(items, key=lambda i: i.database_name):
            if item.database not in contexts:
                contexts[item.database] = Context(connect(item.database), KnowledgePack(), cache=Path(cache))
                _ask(item.question, contexts[item.database])
            question = item.question if with_evidence else replace(item.question, evidence="")
            draft, seconds = _ask(question, contexts[item.database])
            marks = judge(Exam(item, respond(draft), "bird", seconds=5.0))
            right = marks.final.outcome.value == "correct"
            known = right or any(c.outcome.value == "correct" for c in marks.candidates)
            yield Answered(item.database_name, right, known, draft.refusal is not None, seconds)
    for context in contexts.values():
        context.database.close()


def _ask(question: Question, context: Context) -> tuple[Draft, float]:
    """The draft, and the processor's seconds over all threads: what else runs doesn't count."""
    started = time.process_time()
    draft = asyncio.run(run_method(find_method("offline"), question, context))
    return draft, time.process_time() - started


def _biomed(split: str) -> Iterator[Answered]:
    """Our own questions; one that can't be answered is right where it is declined."""
    cases: list[dict[str, Any]] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    with connect("demo:biomed") as database:
        context = prepare(database).context
        _ask(Question("How many drugs are there?"), context)
        for case in cases:
            if case["split"] != split:
                continue
            draft, seconds = _ask(Question(case["question"]), context)
            declined = draft.refusal is not None
            if case["sql"] is None:
                yield Answered("biomed", declined, declined, declined, seconds)
                continue
            gold = database.run(case["sql"]).rows
            right = shows(draft.sql, gold, context)
            known = right or any(shows(c.sql, gold, context) for c in draft.candidates)
            yield Answered("biomed", right, known, declined, seconds)


def shows(sql: str | None, gold: tuple[tuple[Any, ...], ...], context: Context) -> bool:
    """Whether a query shows what was asked for: each column of gold is among its columns, as a set."""
    if sql is None:
        return False
    try:
        rows = context.database.run(sql).rows
    except QueryError:
        return False
    shown = [{_plain(v) for v in column} for column in zip(*rows, strict=True)]
    return bool(gold) and all({_plain(v) for v in column} in shown for column in zip(*gold, strict=True))


def _plain(value: Any) -> Any:
    return (
        round(float(value), 9)
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value)
    )
