"""Runs of one method through time: gains, losses, and which run brought them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

from fathom.errors import InputError
from fathom.evaluation.runs.history import histories
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question

N = 12


def right_on(wrong: set[int]) -> Callable[[Question], str]:
    def answered(question: Question) -> str:
        number = int(question.text.split()[3]) if "called?" in question.text else 0
        return "SELECT 'no'" if number in wrong else f"SELECT name FROM gene WHERE id = {number}"

    return answered


def made(folder: Path, name: str, wrong: set[int], at: str, **more: Any) -> Path:
    """A run that is right but on some questions, said to have begun at a time."""
    benchmark = folder / "genes.jsonl"
    benchmark = benchmark if benchmark.exists() else make_benchmark(folder, N)
    asked = more.pop("method", "mine")
    done = evaluate(
        benchmark, right_on(wrong), RunOptions(name=asked, out=folder / "runs" / name, **more)
    ).folder
    content = json.loads((done / "run.json").read_text())
    content["starts"][-1] |= {"at": at, "code": {"commit": f"{name:0<40}", "dirty": False}}
    (done / "run.json").write_text(json.dumps(content))
    return done


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Named against the order of their times; the latest loses eight of twelve."""
    made(tmp_path, "b", {3}, "2026-01-01T10:00:00+00:00")
    made(tmp_path, "c", {4}, "2026-01-02T10:00:00+00:00", settings={"temperature": 0.5})
    made(tmp_path, "a", {4, *range(5, 12)}, "2026-01-03T10:00:00+00:00", settings={"temperature": 0.5})
    return tmp_path / "runs"


def test_runs_stand_in_the_order_of_their_time(runs: Path) -> None:
    (found,) = histories([runs])
    assert [s.folder.name for s in found.stages] == ["b", "c", "a"]
    assert (found.name, found.benchmark) == ("mine", "genes")
    assert [s.commit for s in found.stages] == ["b00000000000", "c00000000000", "a00000000000"]
    assert [s.correct.hits for s in found.stages] == [11, 11, 4]


def test_each_change_says_what_was_gained_and_lost(runs: Path) -> None:
    first, second, third = histories([runs])[0].stages
    assert first.change is None
    assert second.change is not None
    assert third.change is not None
    assert (second.change.gained, second.change.lost) == (("q3",), ("q4",))
    assert second.change.settings == ("temperature",)
    assert not second.change.worse
    assert third.change.lost == tuple(f"q{n}" for n in range(5, 12))
    assert third.change.settings == ()
    # 7 lost, none gained: twice 0.5 to the 7th, and twice that for two changes
    assert third.change.p_value == pytest.approx(4 * 0.5**7)
    assert third.change.worse


def test_the_latest_change_alone_is_a_regression(runs: Path, tmp_path: Path) -> None:
    assert histories([runs])[0].regressed
    made(tmp_path, "d", {3}, "2026-01-04T10:00:00+00:00")
    assert not histories([runs])[0].regressed


def test_other_methods_and_questions_are_other_histories(runs: Path, tmp_path: Path) -> None:
    made(tmp_path, "other", set(), "2026-01-05T10:00:00+00:00", method="theirs")
    evaluate(
        make_benchmark(tmp_path / "more", N - 1), right_on(set()), RunOptions(name="mine", out=runs / "fewer")
    )
    found = {(h.name, h.benchmark, len(h.stages)) for h in histories([runs])}
    assert found == {("mine", "genes", 3), ("theirs", "genes", 1), ("mine", "genes", 1)}


def test_the_command_shows_and_checks(runs: Path, tmp_path: Path, fathom: Fathom) -> None:
    done = fathom("history", runs)
    assert done.code == 0
    assert "a: lost q5, q6" in done.out
    assert "worse" in done.out
    assert fathom("history", runs, "--check").code == 1
    assert fathom("history", runs / "b", runs / "c", "--check").code == 0
    told = json.loads(fathom("history", runs, "--json").out)["histories"][0]
    assert told["regressed"] is True
    assert [r["change"]["lost"] for r in told["runs"][1:]] == [["q4"], [f"q{n}" for n in range(5, 12)]]
    assert fathom("history").code == 1


def test_a_place_without_runs_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        histories([tmp_path])
