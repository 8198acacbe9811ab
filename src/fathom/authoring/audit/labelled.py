"""How far the audit's suspicions can be trusted: pairs of question and query that people labelled."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from fathom.authoring.audit.checks import check_gold
from fathom.authoring.audit.empty_copy import make_empty_copy
from fathom.authoring.audit.model_judge import ModelJudge
from fathom.authoring.audit.offline_queries import OfflineQueries
from fathom.authoring.audit.operating_point import OperatingPoint, best_point
from fathom.authoring.audit.suspicion import BY_MODEL, FOR_GOLD, suspicion
from fathom.benchmarks import Benchmark, BenchmarkQuestion
from fathom.benchmarks.layouts.layout import sqlite_file
from fathom.benchmarks.record_files import Record, records
from fathom.databases import Database, connect
from fathom.errors import FathomError
from fathom.evaluation.metrics import Rate
from fathom.knowledge import KnowledgePack, load_packs


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A question with a query that people called right or wrong; `errors` are the kinds of what is wrong."""

    id: str
    question: str
    database: str
    sql: str
    right: bool
    errors: tuple[str, ...]
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """Suspicions against labels. `kinds` counts, by kind of finding, pairs suspected: (wrong, right).

    `errors` maps a kind of error to the share of the pairs with it that are suspected. `unjudged` pairs are
    about databases that aren't here. `best` is the most accurate point at a precision of 80 %, None where
    there is none. `without_model` is the same without the verdicts of a model, where one judged.
    """

    wrong_suspected: int
    right_suspected: int
    wrong: int
    right: int
    kinds: dict[str, tuple[int, int]]
    errors: dict[str, Rate]
    unjudged: int
    best: OperatingPoint | None
    without_model: "Trust | None" = None

    @property
    def rates(self) -> dict[str, Rate]:
        """Accuracy; precision and recall of wrong (NP, NR), and of right ones (PP, PR)."""
        suspected = self.wrong_suspected + self.right_suspected
        passed_right = self.right - self.right_suspected
        n = self.wrong + self.right
        return {
            "accuracy": Rate(self.wrong_suspected + passed_right, n),
            "precision (NP)": Rate(self.wrong_suspected, suspected),
            "recall (NR)": Rate(self.wrong_suspected, self.wrong),
            "precision of right (PP)": Rate(passed_right, n - suspected),
            "recall of right (PR)": Rate(passed_right, self.right),
        }

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "n": self.wrong + self.right,
            "unjudged": self.unjudged,
            "rates": {name: rate.as_json() for name, rate in self.rates.items()},
            "kinds": {k: {"wrong": w, "right": r} for k, (w, r) in self.kinds.items()},
            "errors": {name: rate.as_json() for name, rate in self.errors.items()},
            "at_precision": self.best.as_json() if self.best else None,
            **({"without_model": self.without_model.as_json()} if self.without_model else {}),
        }


def read_labelled(file: Path) -> Iterator[LabelledPair]:
    """The pairs of a JSON array or JSONL: `question`, `sql`, `db_id` and `label`, true for a right query.

    `evidence` is what the question comes with, and `error_types` may list what is wrong, as NL2SQL-BUGs does.
    Raises `InputError` by file, line and field.
    """
    for number, record in enumerate(records(file), start=1):
        label = record.content.get("label")
        if not isinstance(label, bool):
            raise record.wrong("must be true (right) or false (wrong)", "label")
        yield LabelledPair(
            record.optional("id", "question_id") or str(number),
            record.text("question"),
            record.text("db_id", "database"),
            record.text("sql", "SQL", "query"),
            label,
            tuple(dict.fromkeys(_errors(record))),
            record.optional("evidence"),
        )


def _errors(record: Record) -> Iterator[str]:
    listed = record.content.get("error_types")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("error_type"), str):
            yield one["error_type"]


@dataclass(frozen=True, slots=True)
class PairSources:
    """Where the databases of labelled pairs come from, and what else is known of their questions.

    `data` is the folder that databases are found below. A `benchmark` with the same questions gives their
    evidence, and what describes the databases. `schemas_alone` takes its schemas instead of databases: what
    rows tell isn't looked at then, and no database needs to be here. `seconds` is what a query may take.
    """

    data: Path
    benchmark: Benchmark | None = None
    schemas_alone: bool = False
    offline: OfflineQueries | None = None
    judge: ModelJudge | None = None
    seconds: float = 30.0


