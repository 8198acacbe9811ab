"""The record of one question: what was asked, what came of it, and what the judge found."""

from typing import Any

from fathom.benchmarks import BenchmarkQuestion
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.asker import INTERNAL, Asked
from fathom.evaluation.runs.exams import Marks
from fathom.evaluation.runs.record import QuestionRecord, usage_json
from fathom.evaluation.runs.response import Response
from fathom.methods.context import CUT, NOT_SENT
from fathom.records import Trace, Usage
from fathom.text import without_passwords


def record_of(position: int, question: BenchmarkQuestion, asked: Asked, marks: Marks) -> QuestionRecord:
    """The record of one question, as it was asked and judged."""
    response = asked.response or Response(None)
    selection, final = response.selection, marks.final
    fault = asked.fault or response.fault or marks.fault
    return QuestionRecord(
        id=question.id,
        question=question.text,
        database=without_passwords(question.database_name or question.database),
        outcome=final.outcome,
        position=position,
        evidence=question.evidence,
        difficulty=question.difficulty,
        tags=question.tags,
        answerable=question.answerable,
        gold=question.gold,
        sql=response.sql,
        verdict=final.verdict,
        score=final.score,
        jaccard=marks.jaccard,
        soft_f1=marks.soft_f1,
        error=final.error,
        error_class=INTERNAL if fault and final.outcome is not Outcome.UNJUDGED else final.error_class,
        declined=response.declined,
        refusal=response.refusal,
        confidence=response.confidence,
        candidates=marks.candidates,
        shown=marks.shown,
        before_revision=marks.before_revision,
        selection={t: list(c) for t, c in selection.tables.items()} if selection else None,
        gold_schema=marks.gold_schema,
        selection_score=marks.selection_score,
        usage=_usage(asked, response) if response.measured else {},
        seconds=asked.seconds if response.measured and response.timed else None,
        rows=marks.rows,
        gold_rows=marks.gold_rows,
        call=marks.call,
        words=response.words,
        fault=fault,
        readings=len(question.readings),
        readings_found=marks.readings_found,
        cut_replies=_cut_replies(response.trace),
        not_taken=_not_taken(response.trace),
        trace=tuple(
            {"name": s.name, "module": s.module, "found": s.found, "usage": usage_json(s.usage)}
            for s in response.trace.steps
        ),
    )


def _cut_replies(trace: Trace) -> int:
    """How many replies steps say were cut; a method of another package may keep anything under that name."""
    told = (step.found.get(CUT) for step in trace.steps)
    return sum(count for count in told if isinstance(count, int))


def _not_taken(trace: Trace) -> tuple[str, ...]:
    listed = (step.found.get(NOT_SENT) for step in trace.steps)
    return tuple(sorted({str(name) for names in listed if isinstance(names, list) for name in names}))


def _usage(asked: Asked, response: Response) -> dict[str, dict[str, Any]]:
    """Usage by module and in total; nothing where the method keeps no trace, for then it isn't known."""
    trace = response.trace
    if not trace.steps:
        return {"total": usage_json(asked.usage)} if asked.usage.calls else {}
    modules: dict[str, Usage] = {}
    for step in trace.steps:
        modules[step.module] = modules.get(step.module, Usage()) + step.usage
    told = {name: usage_json(used) for name, used in {**modules, "total": trace.usage}.items()}
    untold = {} if response.timed else dict.fromkeys(("model_seconds", "database_seconds", "own_seconds"))
    return {name: used | untold for name, used in told.items()}
