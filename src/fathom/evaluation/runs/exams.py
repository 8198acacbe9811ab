"""Holding one answer against gold, in any worker of any executor: all that goes in and out pickles."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases.query_columns import SchemaItems, items_of, selected_items
from fathom.errors import FathomError
from fathom.evaluation.comparisons import ComparedTable, load_comparison
from fathom.evaluation.comparisons.table import distinct
from fathom.evaluation.metrics import jaccard, overlap, soft_f1
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import CallRecord, JudgedQuery, Preview, SelectionScore, preview
from fathom.evaluation.runs.response import Response
from fathom.evaluation.scoring.judge import Scored, Task, TaskJudge

_PER_THREAD = threading.local()


@dataclass(frozen=True, slots=True)
class Exam:
    """One response to judge, under a comparison's name; every query may take `seconds`.

    `error` and its class say what the method raised, where it gave no response.
    """

    question: BenchmarkQuestion
    response: Response
    comparison: str
    seconds: float = 30.0
    error: str = ""
    error_class: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The judge's results; the fields are those of `QuestionRecord` of the same names."""

    final: JudgedQuery
    jaccard: float | None = None
    soft_f1: float | None = None
    candidates: tuple[JudgedQuery, ...] = ()
    shown: tuple[JudgedQuery, ...] = ()
    before_revision: JudgedQuery | None = None
    gold_schema: Mapping[str, list[str]] | None = None
    selection_score: SelectionScore | None = None
    rows: Preview | None = None
    gold_rows: Preview | None = None
    call: CallRecord | None = None
    fault: str = ""
    readings_found: int = 0


def failed(message: str, *, sql: str = "", error_class: str = "other") -> Marks:
    """The marks of a question without a result to compare."""
    return Marks(JudgedQuery(sql, Outcome.ERROR, "error", 0.0, message, error_class), 0.0, 0.0)


def judge(exam: Exam) -> Marks:
    """Judge all queries of a response against all gold ones: guess, candidates, readings, before revision."""
    question, response = exam.question, exam.response
    if exam.error and not question.answerable:
        return failed(exam.error, error_class=exam.error_class)
    if not question.answerable and response.declined:
        declined = JudgedQuery(response.sql or "", Outcome.CORRECT, "exact", 1.0)
        # To show a reading of what can't be answered is never right.
        shown = tuple(JudgedQuery(sql, Outcome.INCORRECT, "mismatch", 0.0) for sql in response.shown)
        return Marks(declined, 1.0, 1.0, shown=shown)
    judging = _judge(exam)
    queries = list(
        dict.fromkeys(
            q for q in (response.sql, *response.candidates, *response.shown, response.before_revision) if q
        )
    )
    task = _task(question, queries, judging)
    unjudged = judging.unjudged(task)
    if exam.error and unjudged is None:
        return failed(exam.error, error_class=exam.error_class)
    found = dict(zip(queries, judging.judge(task), strict=False))
    gold = [
        t for g in question.gold if (t := judging.table(question.database, judging.comparison.gold_sql(g)))
    ]
    table = _predicted(judging, question, found, response.sql)
    final = _judged(found, response.sql) if unjudged is None else _of(response.sql or "", unjudged)
    needed, selection_score = _selection(judging, exam)
    return Marks(
        final=final,
        jaccard=_jaccard(exam, final, table, gold),
        soft_f1=_best_soft_f1(table, gold) if unjudged is None else None,
        candidates=tuple(_judged(found, c) for c in response.candidates),
        shown=tuple(_judged(found, s) for s in response.shown),
        before_revision=_judged(found, response.before_revision) if response.revised else None,
        gold_schema=needed.as_json() if needed else None,
        selection_score=selection_score,
        rows=_previewed(table),
        gold_rows=_previewed(gold[0] if gold else None),
        readings_found=_readings_found(judging, question, response),
    )


