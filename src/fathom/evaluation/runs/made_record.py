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
from fathom.records.shared_fields import shared_fields
from fathom.text import without_passwords


def record_of(position: int, question: BenchmarkQuestion, asked: Asked, marks: Marks) -> QuestionRecord:
    """The record of one question, as it was asked and judged."""
    response = asked.response or Response(None)
    selection, judged = response.selection, judged_fields(marks)
    fault = asked.fault or response.fault or marks.fault
    if fault and marks.final.outcome is not Outcome.UNJUDGED:
        judged["error_class"] = INTERNAL
    of_its_own = {
        "question": question.text,
        "database": without_passwords(question.database_name or question.database),
        "position": position,
        "selection": {t: list(c) for t, c in selection.tables.items()} if selection else None,
        "usage": _usage(asked, response) if response.measured else {},
        "seconds": asked.seconds if response.measured and response.timed else None,
        "fault": fault,
        "readings": len(question.readings),
        "cut_replies": _cut_replies(response.trace),
        "not_taken": _not_taken(response.trace),
        "trace": tuple(
            {"name": s.name, "module": s.module, "found": s.found, "usage": usage_json(s.usage)}
            for s in response.trace.steps
        ),
    }
    asked_and_said = {**shared_fields(question, QuestionRecord), **shared_fields(response, QuestionRecord)}
    return QuestionRecord(**{**asked_and_said, **judged, **of_its_own})


def judged_fields(marks: Marks) -> dict[str, Any]:
    """The fields of a record that the judge decides; whether it failed itself is told apart."""
    final = shared_fields(marks.final, QuestionRecord, but=("sql",))
    return final | shared_fields(marks, QuestionRecord, but=("fault",))


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
    if response.price_range is not None:
        told["total"] |= dict(zip(("least_usd", "most_usd"), response.price_range, strict=True))
    return {name: used | untold for name, used in told.items()}
