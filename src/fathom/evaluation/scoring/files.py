"""`score`: whole files of predictions against a benchmark."""

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fathom.benchmarks import Benchmark, QuestionSelection, load_benchmark
from fathom.config import read_settings
from fathom.evaluation.categories import by_level
from fathom.evaluation.comparisons import load_comparison
from fathom.evaluation.interval import ClusteredInterval, clustered, wilson
from fathom.evaluation.outcome import PASS_AT, Outcome
from fathom.evaluation.scoring.clusters import workers_of
from fathom.evaluation.scoring.judge import Scored
from fathom.evaluation.scoring.pool import ExecutorPool, WorkerPool
from fathom.evaluation.scoring.question_pairs import Lookup, PairedQuestion, pair, rule_for
from fathom.evaluation.scoring.worker import Terms
from fathom.files import written_whole
from fathom.records.display import Displayed

if TYPE_CHECKING:
    from concurrent.futures import Executor

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """How predictions are scored.

    `split` names a part of the benchmark, `choice` a part of its questions; `comparison` is a name of
    `fathom.evaluation.comparisons`, by default the benchmark's own; `timeout` bounds each query in seconds,
    unless it is None; `workers` is the number of processes here, unless an `executor` runs the batches; `ves`
    times right queries afterwards, alone; `watch` is called with the number of questions done.
    """

    split: str | None = None
    choice: QuestionSelection | None = None
    comparison: str | None = None
    timeout: float | None = 30.0
    workers: int | None = None
    executor: "Executor | None" = None
    ves: bool = False
    watch: Callable[[int], None] | None = None


AS_PUBLISHED = ScoreOptions()


@dataclass(slots=True)
class Score(Displayed):
    """The summary of one file. Counts of questions: `correct` + `incorrect` + `error` = `n`, those judged.

    `asked` counts all questions; `unjudged` those that nothing can be said about, by why: their database or
    gold failed, or there is no gold. `missing` had no query. `vacuous` of the correct ones agree in being
    empty. `candidates` is the most that a question has, and `pass_at` counts the questions with a right
    query among the first k of several. `ves` and `r_ves` are in percent, None where nobody asked for them.
    `translated` says from which dialect gold and predictions were translated to which. `problems` tells what
    belongs to no question and what could not be written.
    """

    predictions: str
    benchmark: str
    split: str
    comparison: str
    digest: str
    asked: int = 0
    n: int = 0
    correct: int = 0
    incorrect: int = 0
    error: int = 0
    missing: int = 0
    vacuous: int = 0
    partial_credit: float = 0.0
    seconds: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    by_difficulty: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    by_database: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    ves: float | None = None
    r_ves: float | None = None
    pass_at: dict[int, int] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    candidates: int = 0
    translated: str = ""

    @property
    def correct_rate(self) -> float | None:
        """Correct of all questions judged; None where there are none."""
        return self.correct / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the correct rate."""
        return wilson(self.correct, self.n)

    @property
    def clustered(self) -> ClusteredInterval | None:
        """The same with databases resampled, for their questions aren't independent; None over one."""
        return clustered([(right, n) for n, right in self.by_database.values()])

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values; rates beside the counts that they come from."""
        content = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("by_difficulty", "by_database"):
            groups = getattr(self, name)
            names = by_level(groups) if name == "by_difficulty" else sorted(groups)
            content[name] = {k: {"n": groups[k][0], "correct": groups[k][1]} for k in names if k}
        if self.candidates < 2:
            del content["pass_at"]
        content["correct_rate"], content["interval"] = self.correct_rate, list(self.interval)
        content["clustered"] = found.as_json() if (found := self.clustered) else None
        content["partial_credit"] = self.partial_credit / self.n if self.n else None
        return content

    def add(self, paired: PairedQuestion, found: Sequence[Scored], problem: str) -> Scored:
        """Count one question by its first candidate; gives what its line in the details says.

        `found` has an entry for each candidate, or one that says why nothing can be judged.
        """
        first = found[0] if found else _absent(paired, problem)
        self.asked += 1
        if first.outcome is Outcome.UNJUDGED:
            self.unjudged[first.error_class] += 1
            if first.error_class == "database":
                self.notes[first.error] += 1
            return first
        self.n += 1
        setattr(self, first.outcome.value, getattr(self, first.outcome.value) + 1)
        self.vacuous += first.vacuous
        self.partial_credit += first.score
        self.verdicts[first.verdict] += 1
        if first.error_class:
            self.errors[first.error_class] += 1
            self.missing += first.error_class == "missing"
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
        self.candidates = max(self.candidates, len(found))
        for k in PASS_AT:
            hit = any(scored.outcome is Outcome.CORRECT for scored in found[:k]) if found else right
            self.pass_at[k] = self.pass_at.get(k, 0) + hit
        return first


def _unjudged(found: Sequence[Scored]) -> Sequence[Scored]:
    """Give the score that holds without a query as well: nothing about the question can be judged."""
    return found[:1] if found and found[0].outcome is Outcome.UNJUDGED else ()


def _absent(paired: PairedQuestion, problem: str) -> Scored:
    if not paired.question.answerable:
        return Scored(Outcome.CORRECT, "exact", 1.0, note="rightly declined")
    return Scored(Outcome.ERROR, "error", 0.0, problem, "missing")


def score(
    benchmark: Benchmark | PathLike,
    predictions: PathLike,
    options: ScoreOptions = AS_PUBLISHED,
    *,
    details: PathLike | None = None,
) -> Score:
    """Score one file of anybody's predictions; see `score_files`."""
    (only,) = score_files(benchmark, [predictions], options, details=[details] if details else None)
    return only