def measure_trust(
    pairs: Sequence[LabelledPair], sources: PairSources, *, advance: Callable[[], None] = lambda: None
) -> Trust:
    """Audit every pair whose database is found, and hold suspicions against labels.

    A pair is suspected where what the checks find makes it likely wrong. No check sees a label.
    """
    found = []
    for kinds in audited_kinds(pairs, sources):
        found.append(kinds)
        advance()
    trust = _held_against_labels(pairs, found)
    if sources.judge is None:
        return trust
    by_rules = [None if kinds is None else kinds - BY_MODEL for kinds in found]
    return replace(trust, without_model=_held_against_labels(pairs, by_rules))


def _held_against_labels(pairs: Sequence[LabelledPair], found: Sequence[frozenset[str] | None]) -> Trust:
    counts: Counter[tuple[bool, bool]] = Counter()
    of_kinds: dict[str, Counter[bool]] = {}
    errors: dict[str, Counter[bool]] = {}
    judged = [(pair, kinds) for pair, kinds in zip(pairs, found, strict=True) if kinds is not None]
    for pair, kinds in judged:
        suspected = suspicion().suspects(kinds)
        counts[pair.right, suspected] += 1
        for kind in kinds - FOR_GOLD:
            of_kinds.setdefault(kind, Counter())[pair.right] += 1
        for error in pair.errors:
            errors.setdefault(error, Counter())[suspected] += 1
    return Trust(
        wrong_suspected=counts[False, True],
        right_suspected=counts[True, True],
        wrong=counts[False, True] + counts[False, False],
        right=counts[True, True] + counts[True, False],
        kinds={kind: (of[False], of[True]) for kind, of in sorted(of_kinds.items())},
        errors={name: Rate(of[True], of.total()) for name, of in sorted(errors.items())},
        unjudged=len(pairs) - len(judged),
        best=best_point([(suspicion().probability(kinds), pair.right) for pair, kinds in judged]),
    )


def audited_kinds(pairs: Sequence[LabelledPair], sources: PairSources) -> Iterator[frozenset[str] | None]:
    """The kinds of what is found about each pair, in order; None where its database isn't here."""
    with _Opened(sources) as opened:
        for pair in pairs:
            yield opened.kinds(pair)


class _Opened:
    """The databases of labelled pairs, opened when first needed."""

    def __init__(self, sources: PairSources) -> None:
        self._sources = sources
        folder = sources.data
        self._roots = sorted({*folder.glob("*_databases"), *folder.glob("*/*_databases"), folder})
        benchmark = sources.benchmark
        self._evidence = {(q.database_name, q.text.strip()): q.evidence for q in benchmark or ()}
        self._schemas = benchmark.schemas() if benchmark is not None and sources.schemas_alone else {}
        self._databases: dict[str, tuple[Database, KnowledgePack] | None] = {}
        self._copies = TemporaryDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._databases.values():
            if opened is not None:
                opened[0].close()
        self._copies.cleanup()

    def kinds(self, pair: LabelledPair) -> frozenset[str] | None:
        """The kinds of what is found about a pair; None where its database isn't here."""
        if pair.database not in self._databases:
            self._databases[pair.database] = self._open(pair.database)
        opened = self._databases[pair.database]
        if opened is None:
            return None
        database, pack = opened
        evidence = self._evidence.get((pair.database, pair.question.strip()), pair.evidence)
        question = BenchmarkQuestion(pair.id, pair.question, pair.database, (pair.sql,), evidence=evidence)
        seconds, offline = self._sources.seconds, self._sources.offline
        found = {kind for kind, _, _ in check_gold(question, pair.sql, database, seconds, pack)}
        if offline is not None:
            held = offline.hold(question, pair.sql, database, pack, seconds)
            found |= {held[0]} if held is not None else set()
        if self._sources.judge is not None:
            said = self._sources.judge.hold(question, pair.sql, database, pack)
            found |= {said[0]} if said is not None else set()
        return frozenset(found)

    def _open(self, name: str) -> tuple[Database, KnowledgePack] | None:
        file = Path(sqlite_file(name, *self._roots))
        if self._sources.schemas_alone:
            if name not in self._schemas:
                return None
            file = Path(self._copies.name) / f"{len(self._databases)}.sqlite"
            make_empty_copy(self._schemas[name], file)
        if not file.is_file():
            return None
        benchmark = self._sources.benchmark
        packs = benchmark.packs(name) if benchmark is not None else ()
        try:
            return connect(file), load_packs(*packs) if packs else KnowledgePack()
        except FathomError:
            return None
