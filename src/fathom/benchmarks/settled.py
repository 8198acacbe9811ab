"""People's settlements of suspect gold: it is corrected, or its question is left out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fathom.benchmarks.record_files import json_lines
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion

DECISIONS = ("gold_right", "gold_wrong", "question_wrong", "ambiguous")


@dataclass(frozen=True, slots=True)
class SettledGold:
    """The ids of questions with another gold than published, and of those that are left out."""

    corrected: tuple[str, ...]
    left_out: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.corrected)} with corrected gold, {len(self.left_out)} left out as at fault"


def with_settled(benchmark: Benchmark, file: Path) -> tuple[Benchmark, SettledGold]:
    """A benchmark with the gold that people settled on, in a file that `fathom review export` wrote of
    suspects; and which questions to leave out.

    A question whose gold is wrong has the corrected one; where nobody wrote one it is to be left out, as are
    questions that are themselves at fault or ambiguous. Raises `InputError` for a decision that is none, and
    for a question that the benchmark doesn't have.
    """
    golds: dict[str, tuple[str, ...]] = {}
    at_fault: dict[str, None] = {}
    known = {question.id for question in benchmark.read()}
    for record in json_lines(file):
        name, decision = record.text("id"), record.text("decision")
        if decision not in DECISIONS:
            raise record.wrong(f"must be one of {', '.join(DECISIONS)}", "decision")
        if name not in known:
            raise record.wrong(f"{benchmark.name} has no question {name!r}", "id")
        gold = record.texts("gold")
        if decision == "gold_wrong" and gold:
            golds[name] = gold
        elif decision != "gold_right":
            at_fault[name] = None

    def read() -> Iterator[BenchmarkQuestion]:
        for question in benchmark.read():
            yield replace(question, gold=golds[question.id]) if question.id in golds else question

    return replace(benchmark, read=read), SettledGold(tuple(golds), tuple(at_fault))
