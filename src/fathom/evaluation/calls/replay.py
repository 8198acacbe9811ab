"""Calls of systems that Fathom never ran: a file of predictions, asked question by question like a caller."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fathom.benchmarks import Benchmark
from fathom.benchmarks.calls import ToolCall, called
from fathom.benchmarks.record_files import records
from fathom.evaluation.runs.response import Response, in_a_row
from fathom.records import Question


def replay_calls(benchmark: Benchmark, file: Path) -> Callable[[Question], Response]:
    """Answer each question with its call in a JSONL file, or a JSON array, of records `id` and call.

    A call is `endpoint` (or `name`) and `arguments`, or both in `function_calling`; several in a row are a
    list `calls` of such objects. A record without one declines, and so does a question without a record.
    Raises `InputError` for a file that can't be read so, or that holds a question which isn't in the
    benchmark.
    """
    known = {question.id for question in benchmark}
    found: dict[str, tuple[ToolCall, ...]] = {}
    for record in records(file):
        identifier = record.text("id")
        if identifier not in known:
            raise record.wrong(f"{identifier!r} is no question of {benchmark.name}", "id")
        found[identifier] = called(record)

    def answer(question: Question) -> Response:
        calls = found.get(question.id) or ()
        return replace(in_a_row(calls), declined=not calls, measured=False)

    return answer
