"""A run judged anew by what people settled about suspect gold, without asking anybody again."""

import json
from dataclasses import replace
from pathlib import Path

from fathom.benchmarks import Benchmark
from fathom.benchmarks.settled import SettledGold, with_settled
from fathom.evaluation.answers.stored import check_run_is_of
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.folder import (
    CONFIGURATION,
    JUDGEMENTS,
    PEOPLE,
    RECORDS,
    read_configuration,
    read_records,
)
from fathom.evaluation.runs.made_record import judged_fields
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.response import Response
from fathom.files import write_whole
from fathom.records import Selection


def resettled(
    folder: Path, benchmark: Benchmark, file: Path, out: Path, *, seconds: float = 30.0
) -> SettledGold:
    """Write a run as settled gold has it: corrected questions judged anew, those at fault left out.

    The run itself stays as it was; `out` is the folder of the one written, which tells of the settlement.
    Each query may take `seconds`. Raises `RunError` where the run is of other questions, and as
    `with_settled`.
    """
    check_run_is_of(benchmark, folder)
    asked, told = with_settled(benchmark, file)
    corrected = {q.id: q for q in asked if q.id in set(told.corrected)}
    content = read_configuration(folder)
    comparison = str(content["configuration"]["comparison"])

    def judged(record: QuestionRecord) -> QuestionRecord:
        if record.id not in corrected:
            return record
        question = corrected[record.id]
        marks = judge(Exam(question, _response(record), comparison, seconds))
        return replace(record, gold=question.gold, **judged_fields(marks))

    kept = [judged(r) for r in read_records(folder) if r.id not in set(told.left_out)]
    settings = {**content["configuration"].get("settings", {}), "settled": str(told)}
    configuration = {**content["configuration"], "settings": settings}
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / CONFIGURATION, json.dumps({**content, "configuration": configuration}, indent=1))
    write_whole(out / RECORDS, b"".join(record.line() for record in kept))
    for name in (JUDGEMENTS, PEOPLE):  # of answers in words, which no query's gold touches
        if (folder / name).exists():
            write_whole(out / name, (folder / name).read_bytes())
    return told


def _response(record: QuestionRecord) -> Response:
    """Rebuild the response from the record."""
    before = record.before_revision
    selection = Selection({t: tuple(c) for t, c in record.selection.items()}) if record.selection else None
    return Response(
        record.sql,
        declined=record.declined,
        refusal=record.refusal,
        confidence=record.confidence,
        candidates=tuple(c.sql for c in record.candidates),
        shown=tuple(s.sql for s in record.shown),
        before_revision=before.sql or None if before else None,
        revised=before is not None,
        selection=selection,
        words=record.words,
    )
