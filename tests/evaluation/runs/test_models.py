"""Runs of methods that ask a model: whose it is, what it may use, and what the run keeps of it."""

import json
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark

from fathom.errors import BudgetExceeded, ConfigError, ModelNeeded
from fathom.evaluation.runs.running import evaluate
from fathom.llm import Budget, ScriptedModel


def scripted() -> ScriptedModel:
    return ScriptedModel.of(rules={"": "SELECT name FROM gene WHERE id = 1"})


def test_a_spent_budget_stops_the_run_and_a_greater_one_goes_on(tmp_path: Path) -> None:
    file, out = make_benchmark(tmp_path), tmp_path / "run"
    with pytest.raises(BudgetExceeded, match="3 of 3 calls"):
        evaluate(file, "zero-shot", model=scripted(), budget=Budget(calls=3), out=out)
    assert len((out / "records.jsonl").read_text().splitlines()) == 3
    rest = scripted()
    run = evaluate(file, "zero-shot", model=rest, budget=Budget(calls=1000), out=out)
    records = list(run.records())
    assert len({r.id for r in records}) == len(records) == QUESTIONS + 1
    assert len(rest.prompts) == QUESTIONS + 1 - 3
    assert all(r.usage["total"]["calls"] == 1 for r in records)
    assert run.summary().as_json()["correct"] == 1


def test_a_run_says_which_model_it_asked(tmp_path: Path) -> None:
    file = make_benchmark(tmp_path)
    run = evaluate(file, "zero-shot", model=scripted(), limit=1, out=tmp_path / "run")
    kept = json.loads((run.folder / "run.json").read_text())
    assert kept["configuration"]["model"] == "scripted"


def test_a_method_that_asks_a_model_needs_one(tmp_path: Path) -> None:
    file = make_benchmark(tmp_path)
    with pytest.raises(ModelNeeded):
        evaluate(file, "zero-shot", out=tmp_path / "run")
    with pytest.raises(ConfigError, match="name of a model"):
        evaluate(file, "zero-shot", model=scripted(), cassette=tmp_path / "tape", out=tmp_path / "run")


def test_a_composed_method_is_another_run_when_its_steps_change(tmp_path: Path) -> None:
    file, method = make_benchmark(tmp_path), tmp_path / "mine.toml"
    method.write_text('[[steps]]\nstep = "continue-select"\n')
    run = evaluate(file, str(method), model=scripted(), limit=1, out=tmp_path / "run")
    kept = json.loads((run.folder / "run.json").read_text())["configuration"]
    assert kept["method"] == "mine"
    assert kept["settings"]["steps"] == [{"step": "continue select"}]
