"""Runs of methods that ask a model: whose it is, what it may use, and what the run keeps of it."""

import json
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark

from fathom.errors import BudgetExceeded, CassetteMiss, ConfigError, ModelFailed, ModelNeeded
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, evaluate
from fathom.llm import Budget, Cassette, Model, ScriptedModel
from fathom.records import Question


def scripted() -> ScriptedModel:
    return ScriptedModel.of(rules={"": "SELECT name FROM gene WHERE id = 1"})


def test_a_spent_budget_stops_the_run_and_a_greater_one_goes_on(tmp_path: Path) -> None:
    file, out = make_benchmark(tmp_path), tmp_path / "run"
    with pytest.raises(BudgetExceeded, match="3 of 3 calls"):
        evaluate(file, "zero-shot", RunOptions(model=scripted(), budget=Budget(calls=3), out=out))
    assert len((out / "records.jsonl").read_text().splitlines()) == 3
    rest = scripted()
    run = evaluate(file, "zero-shot", RunOptions(model=rest, budget=Budget(calls=1000), out=out))
    records = list(run.records())
    assert len({r.id for r in records}) == len(records) == QUESTIONS + 1
    assert len(rest.prompts) == QUESTIONS + 1 - 3
    assert all(r.usage["total"]["calls"] == 1 for r in records)
    assert run.summary().as_json()["correct"] == 1


def test_a_budget_counts_what_the_records_hold_and_no_run_twice(tmp_path: Path) -> None:
    file, out, budget = make_benchmark(tmp_path), tmp_path / "run", Budget(calls=5)
    evaluate(file, "zero-shot", RunOptions(model=scripted(), limit=3, budget=budget, out=out))
    with pytest.raises(BudgetExceeded, match="5 of 5 calls"):
        evaluate(file, "zero-shot", RunOptions(model=scripted(), budget=budget, out=out))
    for allowed, asked in ((5, 0), (7, 2)):  # as another start of the program finds it
        model = scripted()
        with pytest.raises(BudgetExceeded, match=f"{allowed} of {allowed} calls"):
            evaluate(file, "zero-shot", RunOptions(model=model, budget=Budget(calls=allowed), out=out))
        assert len(model.prompts) == asked


def test_a_budget_counts_what_was_spent_on_questions_that_it_broke_off(tmp_path: Path) -> None:
    file, out = make_benchmark(tmp_path), tmp_path / "run"
    asked = []
    for calls in (5, 5, 5, 6):  # three a question: the second one is broken off, again and again
        model = scripted()
        with pytest.raises(BudgetExceeded, match=f"{calls} of {calls} calls"):
            evaluate(file, "ta-sql", RunOptions(model=model, budget=Budget(calls=calls), out=out))
        asked.append(len(model.prompts))
    assert asked == [5, 0, 0, 1]
    run = evaluate(file, "ta-sql", RunOptions(model=scripted(), budget=Budget(calls=1000), out=out))
    assert len(list(run.records())) == QUESTIONS + 1


def test_what_a_question_cost_before_its_method_failed_is_kept_and_counts(tmp_path: Path) -> None:
    file, out = make_benchmark(tmp_path), tmp_path / "run"
    failing = ScriptedModel.of("SELECT 1", ModelFailed("m", "overloaded", "busy"))
    run = evaluate(file, "ta-sql", RunOptions(model=failing, limit=1, out=out))
    (record,) = run.records()
    assert record.error_class == "no_reply"
    assert record.usage["total"]["calls"] == 1
    assert record.usage["total"]["prompt_tokens"] > 0
    with pytest.raises(BudgetExceeded, match="1 of 1 calls"):
        evaluate(file, "ta-sql", RunOptions(model=scripted(), budget=Budget(calls=1), out=out))


@pytest.mark.parametrize("reason", ["authentication", "no_such_model", "quota", "unreachable"])
def test_a_model_that_will_not_answer_at_all_stops_the_run_and_it_goes_on_later(
    tmp_path: Path, reason: str
) -> None:
    file, out = make_benchmark(tmp_path), tmp_path / "run"
    answers = ["SELECT name FROM gene WHERE id = 1"] * 2
    ending = ScriptedModel.of(*answers, rules={"gene [2-9]": ModelFailed("m", reason, "no more")})
    with pytest.raises(ModelFailed, match="no more") as caught:
        evaluate(file, "zero-shot", RunOptions(model=ending, out=out))
    assert f"2 of {QUESTIONS + 1} questions are kept in {out}" in caught.value.__notes__[0]
    run = evaluate(file, "zero-shot", RunOptions(model=scripted(), out=out))
    records = list(run.records())
    assert len({r.id for r in records}) == len(records) == QUESTIONS + 1
    assert not [r for r in records if r.error_class == "no_reply"]


