"""Terse questions of messy databases, by an author who saw neither rule nor code: what an answer says.

Dates as text, lists in cells, codes, NULL, names that repeat, several dates in a table. The databases are
dumps beside the questions. `--only read` or `--only measure` asks one half; with `FATHOM_MODEL`
set, such as to `local`, the method `local` is asked with that model, and with `FATHOM_MODEL=recorded` over
the replies that a model gave once.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.figures import Figure, thinned, wanted
from bench.parts.dumps import MESSY, made
from bench.parts.replies import of_messy, replayed
from fathom.answering.pipeline import answer
from fathom.answering.preparation import Asking, prepared
from fathom.answering.sync import wait
from fathom.benchmarks import BenchmarkQuestion
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.records import Answer, Draft, Question

TITLE = "Terse questions of messy databases"
RIGHTLY, SURELY_WRONG = 0.25, 0.01
"""The marks without a model: answered rightly, and answered wrongly for sure, of those with an answer."""


def measure() -> Iterator[Figure]:
    cases = [yaml.safe_load(f.read_text(encoding="utf-8")) for f in sorted(MESSY.glob("*.yaml"))]
    for split in ("read", "measure"):
        if wanted(split):
            with TemporaryDirectory() as folder:
                own = [c for c in cases if c["split"] == split]
                fates = [fate for case in own for fate in _ask(case, Path(folder))]
            yield from _figures(split, fates)


def _ask(case: dict[str, Any], folder: Path) -> Iterator[tuple[str, str]]:
    """The kind of each question, and its fate."""
    file, model = made(case["database"], folder), os.environ.get("FATHOM_MODEL")
    given = replayed(of_messy(case["database"])) if model == "recorded" else model
    how: dict[str, Any] = {"method": "local", "model": given} if given else {}
    with prepared(str(file), **how) as asking:
        for one in thinned(case["kinds"]):
            yield one["kind"], _fate(one["question"], one.get("gold", ()), asking, file)


def _fate(text: str, gold: Sequence[str], asking: Asking, file: Path) -> str:
    given = wait(answer(Question(text), asking, reasons=False))
    shown = any(_is_right(text, gold, reading.sql, file) for reading in given.readings)
    if given.sql is None or given.refusal is not None:
        return "shown" if shown else "declined"
    # People get names and keys beside what the query gives: either may be what the question asks for.
    shown_by = given.shown.sql if given.shown is not None else None
    is_right = any(_is_right(text, gold, sql, file) for sql in (given.sql, shown_by))
    return "right" if is_right else _wrong(given)


def _wrong(given: Answer) -> str:
    return f"wrong: {given.question.text}" if os.environ.get("FATHOM_BENCH_SHOW") else "wrong"


def _is_right(text: str, gold: Sequence[str], sql: str | None, file: Path) -> bool:
    if not gold or sql is None:
        return False
    question = BenchmarkQuestion(text, text, str(file), tuple(gold), database_name=file.stem)
    response = respond(Draft(Question(text), sql=sql, confidence=1.0))
    return judge(Exam(question, response, "sql_eval", seconds=5.0)).final.outcome.value == "correct"


def _figures(split: str, fates: Sequence[tuple[str, str]]) -> Iterator[Figure]:
    answerable = Counter(f.partition(":")[0] for kind, f in fates if kind != "unanswerable")
    nothing = Counter(f.partition(":")[0] for kind, f in fates if kind == "unanswerable")
    count = sum(answerable.values())
    right, wrong, shown = answerable["right"], answerable["wrong"], answerable["shown"]
    yield Figure(f"{split}: answered rightly", _of(right, count), f"{RIGHTLY:.0%}", right >= RIGHTLY * count)
    met = wrong <= SURELY_WRONG * count
    yield Figure(f"{split}: answered wrongly", _of(wrong, count), f"{SURELY_WRONG:.0%}", met)
    yield Figure(f"{split}: right, or among those shown", _of(right + shown, count))
    yield Figure(f"{split}: declined where nothing answers", _of(nothing["declined"], sum(nothing.values())))


def _of(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part}/{whole})" if whole else "none"