def _readings_found(judging: TaskJudge, question: BenchmarkQuestion, response: Response) -> int:
    """How many readings of an ambiguous question the response gives: as its answer, or to choose among."""
    given = (*response.shown, None if response.declined else response.sql)
    queries = [sql for sql in dict.fromkeys(given) if sql]
    return sum(
        any(s.outcome is Outcome.CORRECT for s in judging.judge(_task(one, queries, judging)))
        for _, sql in question.readings
        for one in (replace(question, gold=(sql,)),)
    )


def _judge(exam: Exam) -> TaskJudge:
    """One judge a thread and comparison: it keeps connections and results, and isn't made to be shared."""
    judges: dict[tuple[str, float], TaskJudge] = _PER_THREAD.__dict__.setdefault("judges", {})
    key = exam.comparison, exam.seconds
    if key not in judges:
        judges[key] = TaskJudge(load_comparison(exam.comparison), exam.seconds)
    return judges[key]


def _task(question: BenchmarkQuestion, queries: Sequence[str], judging: TaskJudge) -> Task:
    database = judging.database(question.database)
    return Task(
        position=0,
        id=question.id,
        database=question.database,
        gold=question.gold,
        predictions=tuple(queries),
        question=question.text,
        tags=question.tags,
        dialect=database.dialect if database else "",
        answerable=question.answerable,
    )


def _judged(found: Mapping[str, Scored], sql: str | None) -> JudgedQuery:
    if not sql:
        return JudgedQuery("", Outcome.ERROR, "error", 0.0, "there is no query", "missing")
    return _of(sql, found[sql])


def _of(sql: str, scored: Scored) -> JudgedQuery:
    score = None if scored.outcome is Outcome.UNJUDGED else scored.score
    return JudgedQuery(
        sql, scored.outcome, scored.verdict, score, scored.error or None, scored.error_class or None
    )


def _predicted(
    judging: TaskJudge, question: BenchmarkQuestion, found: Mapping[str, Scored], sql: str | None
) -> ComparedTable | None:
    if not sql or not question.answerable or found[sql].error_class:
        return None
    return judging.table(question.database, judging.comparison.predicted_sql(sql))


def _jaccard(
    exam: Exam, final: JudgedQuery, table: ComparedTable | None, golds: Sequence[ComparedTable]
) -> float | None:
    if final.outcome is Outcome.UNJUDGED or exam.comparison == "biomedsql":
        return final.score
    return _best_jaccard(table, golds)


def _best_jaccard(table: ComparedTable | None, golds: Sequence[ComparedTable]) -> float | None:
    """Against the most similar gold; 0 for a failure, None where not all rows are held."""
    if table is None:
        return 0.0
    whole = [g for g in golds if g.complete and table.complete]
    return max((jaccard(distinct(table.held), distinct(g.held)) for g in whole), default=None)


def _best_soft_f1(table: ComparedTable | None, golds: Sequence[ComparedTable]) -> float | None:
    if table is None:
        return 0.0
    whole = [g for g in golds if g.complete and table.complete]
    return max((soft_f1(table.held, g.held) for g in whole), default=None)


def _previewed(table: ComparedTable | None) -> Preview | None:
    if table is None:
        return None
    return preview(table.columns, table.held, len(table.held), cut=not table.complete)


def _selection(judging: TaskJudge, exam: Exam) -> tuple[SchemaItems | None, SelectionScore | None]:
    """The gold schema, and the selection held against it."""
    database = judging.database(exam.question.database)
    if database is None or not exam.question.gold:
        return None, None
    try:
        needed = items_of(exam.question.gold[0], database.schema)
    except FathomError:  # gold that can't be parsed has no schema; that is no fault of the answer
        return None, None
    selection = exam.response.selection
    return needed, _score(selected_items(selection, database.schema), needed) if selection else None


def _score(selected: SchemaItems, needed: SchemaItems) -> SelectionScore:
    tables, columns = overlap(selected.tables, needed.tables), overlap(selected.columns, needed.columns)
    return SelectionScore(
        tables.precision, tables.recall, tables.f1, columns.precision, columns.recall, columns.f1
    )