def test_a_reply_that_does_not_come_is_told_apart_from_a_wrong_one(tmp_path: Path) -> None:
    file = make_benchmark(tmp_path)
    failing = ScriptedModel.of(
        rules={"gene 3": ModelFailed("m", "overloaded", "busy"), "": "SELECT name FROM gene WHERE id = 1"}
    )
    run = evaluate(file, "zero-shot", RunOptions(model=failing, out=tmp_path / "run"))
    failed = [r.id for r in run.records() if r.error_class == "no_reply"]
    assert failed == ["q3"]
    assert run.summary().as_json()["error_classes"]["no_reply"] == 1


def test_a_callable_whose_model_will_not_answer_stops_the_run(tmp_path: Path) -> None:
    def ask(question: Question) -> str:
        raise ModelFailed("m", "quota", "no credit left")

    with pytest.raises(ModelFailed, match="no credit left"):
        evaluate(make_benchmark(tmp_path), ask, RunOptions(out=tmp_path / "run", workers=3))


def timeless(run: Run) -> list[object]:
    """A run's records as they are kept, without the seconds of our own code and of the database."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            timed = ("seconds", "own_seconds", "database_seconds")
            return {k: without(v) for k, v in value.items() if k not in timed}
        return [without(v) for v in value] if isinstance(value, list) else value

    lines = (run.folder / "records.jsonl").read_text().splitlines()
    return sorted((without(json.loads(line)) for line in lines), key=str)


def test_a_replayed_run_keeps_the_same_and_one_that_lacks_a_request_fails(tmp_path: Path) -> None:
    file, tape = make_benchmark(tmp_path), tmp_path / "tape.jsonl"
    cassette = Cassette(tape)
    with Model("openai:m", cassette.record(scripted().exchange), closing=cassette.close) as recording:
        recorded = evaluate(file, "rsl-sql", RunOptions(model=recording, limit=4, out=tmp_path / "some"))
    replaying = {"model": "openai:m", "cassette": tape, "replay": True}
    run = evaluate(file, "rsl-sql", RunOptions(limit=4, out=tmp_path / "same", **replaying))  # type: ignore[arg-type]
    assert timeless(run) == timeless(recorded)
    assert [r.usage["total"]["calls"] for r in run.records()] == [7] * 4
    with pytest.raises(CassetteMiss, match="holds no reply"):
        evaluate(file, "zero-shot-cot", RunOptions(out=tmp_path / "all", **replaying))  # type: ignore[arg-type]


def test_a_run_says_which_model_it_asked(tmp_path: Path) -> None:
    file = make_benchmark(tmp_path)
    run = evaluate(file, "zero-shot", RunOptions(model=scripted(), limit=1, out=tmp_path / "run"))
    kept = json.loads((run.folder / "run.json").read_text())
    assert kept["configuration"]["model"] == "scripted"


def test_a_method_that_asks_a_model_needs_one(tmp_path: Path) -> None:
    file = make_benchmark(tmp_path)
    with pytest.raises(ModelNeeded):
        evaluate(file, "zero-shot", RunOptions(out=tmp_path / "run"))
    with pytest.raises(ConfigError, match="name of a model"):
        evaluate(
            file, "zero-shot", RunOptions(model=scripted(), cassette=tmp_path / "tape", out=tmp_path / "run")
        )


def test_a_composed_method_is_another_run_when_its_steps_change(tmp_path: Path) -> None:
    file, method = make_benchmark(tmp_path), tmp_path / "mine.toml"
    method.write_text('[[steps]]\nstep = "continue_select"\n')
    run = evaluate(file, str(method), RunOptions(model=scripted(), limit=1, out=tmp_path / "run"))
    kept = json.loads((run.folder / "run.json").read_text())["configuration"]
    assert kept["method"] == "mine"
    assert kept["settings"]["steps"] == [{"step": "continue_select"}]
