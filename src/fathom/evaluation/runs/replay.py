"""Runs of systems that Fathom never ran: prediction files, asked question by question like any method."""

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from fathom.benchmarks import Benchmark
from fathom.evaluation.runs.response import Response
from fathom.evaluation.scoring.pairing import Lookup, rule_for
from fathom.records import Question, Selection, Step, Trace, Usage
from fathom.records.trace import Module

_MODULES: Mapping[str, Module] = {
    "schema_selection": "selection",
    "schema_extraction": "selection",
    "candidate_generation": "generation",
    "query_revision": "revision",
    "revision": "revision",
}


def replay(
    benchmark: Benchmark, final: Path, *, before: Path | None = None
) -> Callable[[Question], Response]:
    """Answer each question with what a file of predictions holds for it; None found is an empty answer.

    `final` may be in any form that `fathom score` reads; a folder of NL2SQLBench records also gives its
    selections, candidates and usage. `before` holds the queries that entered the last module, and makes
    that module a revision. Raises `InputError` for a file that can't be read.
    """
    found = _records(final) if final.is_dir() else _queries(benchmark, final)
    earlier = _queries(benchmark, before) if before else {}

    def answer(question: Question) -> Response:
        response = found.get(question.id, Response(None, declined=True, measured=False))
        if before is None:
            return response
        entered = earlier.get(question.id)
        return Response(
            response.sql,
            candidates=entered.candidates if entered else (),
            before_revision=entered.sql if entered else None,
            revised=True,
            measured=False,
        )

    return answer


def _queries(benchmark: Benchmark, file: Path) -> dict[str, Response]:
    lookup = Lookup(file, rule_for(benchmark, file))
    found = {}
    for position, question in enumerate(benchmark):
        prediction = lookup.find(question, position)
        if prediction is not None and prediction.candidates:
            several = prediction.candidates if len(prediction.candidates) > 1 else ()
            found[question.id] = Response(prediction.candidates[0], candidates=several, measured=False)
    return found


def _records(folder: Path) -> dict[str, Response]:
    """NL2SQLBench: files of records, one a module, with the paper's names of fields or its code's."""
    by_question: dict[str, list[dict[str, Any]]] = {}
    for record in _read(folder):
        key = str(record.get("question_id", record.get("id", "")))
        by_question.setdefault(key, []).append(record)
    return {key: _response(records) for key, records in by_question.items()}


def _read(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.rglob("*.json")):
        try:
            content = json.loads(file.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError):  # one question lost; scoring tells which one has no prediction
            continue
        for record in content if isinstance(content, list) else [content]:
            if isinstance(record, dict):
                yield record


def _response(records: list[dict[str, Any]]) -> Response:
    by_module = {_MODULES[n]: r for r in records if (n := str(r.get("node_type"))) in _MODULES}
    selected = by_module.get("selection", {}).get("extracted_schema")
    candidates = _sql(by_module.get("generation", {}))
    revised = _sql(by_module.get("revision", {}))
    first = candidates[0] if candidates else None
    measured = all(_is_measured(r) for r in by_module.values()) and bool(by_module)
    return Response(
        revised[0] if revised else first,
        candidates=candidates,
        before_revision=first,
        revised="revision" in by_module,
        selection=_selection(selected),
        trace=Trace(tuple(Step(m, m, usage=_usage(r)) for m, r in by_module.items())),
        measured=measured,
    )


def _sql(record: Mapping[str, Any]) -> tuple[str, ...]:
    value = record.get("SQL", record.get("PREDICTED_SQL"))
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(v for v in listed if isinstance(v, str) and v.strip())


def _selection(value: object) -> Selection | None:
    if not isinstance(value, dict):
        return None
    return Selection({str(t): tuple(map(str, c)) for t, c in value.items() if isinstance(c, list)})


def _is_measured(record: Mapping[str, Any]) -> bool:
    return any(name in record for name in ("token_cost", "prompt_tokens", "total_tokens"))


def _usage(record: Mapping[str, Any]) -> Usage:
    def number(*names: str) -> int:
        return next((int(record[n]) for n in names if isinstance(record.get(n), int | float)), 0)

    cost = record.get("cost_usd")
    return Usage(
        calls=number("llm_calls", "call_llm_times"),
        prompt_tokens=number("prompt_tokens", "token_cost", "total_tokens"),
        completion_tokens=number("completion_tokens"),
        cost_usd=Decimal(str(cost)) if isinstance(cost, int | float) else None,
    )
