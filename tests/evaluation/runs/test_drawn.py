"""What records and figures tell of replies that were cut, or drawn otherwise than asked for."""

from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.runs.bench import make_benchmark

from fathom.evaluation.runs.folder import read_records
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.repeats import repeats_of
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import Summary, summarise
from fathom.interfaces.cli.run_display import print_summary
from fathom.llm import ScriptedModel
from fathom.records import Draft, Question, Step, Trace

CUT, NOT_TAKEN = "replies cut at their length", "not taken by the model"
FOUND: dict[str, list[dict[str, Any]]] = {
    "q0": [{CUT: 2}, {CUT: 1, NOT_TAKEN: ["seed"]}],
    "q1": [{NOT_TAKEN: ["seed", "temperature"]}],
    "q2": [{CUT: "many", NOT_TAKEN: "all"}],  # another package's own finding of that name
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    def answered(question: Question) -> Draft:
        steps = (Step(f"s{n}", "generation", found) for n, found in enumerate(FOUND.get(question.id, [])))
        return Draft(question, sql="SELECT 1", trace=Trace(tuple(steps)))

    return evaluate(make_benchmark(tmp_path, 4), answered, RunOptions(out=tmp_path / "run")).folder


def test_each_record_tells_its_own(run: Path) -> None:
    told = {r.id: (r.cut_replies, r.not_taken) for r in read_records(run)}
    assert told["q0"] == (3, ("seed",))
    assert told["q1"] == (0, ("seed", "temperature"))
    assert told["q2"] == told["q3"] == (0, ())


def test_figures_count_questions(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = summarise(run)
    assert found.all["replies"] == {"cut": 1, "not_taken": {"seed": 2, "temperature": 1}}
    print_summary(found)
    said = " ".join(capsys.readouterr().out.split())
    assert "On 1 of 5 questions a reply was cut at the most tokens it may have" in said
    assert "The model didn't take seed: on 2 of 5 questions" in said


def test_runs_that_ask_a_model_repeat_each_other(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path, 2)

    def summary(seed: int | None, tokens: int | None, place: str) -> Summary:
        model = ScriptedModel.of(rules={"": "name FROM gene"})
        done = evaluate(
            benchmark,
            "zero-shot",
            RunOptions(model=model, seed=seed, reply_tokens=tokens, out=tmp_path / place),
        )
        return done.summary()

    seeded = [summary(1, None, "a"), summary(2, None, "b"), summary(None, None, "c")]
    others = [summary(1, 900, "d"), summary(2, 900, "e")]
    assert [one.runs for one in repeats_of([*seeded, *others])] == [3, 2]
