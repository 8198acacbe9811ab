"""`score`: whole files of predictions against a benchmark."""

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from fathom.benchmarks import Benchmark, load_benchmark
from fathom.config import read_settings
from fathom.evaluation.comparisons import load_comparison
from fathom.evaluation.interval import wilson
from fathom.evaluation.outcome import PASS_AT, Outcome
from fathom.evaluation.scoring.judge import Scored
from fathom.evaluation.scoring.pairing import Lookup, Paired, pair, rule_for
from fathom.evaluation.scoring.pool import Pool, Remote
from fathom.evaluation.scoring.worker import Terms

if TYPE_CHECKING:
    from concurrent.futures import Executor

PathLike = str | os.PathLike[str]


@dataclass(slots=True)
class Score:
    """The summary of one file. Counts of questions: `correct` + `incorrect` + `error` = `n`.

    `gold_failed` of the errors are not the predictions' fault: their gold query or database failed.
    `missing` had no query. `vacuous` of the correct ones agree in being empty. `pass_at` counts the
    questions with a right query among the first k candidates, where files hold several. `ves` and `r_ves`
    are in percent, None where nobody asked for them. `problems` tells
    what belongs to no question and what could not be written.
    """

    predictions: str
    benchmark: str
    split: str
    comparison: str
    digest: str
    n: int = 0
    correct: int = 0
    incorrect: int = 0
    error: int = 0
    missing: int = 0
    gold_failed: int = 0
    vacuous: int = 0
    partial_credit: float = 0.0
    seconds: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    by_difficulty: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    by_database: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    ves: float | None = None
    r_ves: float | None = None
    pass_at: dict[int, int] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def correct_rate(self) -> float | None:
        """Correct of all questions; None where there are none."""
        return self.correct / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the correct rate."""
        return wilson(self.correct, self.n)

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values; rates beside the counts that they come from."""
        content = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("by_difficulty", "by_database"):
            groups = sorted(getattr(self, name).items())
            content[name] = {k: {"n": n, "correct": c} for k, (n, c) in groups if k}
        content["correct_rate"], content["interval"] = self.correct_rate, list(self.interval)
        content["partial_credit"] = self.partial_credit / self.n if self.n else None
        return content

    def add(self, paired: Paired, found: Sequence[Scored], problem: str) -> Scored:
        """Count one question by its first candidate; gives what its line in the details says."""
        first = found[0] if found else _absent(paired, problem)
        self.n += 1
        setattr(self, first.outcome.value, getattr(self, first.outcome.value) + 1)
        self.vacuous += first.vacuous
        self.partial_credit += first.score
        self.verdicts[first.verdict] += 1
        if first.error_class:
            self.errors[first.error_class] += 1
            self.missing += first.error_class == "missing"
            self.gold_failed += first.error_class in ("gold", "database")
        if first.note:
            self.notes[first.note] += 1
        right = first.outcome is Outcome.CORRECT
        question = paired.question
        for groups, name in (
            (self.by_difficulty, question.difficulty),
            (self.by_database, question.database_name),
        ):
            groups[name][0] += 1
            groups[name][1] += right
        for k in PASS_AT:
            hit = any(scored.outcome is Outcome.CORRECT for scored in found[:k]) if found else right
            self.pass_at[k] = self.pass_at.get(k, 0) + hit
        return first


def _absent(paired: Paired, problem: str) -> Scored:
    if not paired.question.answerable:
        return Scored(Outcome.CORRECT, "exact", 1.0, note="rightly declined")
    return Scored(Outcome.ERROR, "error", 0.0, problem, "missing")


def score(
    benchmark: Benchmark | PathLike,
    predictions: PathLike,
    *,
    split: str | None = None,
    comparison: str | None = None,
    details: PathLike | None = None,
    timeout: float | None = 30.0,
    workers: int | None = None,
    executor: "Executor | None" = None,
    ves: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Score:
    """Score one file of anybody's predictions; see `score_files`."""
    (only,) = score_files(
        benchmark, [predictions], split=split, comparison=comparison, timeout=timeout, workers=workers,
        details=[details] if details else None, executor=executor, ves=ves, watch=watch,
    )  # fmt: skip
    return only


def score_files(
    benchmark: Benchmark | PathLike,
    predictions: Sequence[PathLike],
    *,
    split: str | None = None,
    comparison: str | None = None,
    details: Sequence[PathLike] | None = None,
    timeout: float | None = 30.0,
    workers: int | None = None,
    executor: "Executor | None" = None,
    ves: bool = False,
    watch: Callable[[int], None] | None = None,
) -> list[Score]:
    """Score files of predictions against one benchmark, every distinct query run once.

    `comparison` is a name of `fathom.evaluation.comparisons`, by default the benchmark's own; `details`
    names a file for each one of `predictions`, which gets a JSON line a question; `timeout` bounds each
    query in seconds; `workers` is the number of processes here, unless an `executor` runs the batches;
    `ves` times right queries afterwards, alone; `watch` is called with the number of questions done.
    Predictions never fail the run: each failure is an outcome. Raises `InputError` or `UnknownName`
    for a benchmark or file that can't be read at all.
    """
    loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark, split)
    files = [Path(file).expanduser() for file in predictions]
    terms = Terms(comparison or loaded.comparison, timeout, kept=str(_gold_folder()))
    load_comparison(terms.comparison)  # an unknown name is told here, not by every worker
    started = time.perf_counter()
    timed: list[list[tuple[str, str, str]]] = [[] for _ in files]
    lookups = [Lookup(file, rule_for(loaded, file)) for file in files]
    scores = [Score(str(f), loaded.name, loaded.split, terms.comparison, loaded.digest) for f in files]
    with ExitStack() as stack:
        if executor is None:
            shared = stack.enter_context(_shared_folder())
            pool: Pool | Remote = Pool(replace(terms, shared=shared), workers)
        else:
            pool = Remote(terms, executor)
        stack.callback(pool.close)
        sheets = [_Details(Path(file), stack) for file in details or ()]
        for done, (paired, found) in enumerate(_in_order(loaded, lookups, pool), start=1):
            at = 0
            for i, (total, count) in enumerate(zip(scores, paired.counts, strict=True)):
                first = total.add(paired, found[at : at + count], paired.problems[i])
                if ves and first.outcome is Outcome.CORRECT and count and paired.task.gold:
                    timed[i].append((paired.task.database, paired.task.predictions[at], paired.task.gold[0]))
                at += count
                if sheets:
                    sheets[i].write(paired.question.id, first)
            if watch:
                watch(done)
        for sheet, total in zip(sheets, scores, strict=False):
            total.problems += sheet.close()
    for lookup, total in zip(lookups, scores, strict=True):
        lookup.finish()
        total.problems += lookup.problems
        total.seconds = time.perf_counter() - started
    if ves:
        for total, queries in zip(scores, timed, strict=True):
            _time(total, queries)
    return scores


