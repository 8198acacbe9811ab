"""Errors inside the program that answers: no final records, and never taken for wrong answers."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark
from tests.evaluation.runs.test_run import right

from fathom.errors import InputError
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs import exams
from fathom.evaluation.runs.exams import Exam, Marks
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


class Stumbling:
    """Right about everything, but for what it stumbles over while it is `ill`."""

    __qualname__ = "stumbling"

    def __init__(self) -> None:
        self.ill = True
        self.asked: list[str] = []

    def __call__(self, question: Question) -> str | None:
        self.asked.append(question.id)
        if self.ill and question.id in {"q2", "q5"}:
            raise IndexError("string index out of range")
        if question.id == "q7":
            raise InputError("was told on purpose")
        return right(question)


def test_an_internal_error_is_kept_and_asked_again(tmp_path: Path, threads: Executor) -> None:
    subject, out = Stumbling(), tmp_path / "run"
    run = evaluate(make_benchmark(tmp_path), subject, RunOptions(out=out, executor=threads))
    found = {r.id: r for r in run.records()}
    assert found["q2"].error_class == found["q5"].error_class == "internal_error"
    assert found["q2"].error == "IndexError: string index out of range"
    assert "in __call__" in found["q2"].fault
    assert (found["q7"].error_class, found["q7"].fault) == ("other", "")
    figures = run.summary().all
    assert (figures["n"], figures["incorrect"], figures["error"]) == (QUESTIONS + 1, 0, 3)
    assert figures["error_classes"] == {"internal_error": 2, "other": 1}

    subject.ill, subject.asked = False, []
    again = evaluate(tmp_path / "genes.jsonl", subject, RunOptions(out=out, executor=threads))
    records = list(again.records())
    assert sorted(subject.asked) == ["q2", "q5"]  # what was told on purpose is final
    assert len(records) == len({r.id for r in records}) == QUESTIONS + 1
    assert {r.id for r in records if r.outcome is not Outcome.CORRECT} == {"q7"}


def _failing(exam: Exam) -> Marks:
    if exam.question.id == "q4":
        raise ZeroDivisionError
    return exams.judge(exam)


def test_an_error_of_the_judge_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fathom.evaluation.runs.run.judge", _failing)
    run = evaluate(make_benchmark(tmp_path), right, RunOptions(out=tmp_path / "run"))
    record = next(r for r in run.records() if r.id == "q4")
    assert (record.outcome, record.error_class) == (Outcome.ERROR, "internal_error")
    assert record.sql == "SELECT name FROM gene WHERE id = 4"
    assert "ZeroDivisionError" in record.fault
    monkeypatch.undo()
    again = evaluate(tmp_path / "genes.jsonl", right, RunOptions(out=tmp_path / "run"))
    assert again.summary().all["correct"] == QUESTIONS + 1


def test_people_are_told(tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_benchmark(tmp_path)

    def stumble(*_: object) -> None:
        raise KeyError("no such step")

    monkeypatch.setattr("fathom.methods.method._run_step", stumble)
    done = fathom("evaluate", file, "--limit", 2, "--out", tmp_path / "run")
    assert done.code == 0
    assert "2 of the errors happened inside the program" in " ".join(done.out.split())
    monkeypatch.undo()
    healed = fathom("evaluate", file, "--limit", 2, "--out", tmp_path / "run", "--json")
    assert json.loads(healed.out)["error_classes"].get("internal_error") is None
