"""A scripted judge of queries over a real run: kept apart, asked once, against what execution says."""

import json
from pathlib import Path

import pytest

from fathom.errors import BudgetExceeded, InputError
from fathom.evaluation.answers.equivalence import judge_queries, read_equivalences
from fathom.evaluation.runs.folder import EQUIVALENCES, RunError
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import summarise
from fathom.llm import Budget, Cassette, Model, ScriptedModel
from fathom.records import Question
from fathom.reports.report_files import write_report
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

QUERIES = {
    "q0": "select name  from gene where id = 0;",  # as gold is, but for spaces and capitals
    "q1": "SELECT name FROM gene WHERE name = 'G1'",  # right on this content alone
    "q2": "SELECT 'G9'",
    "q3": "SELECT nme FROM gene",
}


def say(verdict: str) -> str:
    return json.dumps({"verdict": verdict, "reason": "as it stands"})


def judge() -> ScriptedModel:
    return ScriptedModel.of(
        rules={"gene 1 ": say("different"), "gene 2": say("different"), "gene 3": say("unclear")}
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    def answered(question: Question) -> str | None:
        return QUERIES.get(question.id)

    return evaluate(make_benchmark(tmp_path, 5), answered, RunOptions(out=tmp_path / "run")).folder


def test_queries_with_gold_are_judged_and_the_same_words_need_no_judge(run: Path) -> None:
    model = judge()
    found = {one.id: one.verdict for one in judge_queries(run, model)}
    assert found == {"q0": "equivalent", "q1": "different", "q2": "different", "q3": "unclear"}
    assert len(model.prompts) == 3
    assert all("known to be right" in p and "gold" not in p for p in model.prompts)
    assert {line["model"] for line in map(json.loads, (run / EQUIVALENCES).read_text().splitlines())} == {
        "scripted"
    }


def test_the_sides_do_not_tell_which_is_gold(run: Path) -> None:
    model = judge()
    judge_queries(run, model)
    golds_first = [p.index("WHERE id = ") < p.index(QUERIES[f"q{n}"]) for n, p in _by_gene(model.prompts)]
    assert set(golds_first) == {True, False}


def _by_gene(prompts: list[str]) -> list[tuple[int, str]]:
    return [(n, p) for n in (1, 2, 3) for p in prompts if f"gene {n} called" in p]


def test_verdicts_stand_beside_execution_and_change_nothing(run: Path) -> None:
    before = summarise(run).all
    judge_queries(run, judge())
    after = summarise(run).all
    assert after["correct_rate"] == before["correct_rate"]
    assert before["equivalence"] is None
    told = after["equivalence"]["scripted"]
    assert (told["equivalent"]["hits"], told["equivalent"]["n"]) == (1, 4)
    counts = dict(zip(told["rows"], told["counts"], strict=True))
    assert told["columns"] == ["equivalent", "different", "unclear"]
    assert counts == {"correct": [1, 1, 0], "incorrect": [0, 1, 0], "error": [0, 0, 1]}


def test_what_was_judged_is_not_asked_again(run: Path) -> None:
    with pytest.raises(BudgetExceeded):
        judge_queries(run, judge().within(Budget(calls=2)))
    again = judge()
    judge_queries(run, again)
    assert len(again.prompts) == 1
    other = Model("another", judge().exchange)
    with pytest.raises(RunError, match="scripted"):
        judge_queries(run, other)


def test_a_changed_query_is_judged_anew(run: Path) -> None:
    judge_queries(run, judge())
    records = (run / "records.jsonl").read_text()
    (run / "records.jsonl").write_text(records.replace("SELECT 'G9'", "SELECT 'G8'"))
    again = judge()
    judge_queries(run, again)
    assert len(again.prompts) == 1


def test_a_judge_that_fails_leaves_it_unjudged(run: Path) -> None:
    found = judge_queries(run, ScriptedModel.of(rules={"gene 1 ": "well ...", ".": say("different")}))
    assert {one.id: one.verdict for one in found}["q1"] is None
    told = summarise(run).all["equivalence"]["scripted"]
    assert (told["unjudged"], told["different"]["n"]) == (1, 3)


def test_damage_and_runs_without_queries_are_told(run: Path, tmp_path: Path) -> None:
    judge_queries(run, judge())
    file = run / EQUIVALENCES
    file.write_text(file.read_text().replace('"unclear"', '"perhaps"'))
    with pytest.raises(InputError, match="damaged"):
        read_equivalences(run)
    none = evaluate(
        tmp_path / "genes.jsonl", lambda _: None, RunOptions(name="none", out=tmp_path / "none")
    ).folder
    with pytest.raises(InputError, match="no query with gold"):
        judge_queries(none, judge())


def test_the_command_and_the_report(run: Path, tmp_path: Path, fathom: Fathom) -> None:
    tape = tmp_path / "tape.jsonl"
    recording = Cassette(tape)
    judge_queries(run, Model("openai:judge", recording.record(judge().exchange), tools=True))
    recording.close()
    (run / EQUIVALENCES).unlink()
    asked = ("judge", tmp_path / "genes.jsonl", run, "--queries", "--model", "openai:judge")
    done = fathom(*asked, "--cassette", tape, "--replay")
    assert done.code == 0, done.err
    assert "correct by execution: 1 equivalent, 1 different, 0 unclear" in " ".join(done.out.split())
    told = json.loads(fathom(*asked, "--cassette", tape, "--replay", "--json").out)
    assert told["different"]["hits"] == 2
    write_report([run], tmp_path / "report.md")
    page = (tmp_path / "report.md").read_text()
    assert "## Equivalence as a model judges it" in page
    assert "openai:judge" in page
