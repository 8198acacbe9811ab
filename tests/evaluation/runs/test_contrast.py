from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import make_benchmark

from fathom.errors import InputError
from fathom.evaluation.runs.contrast import contrast, labelled, moved
from fathom.evaluation.runs.grid import read_grid, run_grid
from fathom.evaluation.runs.running import evaluate
from fathom.records import Question


def good(question: Question) -> str | None:
    return None if question.id == "idk" else f"SELECT name FROM gene WHERE id = {question.id[1:]}"


def worse(question: Question) -> str | None:
    if question.id in {"q1", "q2", "q3"}:
        return f"SELECT chr FROM gene WHERE id = {question.id[1:]}"
    return "SELECT missing" if question.id == "q4" else good(question)


@pytest.fixture
def two_runs(tmp_path: Path) -> list[Path]:
    benchmark = make_benchmark(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        return [
            evaluate(benchmark, m, out=tmp_path / m.__name__, executor=pool).folder for m in (good, worse)
        ]


def test_runs_side_by_side(two_runs: list[Path]) -> None:
    found = contrast(two_runs)
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("good", "worse")
    assert (pair.correct.only_first, pair.correct.only_second, pair.correct.both) == (4, 0, 9)
    assert pair.correct.p_value == pytest.approx(0.125)
    assert pair.seconds is not None
    assert pair.tokens is None  # neither keeps a trace: unknown, not zero
    assert found.overlap["good", "worse"].value is None  # one of them has no failure
    assert found.solved["all"] == [0, 4, 9]
    assert found.front["seconds"]
    assert found.front["tokens"] == []
    assert set(found.as_json()["correct_at_budget"]) == {"seconds"}


def test_why_questions_moved(two_runs: list[Path]) -> None:
    found = {m.id: m for m in moved(two_runs[0], two_runs[1], "sqlite")}
    assert set(found) == {"q1", "q2", "q3", "q4"}
    assert (found["q1"].before, found["q1"].after) == ("correct", "incorrect")
    assert found["q1"].why == "select: without name, with chr"
    assert found["q4"].after == "error"
    assert "no such column" in found["q4"].why


def test_labels_tell_runs_apart(two_runs: list[Path]) -> None:
    assert list(labelled([two_runs[0], two_runs[0]])) == ["good (good)", "good (good) #2"]
    with pytest.raises(InputError, match="holds no run"):
        labelled([two_runs[0].parent])


def test_a_grid_is_checked_before_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    for text, told in [
        ("methods = []\nbenchmarks = ['geoquery']", "at least one method"),
        ("methods = ['m']\nbenchmark = ['geoquery']", "Did you mean 'benchmarks'"),
        ("methods = ['m']\nlimit = 'x'\nbenchmarks = ['geoquery']", "field 'limit': must be int"),
        ("methods = ['m']\n[[benchmarks]]\nsplit = 'dev'", "'benchmarks.name': is missing"),
        ("methods = ['m', 'm']\nbenchmarks = ['geoquery']", "holds geoquery-m twice"),
        ("methods = [", "can't be read as TOML"),
    ]:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            read_grid(file)


def test_a_cell_that_cannot_run_keeps_no_other_from_running(tmp_path: Path) -> None:
    make_benchmark(tmp_path)
    file = tmp_path / "grid.toml"
    file.write_text(
        "methods = ['nobody']\nlimit = 2\nbenchmarks = ['genes.jsonl', 'nowhere']", encoding="utf-8"
    )
    cells = read_grid(file)
    assert [c.benchmark for c in cells] == [str(tmp_path / "genes.jsonl"), "nowhere"]
    done = run_grid(cells, tmp_path / "runs")
    assert not done.runs
    assert [type(e).__name__ for _, e in done.failed] == ["UnknownName", "UnknownName"]