def _time(total: Score, queries: Sequence[tuple[str, str, str]]) -> None:
    """Fill in VES and R-VES, from the right predictions' databases, queries and gold."""
    from fathom.databases import connect  # noqa: PLC0415
    from fathom.evaluation import metrics, timing  # noqa: PLC0415 - NumPy, only here

    ratios: list[float | None] = [None] * (total.n - len(queries))
    for url, predicted, gold in queries:
        with connect(url) as database:
            ratios.append(timing.time_ratio(database, predicted, gold).value)
    total.ves, total.r_ves = metrics.ves(ratios).value, metrics.r_ves(ratios).value


@contextmanager
def _shared_folder() -> Iterator[str]:
    """A folder's name for what the processes of this run share; made only once there is something."""
    place = Path(os.environ.get("TMPDIR") or ("/tmp" if os.name == "posix" else "."))
    folder = place / f"fathom-score-{os.getpid()}-{time.time_ns()}"
    try:
        yield str(folder)
    finally:
        if folder.exists():
            from shutil import rmtree  # noqa: PLC0415

            rmtree(folder, ignore_errors=True)


def _gold_folder() -> Path:
    """Where results of slow gold queries are kept for later runs, in the user's cache."""
    return read_settings().cache / "gold"


def _in_order(
    benchmark: Benchmark, lookups: Sequence[Lookup], pool: Pool | Remote
) -> Iterator[tuple[Paired, list[Scored]]]:
    """The questions with their outcomes, in the benchmark's order; what comes early is held back."""
    waiting: dict[int, Paired] = {}
    done: dict[int, list[Scored]] = {}

    def tasks() -> Iterator[Any]:
        for paired in pair(benchmark, lookups):
            waiting[paired.task.position] = paired
            if paired.task.predictions:
                yield paired.task
            else:
                done[paired.task.position] = []

    next_one = 0
    for task, found in pool.run(tasks()):
        done[task.position] = found
        while next_one in done:
            yield waiting.pop(next_one), done.pop(next_one)
            next_one += 1
    while next_one in done:
        yield waiting.pop(next_one), done.pop(next_one)
        next_one += 1


class _Details:
    """A file of one JSON line a question. A full disk loses the rest of the lines, never the score."""

    def __init__(self, file: Path, stack: ExitStack) -> None:
        self._file = file
        self._stream: TextIO | None = None
        self._problem = ""
        try:
            self._stream = stack.enter_context(_Closing(file))
        except OSError as error:
            self._problem = f"the details can't be written to {file}: {error.strerror}"

    def write(self, id_: str, scored: Scored) -> None:
        if self._stream is None or self._problem:
            return
        line: dict[str, object] = {
            "id": id_,
            "outcome": scored.outcome.value,
            "verdict": scored.verdict,
            "score": round(scored.score, 6),
            "error": scored.error,
        }
        extra: dict[str, object] = {
            "error_class": scored.error_class,
            "note": scored.note,
            "vacuous": scored.vacuous,
        }
        line |= {name: value for name, value in extra.items() if value}
        try:
            self._stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            self._problem = f"the details in {self._file} are incomplete: {error.strerror}"

    def close(self) -> list[str]:
        try:
            if self._stream is not None:
                self._stream.flush()
        except OSError as error:
            self._problem = self._problem or f"the details in {self._file} are incomplete: {error.strerror}"
        return [self._problem] if self._problem else []


class _Closing:
    """An open file whose closing doesn't raise: what couldn't be flushed has been told."""

    def __init__(self, file: Path) -> None:
        self._stream = file.open("w", encoding="utf-8", errors="replace")

    def __enter__(self) -> TextIO:
        return self._stream

    def __exit__(self, *_: object) -> None:
        try:
            self._stream.close()
        except OSError:
            return
