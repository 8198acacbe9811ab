"""Ambiguous questions with their readings: any is right, and giving all of them is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.runs.bench import make_benchmark

from fathom.benchmarks import load_benchmark
from fathom.errors import InputError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import summarise
from fathom.records import Draft, Question, Reading
from fathom.reports.report_files import write_report

READINGS = [
    {"text": "by number", "sql": "SELECT name FROM gene WHERE id = 1"},
    {"text": "by chromosome", "sql": "SELECT name FROM gene WHERE chr = '1'"},
]


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """Five questions: the first and the second may each mean two things."""
    path = make_benchmark(tmp_path, 5)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0] |= {"readings": READINGS, "gold": []}
    lines[1] |= {"readings": READINGS}
    return written(path, lines)


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def asks_back(question: Question, *queries: str) -> Draft:
    readings = tuple(Reading(f"reading {n}", sql) for n, sql in enumerate(queries))
    return Draft(question, readings=readings)


def run_of(benchmark: Path, answers: dict[str, Any], name: str = "mine") -> dict[str, Any]:
    def answered(question: Question) -> Any:
        given = answers.get(question.id)
        return asks_back(question, *given) if isinstance(given, tuple) else given

    done = evaluate(benchmark, answered, RunOptions(name=name, out=benchmark.parent / name))
    return dict(summarise(done.folder).all)


def test_the_query_of_each_reading_is_gold(benchmark: Path) -> None:
    first, second, *_ = load_benchmark(benchmark)
    assert first.gold == tuple(r["sql"] for r in READINGS)
    assert len(second.gold) == 2  # its own is the first reading's
    assert first.readings[1] == ("by chromosome", "SELECT name FROM gene WHERE chr = '1'")


def test_asking_back_with_all_readings_is_told(benchmark: Path) -> None:
    by_number, by_chromosome = (r["sql"] for r in READINGS)
    told = run_of(
        benchmark, {"q0": (by_number, by_chromosome), "q1": by_chromosome, "q2": ("SELECT 1",), "q3": None}
    )["ambiguity"]
    assert (told["asked_back"]["hits"], told["asked_back"]["n"]) == (1, 2)
    assert (told["asked_back_otherwise"]["hits"], told["asked_back_otherwise"]["n"]) == (1, 4)
    assert told["readings_found"]["value"] == pytest.approx(0.75)
    assert (told["all_readings"]["hits"], told["some_reading"]["hits"]) == (1, 2)


def test_an_answer_by_any_reading_is_right(benchmark: Path) -> None:
    found = run_of(benchmark, {"q0": READINGS[1]["sql"], "q1": READINGS[0]["sql"], "q2": "SELECT 'no'"})
    assert found["correct"] == 3  # with the one that can't be answered
    assert found["ambiguity"]["readings_found"]["value"] == pytest.approx(0.5)


def test_what_is_declined_without_readings_gives_none(benchmark: Path) -> None:
    found = run_of(benchmark, {})["ambiguity"]
    assert (found["asked_back"]["hits"], found["readings_found"]["value"]) == (0, 0.0)


def test_benchmarks_without_marks_tell_nothing(tmp_path: Path) -> None:
    assert run_of(make_benchmark(tmp_path, 2), {})["ambiguity"] is None


def test_reports_have_it(benchmark: Path, tmp_path: Path) -> None:
    run_of(benchmark, {"q0": READINGS[1]["sql"]})
    write_report([tmp_path / "mine"], tmp_path / "report.md")
    assert "### Ambiguous questions" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("readings", [READINGS[:1], "two", [READINGS[0], {"text": "x", "sql": " "}], [1, 2]])
def test_malformed_readings_are_told_by_line(benchmark: Path, readings: Any) -> None:
    lines = [json.loads(line) for line in benchmark.read_text().splitlines()]
    lines[2]["readings"] = readings
    with pytest.raises(InputError, match="text and sql") as caught:
        list(load_benchmark(written(benchmark, lines)))
    assert (caught.value.line, caught.value.field) == (3, "readings")
