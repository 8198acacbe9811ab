"""One question's predictions held against its gold; each distinct query runs once, connections are kept."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from fathom.benchmarks.sql_text import without_semicolon
from fathom.databases import Database, connect
from fathom.errors import FathomError, QueryError
from fathom.evaluation.comparisons import ComparedTable, Comparison, ComparisonCase, Verdict, best
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.scoring.results import SLOW, ResultStore
from fathom.records import Limits

HELD_ROWS = 200_000
HELD_BYTES = 64_000_000
_OPEN_DATABASES = 32
_KEPT_RESULTS = 512
_KEPT_ROWS = 300_000


class Task(NamedTuple):
    """One question with everything that is to be held against its gold. Pickles, and quickly."""

    position: int
    id: str
    database: str
    gold: tuple[str, ...]
    predictions: tuple[str, ...]
    question: str = ""
    tags: tuple[str, ...] = ()
    dialect: str = "sqlite"
    answerable: bool = True


class Scored(NamedTuple):
    """The score of one prediction."""

    outcome: Outcome
    verdict: str
    score: float
    error: str = ""
    error_class: str = ""
    vacuous: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Failure:
    """A query that gave no result, remembered so that it doesn't run again."""

    message: str
    error_class: str


@dataclass(slots=True)
class TaskJudge:
    """Judges tasks one after the other, in one process. `seconds` bounds each query.

    `shared` holds results for the run's other processes, `kept` those of gold queries for later runs.
    """

    comparison: Comparison
    seconds: float | None = 30.0
    shared: ResultStore | None = None
    kept: ResultStore | None = None
    _databases: OrderedDict[str, Database | _Failure] = field(default_factory=OrderedDict)
    _results: OrderedDict[tuple[str, str], ComparedTable | _Failure] = field(default_factory=OrderedDict)
    _kept_rows: int = 0

    def judge(self, task: Task) -> Iterator[Scored]:
        """One outcome for each prediction in order; where there is none, one that says so.

        Gold runs first, whatever became of the predictions: without any that runs nothing is judged.
        """
        if (unjudged := self.unjudged(task)) is not None:
            yield from [unjudged] * max(len(task.predictions), 1)
            return
        if not task.predictions:
            yield _without_query(task)
        seen: dict[str, Scored] = {}
        for sql in task.predictions:
            if sql not in seen:
                seen[sql] = self._on_all_databases(task, sql)
            yield seen[sql]

    def unjudged(self, task: Task) -> Scored | None:
        """Why nothing can be said about the question's predictions; None where they can be judged."""
        if not task.answerable:
            return None
        if not task.gold:
            return Scored(Outcome.UNJUDGED, "unjudged", 0.0, "the question has no gold", "no_gold")
        failed = None
        for gold in task.gold:
            found = self._result(task.database, self.comparison.gold_sql(gold), is_gold=True)
            if not isinstance(found, _Failure):
                return None
            failed = failed or found
        return _gold_failed(failed or _Failure("there is none", ""))

    def _on_all_databases(self, task: Task, sql: str) -> Scored:
        if not task.answerable:
            return Scored(Outcome.INCORRECT, "different", 0.0, note="the question has no answer")
        scored = Scored(Outcome.UNJUDGED, "unjudged", 0.0, "there is no database", "database")
        for database in _test_suite(task.database) if self._uses_test_suite else (task.database,):
            scored = self._on(database, task, sql)
            if scored.outcome is not Outcome.CORRECT:
                break
        return scored

    @property
    def _uses_test_suite(self) -> bool:
        return getattr(self.comparison, "test_suite", False)

    def _on(self, database: str, task: Task, sql: str) -> Scored:
        predicted = self._result(database, self.comparison.predicted_sql(sql))
        if isinstance(predicted, _Failure):
            if predicted.error_class == "database":
                return _gold_failed(predicted)
            return Scored(Outcome.ERROR, "error", 0.0, predicted.message, predicted.error_class)
        verdicts, failed = [], None
        try:
            for gold in task.gold:
                verdict = self._against(database, task, predicted, gold)
                if isinstance(verdict, _Failure):
                    failed = verdict
                    continue
                verdicts.append(verdict)
                if verdict.correct and verdict.kind == "exact":
                    break
        except QueryError as error:  # while a result too large to hold was read again
            return Scored(Outcome.ERROR, "error", 0.0, str(error), error.error_class.value)
        found = best(verdicts)
        if found is None:
            return _gold_failed(failed or _Failure("there is none", ""))
        outcome = Outcome.CORRECT if found.correct else Outcome.INCORRECT
        return Scored(outcome, found.kind, found.score, vacuous=found.vacuous, note=found.note)

    def _against(self, database: str, task: Task, predicted: ComparedTable, gold: str) -> Verdict | _Failure:
        table = self._result(database, self.comparison.gold_sql(gold), is_gold=True)
        if isinstance(table, _Failure):
            return table

        def run_gold(sql: str) -> ComparedTable | None:
            return self.table(database, sql)

        case = ComparisonCase(gold, task.question, task.tags, task.dialect, run_gold)
        return self.comparison.compare(predicted, table, case)

    def _result(self, database: str, sql: str, *, is_gold: bool = False) -> ComparedTable | _Failure:
        key = (database, without_semicolon(sql))
        if key in self._results:
            self._results.move_to_end(key)
            return self._results[key]
        found = self._stored_or_run(database, sql, is_gold)
        self._results[key] = found
        self._kept_rows += _rows(found)
        while len(self._results) > _KEPT_RESULTS or (self._kept_rows > _KEPT_ROWS and len(self._results) > 1):
            self._kept_rows -= _rows(self._results.popitem(last=False)[1])
        return found

    def table(self, database: str, sql: str) -> ComparedTable | None:
        """The result of a query, run at most once more; None where it failed."""
        found = self._result(database, sql)
        return None if isinstance(found, _Failure) else found

    def database(self, url: str) -> Database | None:
        """The open database; None where it can't be used."""
        found = self._open(url)
        return None if isinstance(found, _Failure) else found

    def _stored_or_run(self, database: str, sql: str, is_gold: bool) -> ComparedTable | _Failure:
        stores = [store for store in (self.shared, self.kept) if store is not None]
        name = stores[0].key(database, sql) if stores else None
        if name:
            found = next((table for store in stores if (table := store.load(name)) is not None), None)
            if found is not None:
                return found
        opened = self._open(database)
        if isinstance(opened, _Failure):
            return opened
        started = time.perf_counter()
        try:
            ran = fetch(opened, sql, self.seconds)
        except QueryError as error:
            return _Failure(str(error), error.error_class.value)
        store = self.kept if is_gold else self.shared
        if name and store is not None and time.perf_counter() - started > SLOW:
            store.save(name, ran)
        return ran

    def _open(self, database: str) -> Database | _Failure:
        if database in self._databases:
            self._databases.move_to_end(database)
            return self._databases[database]
        opened: Database | _Failure
        try:
            opened = connect(database)
        except FathomError as error:
            opened = _Failure(str(error), "database")
        self._databases[database] = opened
        if len(self._databases) > _OPEN_DATABASES:
            _close(self._databases.popitem(last=False)[1])
        return opened

    def close(self) -> None:
        """Close every connection."""
        while self._databases:
            _close(self._databases.popitem()[1])


