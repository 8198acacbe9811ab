"""Judging a stored run: real records of a method that answers in words, and a scripted judge."""

import json
from pathlib import Path

import pytest

from fathom.benchmarks import Benchmark, load_benchmark
from fathom.errors import BudgetExceeded, InputError
from fathom.evaluation.answers import JUDGEMENTS, AnswerQuality, judge_run
from fathom.evaluation.runs.folder import RunError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import summarise
from fathom.interfaces.cli.run_display import print_summary
from fathom.llm import Budget, Cassette, Model, ScriptedModel
from fathom.records import Draft, Question
from fathom.reports.report_files import write_report
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

NO_WORDS = "q3"


def say(match: str) -> str:
    return json.dumps({"match": match, "irrelevance": "none", "reason": "as it stands"})


def judge() -> ScriptedModel:
    """Gene 0 exactly right, gene 1 not; of gene 2 nothing usable is said."""
    return ScriptedModel.of(rules={"gene 0": say("exact"), "gene 1 ": say("none"), "gene 2": "well ..."})


def answered(question: Question) -> Draft:
    words = "" if question.id == NO_WORDS else f"The answer to: {question.text}"
    return Draft(question).with_findings(answer=words)


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    """Four of the genes' questions with gold answers, a fifth without."""
    path = make_benchmark(tmp_path, 5)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines[:4]):
        line["answer"] = f"It is called G{number}."
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return load_benchmark(path)


@pytest.fixture
def run(benchmark: Benchmark, tmp_path: Path) -> Path:
    return evaluate(benchmark, answered, RunOptions(out=tmp_path / "run")).folder


def lines(run: Path) -> dict[str, float | None]:
    read = [json.loads(line) for line in (run / JUDGEMENTS).read_text(encoding="utf-8").splitlines()]
    assert len({r["id"] for r in read}) == len(read)
    return {r["id"]: r["score"] for r in read}


def test_each_question_with_a_gold_answer_gets_one_line(benchmark: Benchmark, run: Path) -> None:
    model = judge()
    found = AnswerQuality.of(judge_run(benchmark, run, model))
    assert lines(run) == {"q0": 3.0, "q1": 0.0, "q2": None, "q3": -1.0}
    assert (found.response_quality.hits, found.response_quality.trials, found.unjudged) == (1, 4, 1)
    assert (found.safety.hits, found.safety.trials) == (1, 2)
    assert "The answer to: What is gene 0 called?" in model.prompts[0]
    assert "It is called G0." in model.prompts[0]


def test_it_goes_on_where_it_was(benchmark: Benchmark, run: Path) -> None:
    judge_run(benchmark, run, judge())
    with (run / JUDGEMENTS).open("a", encoding="utf-8") as stream:
        stream.write('{"id": "q9", "sc')
    again = ScriptedModel.of(say("close"))
    judge_run(benchmark, run, again)
    assert len(again.prompts) == 1
    assert lines(run) == {"q0": 3.0, "q1": 0.0, "q2": 2.0, "q3": -1.0}


def test_a_spent_budget_keeps_what_was_judged(benchmark: Benchmark, run: Path) -> None:
    with pytest.raises(BudgetExceeded):
        judge_run(benchmark, run, judge().within(Budget(calls=1)))
    assert lines(run) == {"q0": 3.0, "q3": -1.0}


def test_judgements_of_two_models_are_not_mixed(benchmark: Benchmark, run: Path) -> None:
    judge_run(benchmark, run, judge())
    with pytest.raises(RunError, match="judgements of scripted"):
        judge_run(benchmark, run, Model("openai:other", judge().exchange))


def test_what_cannot_be_judged_is_told(benchmark: Benchmark, run: Path, tmp_path: Path) -> None:
    without = load_benchmark(make_benchmark(tmp_path / "without"))
    with pytest.raises(RunError, match="other questions"):
        judge_run(without, run, judge())
    silent = evaluate(without, lambda question: "SELECT 1", RunOptions(out=tmp_path / "silent")).folder
    with pytest.raises(InputError, match="no gold answers"):
        judge_run(without, silent, judge())
    wordless = evaluate(benchmark, lambda question: "SELECT 1", RunOptions(out=tmp_path / "wordless")).folder
    with pytest.raises(InputError, match="no answers in words"):
        judge_run(benchmark, wordless, judge())


def recorded(benchmark: Benchmark, run: Path, tape: Path) -> list[str]:
    """Judge a run, recording it; the command that does the same."""
    recording = Cassette(tape)
    judge_run(benchmark, run, Model("openai:judge", recording.record(judge().exchange), tools=True))
    recording.close()
    return ["judge", str(benchmark.files[0]), str(run), "--model", "openai:judge", "--cassette", str(tape)]


def test_the_command_replays_a_cassette(
    benchmark: Benchmark, run: Path, tmp_path: Path, fathom: Fathom
) -> None:
    words = recorded(benchmark, run, tmp_path / "judge.jsonl")
    first = (run / JUDGEMENTS).read_bytes()
    (run / JUDGEMENTS).unlink()
    code, out, _ = fathom(*words, "--replay", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["n"], told["unjudged"], told["response_quality"]["hits"]) == (4, 1, 1)
    assert (run / JUDGEMENTS).read_bytes() == first


def test_the_command_stops_within_its_budget(
    benchmark: Benchmark, run: Path, tmp_path: Path, fathom: Fathom
) -> None:
    words = recorded(benchmark, run, tmp_path / "judge.jsonl")
    (run / JUDGEMENTS).unlink()
    stopped = fathom(*words, "--replay", "--max-tokens", "1")
    assert stopped.code == 1
    assert "tokens" in stopped.err
    assert len(lines(run)) < 4
    assert fathom(*words, "--replay", "--max-tokens", "1000000").code == 0
    assert len(lines(run)) == 4


def test_summaries_and_reports_tell_both_rates_and_who_judged(
    benchmark: Benchmark, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert summarise(run).all["words"] is None
    judge_run(benchmark, run, Model("openai:judge", judge().exchange))
    (quality,) = summarise(run).all["words"].values()
    assert (quality["response_quality"]["hits"], quality["response_quality"]["n"]) == (1, 4)
    assert (quality["safety"]["hits"], quality["safety"]["n"], quality["unjudged"]) == (1, 2, 1)
    for kind in ("md", "html", "csv", "json"):
        write_report([run], tmp_path / f"report.{kind}")
    told = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| openai:judge | 25.0 % (4.6 to 69.9; 1 of 4) | 50.0 % (9.5 to 90.5; 1 of 2) | 1 |" in told
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "response quality rate (RQR)" in page
    assert "openai:judge" in page
    assert "words.openai:judge.safety,0.5" in (tmp_path / "report.csv").read_text(encoding="utf-8")
    assert '"unjudged": 1' in (tmp_path / "report.json").read_text(encoding="utf-8")
    print_summary(summarise(run))
    printed = capsys.readouterr().out
    assert "safety rate (SR), judged by openai:judge" in printed
    assert f"every table of it: fathom report {run} --print\n" in printed
