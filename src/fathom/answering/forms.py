"""An answer as JSON values: one shape for the command line, pages and tools."""

import math
from dataclasses import asdict
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from fathom.records import Answer, Reading, Result, Trace

VERSION = 1
"""Of the JSON form of answers; another means that fields have changed their meaning."""


def as_json(answer: Answer, *, trace: bool = False) -> dict[str, Any]:
    """The answer as JSON values, on request with the `trace` of its steps.

    `ending` is sure, unsure or unknown; `shown` is null where it is the same as `result`.
    """
    return {
        "version": VERSION,
        "ending": answer.ending.value,
        "question": answer.question.text,
        "evidence": answer.question.evidence,
        "answer": answer.text,
        **_told(answer),
        "refusal": asdict(answer.refusal) if answer.refusal else None,
        "readings": [{"text": r.text, "answer": r.answer, **_told(r)} for r in answer.readings],
        "method": answer.method,
        **({"trace": trace_as_json(answer.trace)} if trace else {}),
    }


def _told(given: Answer | Reading) -> dict[str, Any]:
    shown = None if given.shown is None or given.shown == given.result else given.shown
    return {
        "sql": given.sql,
        "explanation": given.explanation,
        "assumptions": [asdict(a) for a in given.assumptions],
        "result": result_as_json(given.result) if given.result else None,
        "shown": {"sql": shown.sql, **result_as_json(shown)} if shown else None,
        "chart": dict(given.chart.specification) if given.chart else None,
        "confidence": given.confidence,
    }


def result_as_json(result: Result) -> dict[str, Any]:
    """A result as JSON values; `truncated` names the limit that cut it, or is null."""
    return {
        "columns": list(result.columns),
        "rows": [[cell_as_json(cell) for cell in row] for row in result.rows],
        "truncated": result.truncated,
        "seconds": round(result.seconds, 4),
    }


def trace_as_json(trace: Trace) -> dict[str, Any]:
    """The steps with what each found and used, and the usage of all together."""
    return {
        "steps": [
            {"name": s.name, "module": s.module, "found": dict(s.found), "usage": _usage(s.usage)}
            for s in trace.steps
        ],
        "usage": _usage(trace.usage),
    }


def cell_as_json(cell: Any) -> Any:
    """A cell as a JSON value: exact decimals and what JSON has no form for become text."""
    match cell:
        case None | bool() | int() | str():
            form: Any = cell
        case float():
            form = cell if math.isfinite(cell) else str(cell)
        case datetime() | date() | time():
            form = cell.isoformat()
        case bytes():
            form = cell.hex()
        case list() | tuple():
            form = [cell_as_json(c) for c in cell]
        case dict():
            form = {str(k): cell_as_json(v) for k, v in cell.items()}
        case _:
            form = str(cell)
    return form


def _usage(usage: Any) -> dict[str, Any]:
    return {
        name: str(value)
        if isinstance(value, Decimal)
        else round(value, 6)
        if isinstance(value, float)
        else value
        for name, value in asdict(usage).items()
    }