def fetch(database: Database, sql: str, seconds: float | None) -> ComparedTable:
    """Run a query and hold its rows, or its first 200,000 rows or 64 MB where there are more.

    Raises `QueryError`.
    """
    with database.stream(sql, Limits(seconds, HELD_ROWS, HELD_BYTES)) as stream:
        rows = list(chain.from_iterable(stream))
    if stream.truncated is None:
        return ComparedTable(stream.columns, rows)

    def again() -> Iterator[tuple[object, ...]]:
        with database.stream(sql, Limits(seconds, None, None)) as anew:
            yield from chain.from_iterable(anew)

    return ComparedTable(stream.columns, rows, complete=False, again=again)


def _rows(found: ComparedTable | _Failure) -> int:
    return 0 if isinstance(found, _Failure) else len(found.held)


def _test_suite(database: str) -> Iterable[str]:
    """Every SQLite file beside the database, where the folder is the database's own."""
    path = Path(database)
    if path.suffix != ".sqlite" or path.parent.name != path.stem:
        return (database,)
    return sorted(map(str, path.parent.glob("*.sqlite"))) or (database,)


def _without_query(task: Task) -> Scored:
    if not task.answerable:
        return Scored(Outcome.CORRECT, "exact", 1.0, note="rightly declined")
    return Scored(Outcome.ERROR, "error", 0.0, "there is no query", "missing")


def _gold_failed(failure: _Failure) -> Scored:
    kind = "database" if failure.error_class == "database" else "gold"
    what = "the database can't be used" if kind == "database" else "the gold query failed"
    return Scored(Outcome.UNJUDGED, "unjudged", 0.0, f"{what}: {failure.message}", kind)


def _close(opened: Database | _Failure) -> None:
    if isinstance(opened, Database):
        opened.close()
