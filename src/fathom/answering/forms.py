"""An answer as JSON values: one shape for the command line, pages and tools."""

import math
from dataclasses import asdict
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from fathom.records import Answer, Result, Trace


def as_json(answer: Answer) -> dict[str, Any]:
    """The whole answer as JSON values. `status` is `answered`, `declined` or `asks_back`."""
    return {
        "status": status(answer),
        "question": answer.question.text,
        "answer": answer.text,
        "sql": answer.sql,
        "explanation": answer.explanation,
        "assumptions": [asdict(a) for a in answer.assumptions],
        "result": result_as_json(answer.result) if answer.result else None,
        "chart": dict(answer.chart.specification) if answer.chart else None,
        "confidence": answer.confidence,
        "refusal": asdict(answer.refusal) if answer.refusal else None,
        "readings": [asdict(r) for r in answer.readings],
        "method": answer.method,
        "trace": trace_as_json(answer.trace),
    }


def status(answer: Answer) -> str:
    """Which of the three an answer is: `answered`, `declined`, `asks_back`."""
    if answer.readings:
        return "asks_back"
    return "declined" if answer.refusal else "answered"


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
