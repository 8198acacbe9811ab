"""Holding one answer against gold, in any worker of any executor: all that goes in and out pickles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import Database, connect
from fathom.errors import DatabaseError, ErrorClass, FathomError, QueryError
from fathom.evaluation.comparisons import Case, Comparison, Table, Verdict, best, load_comparison
from fathom.evaluation.comparisons.table import distinct
from fathom.evaluation.gold_schema import SchemaItems, gold_schema, selected_items
from fathom.evaluation.metrics import jaccard, overlap, soft_f1
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import JudgedQuery, Preview, SelectionScore, preview
from fathom.evaluation.runs.response import Response
from fathom.records import Limits, Result

_HELD_ROWS = 200_000
_OPEN_DATABASES = 32


@dataclass(frozen=True, slots=True)
class Exam:
    """One response to judge, under a comparison's name; every query may take `seconds`."""

    question: BenchmarkQuestion
    response: Response
    comparison: str
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Marks:
    """What the judge found; the fields are those of `QuestionRecord` of the same names."""

    final: JudgedQuery
    jaccard: float | None = None
    soft_f1: float | None = None
    candidates: tuple[JudgedQuery, ...] = ()
    before_revision: JudgedQuery | None = None
    gold_schema: Mapping[str, list[str]] | None = None
    selection_score: SelectionScore | None = None
    rows: Preview | None = None
    gold_rows: Preview | None = None


def judge(exam: Exam) -> Marks:
    """Judge the best guess, every candidate and the query before revision against all gold queries."""
    question, response = exam.question, exam.response
    if not question.answerable:
        return _judge_unanswerable(response)
    try:
        bench = _Bench(exam, _database(question.database))
    except DatabaseError as error:
        return Marks(_failed(response.sql or "", f"the database can't be opened: {error}"))
    with_selection = _selection(exam, bench.database)
    return replace(
        with_selection,
        final=bench.judged(response.sql),
        jaccard=bench.partial(response.sql, "jaccard"),
        soft_f1=bench.partial(response.sql, "soft_f1"),
        candidates=tuple(bench.judged(c) for c in response.candidates),
        before_revision=bench.judged(response.before_revision) if response.revised else None,
        rows=bench.preview(response.sql),
        gold_rows=_previewed(next(iter(bench.golds.values()), None)),
    )


def _judge_unanswerable(response: Response) -> Marks:
    outcome = Outcome.CORRECT if response.declined else Outcome.INCORRECT
    note = "declined, as it should" if response.declined else "answered what can't be answered"
    return Marks(JudgedQuery(response.sql or "", outcome, note, float(response.declined)))


def _failed(sql: str, message: str, error_class: ErrorClass = ErrorClass.OTHER) -> JudgedQuery:
    return JudgedQuery(sql, Outcome.ERROR, "error", 0.0, message, error_class.value)


class _Bench:
    """The gold results of one question, run once, and what was judged against them."""

    def __init__(self, exam: Exam, database: Database) -> None:
        self.database = database
        self._exam = exam
        self._comparison: Comparison = load_comparison(exam.comparison)
        self._judged: dict[str, JudgedQuery] = {}
        self._tables: dict[str, Table] = {}
        self._verdicts: dict[str, tuple[Verdict, Table]] = {}
        self._gold_error = "no gold query is published"
        self.golds: dict[str, Table] = dict(self._run_golds())

    def _run_golds(self) -> Iterator[tuple[str, Table]]:
        for sql in self._exam.question.gold:
            try:
                yield sql, self._table(self._comparison.gold_sql(sql))
            except QueryError as error:
                self._gold_error = f"the gold query fails: {error.message}"

    def _table(self, sql: str) -> Table:
        limits = Limits(seconds=self._exam.seconds, rows=_HELD_ROWS)
        result: Result = self.database.run(sql, limits)

        def again() -> Iterator[tuple[Any, ...]]:
            with self.database.stream(sql, Limits(seconds=self._exam.seconds, rows=None, bytes=None)) as rows:
                yield from chain.from_iterable(rows)

        return Table(result.columns, list(result.rows), result.truncated is None, again)

    def judged(self, sql: str | None) -> JudgedQuery:
        """The outcome of one query; each distinct one is run once."""
        if not sql:
            return _failed("", "there is no query")
        if sql not in self._judged:
            try:
                self._judged[sql] = self._judge(sql)
            except QueryError as error:
                self._judged[sql] = _failed(sql, error.message, error.error_class)
        return self._judged[sql]

    def _judge(self, sql: str) -> JudgedQuery:
        predicted = self._tables[sql] = self._table(self._comparison.predicted_sql(sql))
        verdicts = [(self._compare(predicted, gold, text), gold) for text, gold in self.golds.items()]
        verdict = best(v for v, _ in verdicts)
        if verdict is None:
            return JudgedQuery(sql, Outcome.INCORRECT, "error", 0.0, self._gold_error)
        self._verdicts[sql] = next((v, g) for v, g in verdicts if v is verdict)
        outcome = Outcome.CORRECT if verdict.correct else Outcome.INCORRECT
        return JudgedQuery(sql, outcome, verdict.kind, verdict.score)

    def _compare(self, predicted: Table, gold: Table, sql: str) -> Verdict:
        question = self._exam.question
        case = Case(
            gold_sql=sql,
            question=question.text,
            tags=question.tags,
            dialect=self.database.dialect,
            run_gold=self._table,
        )
        return self._comparison.compare(predicted, gold, case)

    def partial(self, sql: str | None, measure: str) -> float | None:
        """The Jaccard index or soft F1 against the gold with the best verdict; 0 for a failure."""
        if sql is None or sql not in self._verdicts:
            return 0.0 if self.golds else None
        verdict, gold = self._verdicts[sql]
        predicted = self._tables[sql]
        if measure == "jaccard" and verdict.jaccard is not None:
            return verdict.jaccard
        if not (predicted.complete and gold.complete):
            return None
        if measure == "jaccard":
            return jaccard(distinct(predicted.held), distinct(gold.held))
        return soft_f1(predicted.held, gold.held)

    def preview(self, sql: str | None) -> Preview | None:
        """The beginning of a query's result."""
        return _previewed(self._tables.get(sql)) if sql else None


def _previewed(table: Table | None) -> Preview | None:
    if table is None:
        return None
    return preview(table.columns, table.held, len(table.held), cut=not table.complete)


def _selection(exam: Exam, database: Database) -> Marks:
    """The gold schema, and the selection held against it; the rest of the marks is still to come."""
    nothing = _failed("", "not judged")
    if not exam.question.gold:
        return Marks(nothing)
    try:
        needed = gold_schema(exam.question.gold[0], database.schema)
    except FathomError:  # gold that can't be parsed has no schema; that is no fault of the answer
        return Marks(nothing)
    selection = exam.response.selection
    score = _score(selected_items(selection, database.schema), needed) if selection else None
    return Marks(nothing, gold_schema=needed.as_json(), selection_score=score)


def _score(selected: SchemaItems, needed: SchemaItems) -> SelectionScore:
    tables, columns = overlap(selected.tables, needed.tables), overlap(selected.columns, needed.columns)
    return SelectionScore(
        tables.precision, tables.recall, tables.f1, columns.precision, columns.recall, columns.f1
    )


@lru_cache(maxsize=_OPEN_DATABASES)
def _database(url: str) -> Database:
    """One connection a process and database; those not used for longest are closed when collected."""
    return connect(url)