def score_files(
    benchmark: Benchmark | PathLike,
    predictions: Sequence[PathLike],
    options: ScoreOptions = AS_PUBLISHED,
    *,
    details: Sequence[PathLike] | None = None,
) -> list[Score]:
    """Score files of predictions against one benchmark, every distinct query run once.

    `details` names a file for each one of `predictions`, which gets a JSON line a question. Predictions never
    fail the run: each failure is an outcome. Raises `InputError` or `UnknownName` for a benchmark or file
    that can't be read at all.
    """
    loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark, options.split)
    loaded = loaded.only(options.choice) if options.choice else loaded
    files = [Path(file).expanduser() for file in predictions]
    terms = Terms(options.comparison or loaded.comparison, options.timeout, kept=str(_gold_folder()))
    load_comparison(terms.comparison)  # an unknown name is told here, not by every worker
    started = time.perf_counter()
    timed: list[list[tuple[str, str, str]]] = [[] for _ in files]
    lookups = [Lookup(file, rule_for(loaded, file)) for file in files]
    scores = [Score(str(f), loaded.name, loaded.split, terms.comparison, loaded.digest) for f in files]
    with ExitStack() as stack:
        if options.executor is None:
            shared = stack.enter_context(_shared_folder())
            pool: WorkerPool | ExecutorPool = WorkerPool(replace(terms, shared=shared), options.workers)
        else:
            pool = ExecutorPool(terms, options.executor, workers=workers_of(options.executor))
        stack.callback(pool.close)
        sheets = [_Details(Path(file), stack) for file in details or ()]
        for done, (paired, found) in enumerate(_in_order(loaded, lookups, pool), start=1):
            at = 0
            engine = loaded.runs_on(paired.question)
            for i, (total, count) in enumerate(zip(scores, paired.counts, strict=True)):
                mine = found[at : at + count] or _unjudged(found)
                first = total.add(paired, mine, paired.problems[i])
                if engine:
                    total.translated = f"{loaded.dialect} to {engine}"
                if options.ves and first.outcome is Outcome.CORRECT and count and paired.task.gold:
                    timed[i].append((paired.task.database, paired.task.predictions[at], paired.task.gold[0]))
                at += count
                if sheets:
                    sheets[i].write(paired.question.id, first)
            if options.watch:
                options.watch(done)
        for sheet, total in zip(sheets, scores, strict=False):
            total.problems += sheet.close()
    for lookup, total in zip(lookups, scores, strict=True):
        lookup.finish()
        total.problems += lookup.problems
        total.seconds = time.perf_counter() - started
    if options.ves:
        for total, queries in zip(scores, timed, strict=True):
            _time(total, queries)
    return scores


def _time(total: Score, queries: Sequence[tuple[str, str, str]]) -> None:
    """Fill in VES and R-VES, from the right predictions' databases, queries and gold."""
    from fathom.databases import connect  # noqa: PLC0415
    from fathom.evaluation import metrics, timing  # noqa: PLC0415 - NumPy, only here

    ratios: list[timing.Ratio | None] = [None] * (total.n - len(queries))
    for url, predicted, gold in queries:
        with connect(url) as database:
            ratios.append(timing.time_ratio(database, predicted, gold))
    total.ves = metrics.ves([r.value if r else None for r in ratios]).value
    total.r_ves = metrics.r_ves([r.rewarded if r else None for r in ratios]).value


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
    benchmark: Benchmark, lookups: Sequence[Lookup], pool: WorkerPool | ExecutorPool
) -> Iterator[tuple[PairedQuestion, list[Scored]]]:
    """The questions with their outcomes, in the benchmark's order; what comes early is held back."""
    waiting: dict[int, PairedQuestion] = {}  # in the order in which they were asked
    done: dict[int, list[Scored]] = {}

    def tasks() -> Iterator[Any]:
        for paired in pair(benchmark, lookups):
            waiting[paired.task.position] = paired
            if paired.task.predictions or paired.task.answerable:
                yield paired.task  # without a prediction too: gold that fails is told all the same
            else:
                done[paired.task.position] = []

    def ready() -> Iterator[tuple[PairedQuestion, list[Scored]]]:
        while waiting and (first := next(iter(waiting))) in done:
            yield waiting.pop(first), done.pop(first)

    for task, found in pool.run(tasks()):
        done[task.position] = found
        yield from ready()
    yield from ready()


class _Details:
    """A file of one JSON line a question, whole or not at all. A full disk costs it, never the score."""

    def __init__(self, file: Path, stack: ExitStack) -> None:
        self._file = file
        self._stream: IO[str] | None = None
        self._problem = ""
        self._writing = stack.enter_context(ExitStack())
        try:
            self._stream = self._writing.enter_context(written_whole(file))
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._stream = None
        self._problem = f"the details can't be written to {self._file}: {error.strerror}"
        with suppress(OSError):  # to close a file fails as well where the disk is full
            self._writing.__exit__(type(error), error, None)

    def write(self, id_: str, scored: Scored) -> None:
        if self._stream is None:
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
            self._give_up(error)

    def close(self) -> list[str]:
        try:
            self._writing.close()
        except OSError as error:
            self._give_up(error)
        return [self._problem] if self._problem else []
