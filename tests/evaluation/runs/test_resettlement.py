"""Reports by settled gold: the run stays, corrected questions are judged anew, those at fault left out."""

import json
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

from fathom.benchmarks import load_benchmark
from fathom.errors import InputError
from fathom.evaluation.runs.contrast import contrast
from fathom.evaluation.runs.folder import RunError, read_records
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.resettlement import resettled
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import summarise
from fathom.records import Candidate, Draft, Question

LOWER = "SELECT lower(name) FROM gene WHERE id = 2"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Right on q0 and q1; on q2 it gives what people settle on; nothing on the others."""

    def answered(question: Question) -> Draft:
        number = question.id.removeprefix("q")
        sql = {"q2": LOWER}.get(question.id, f"SELECT name FROM gene WHERE id = {number}")
        known = sql if question.id in {"q0", "q1", "q2"} else None
        candidates = (Candidate("SELECT 1"), Candidate(sql))
        return Draft(question, sql=known, candidates=candidates if known else ())

    return evaluate(make_benchmark(tmp_path, 5), answered, RunOptions(out=tmp_path / "run")).folder


@pytest.fixture
def settled(tmp_path: Path) -> Path:
    lines = [
        {"id": "q1", "decision": "gold_right"},
        {"id": "q2", "decision": "gold_wrong", "gold": [LOWER]},
        {"id": "q3", "decision": "question_wrong"},
    ]
    file = tmp_path / "settled.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_corrected_gold_counts_and_faults_are_left_out(run: Path, settled: Path, tmp_path: Path) -> None:
    before = summarise(run).all
    told = resettled(run, load_benchmark(tmp_path / "genes.jsonl"), settled, tmp_path / "new")
    after = summarise(tmp_path / "new").all
    assert (told.corrected, told.left_out) == (("q2",), ("q3",))
    assert (before["correct"], before["asked"]) == (2, 6)
    assert (after["correct"], after["asked"]) == (3, 5)
    assert summarise(run).all["correct"] == 2  # the run itself is as it was
    record = next(r for r in read_records(tmp_path / "new") if r.id == "q2")
    assert record.gold == (LOWER,)
    assert [c.outcome.value for c in record.candidates] == ["incorrect", "correct"]
    assert record.soft_f1 == 1.0


def test_it_is_told_and_paired_with_others_as_before(run: Path, settled: Path, tmp_path: Path) -> None:
    resettled(run, load_benchmark(tmp_path / "genes.jsonl"), settled, tmp_path / "new")
    content = json.loads((tmp_path / "new" / "run.json").read_text())
    assert "1 with corrected gold, 1 left out" in content["configuration"]["settings"]["settled"]
    (pair,) = contrast([run, tmp_path / "new"]).pairs
    assert (pair.correct.n, pair.correct.only_second) == (5, 1)


def test_runs_of_other_questions_are_refused(run: Path, settled: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="other questions"):
        resettled(run, load_benchmark(make_benchmark(tmp_path / "b", 4)), settled, tmp_path / "new")
    settled.write_text('{"id": "q1", "decision": "maybe"}\n')
    with pytest.raises(InputError, match="gold_wrong"):
        resettled(run, load_benchmark(tmp_path / "genes.jsonl"), settled, tmp_path / "new")


def test_the_report_reads_it(run: Path, settled: Path, tmp_path: Path, fathom: Fathom) -> None:
    page = tmp_path / "report.md"
    named = ("--benchmark", tmp_path / "genes.jsonl")
    done = fathom("report", run, "--out", page, "--settled", settled, *named)
    assert done.code == 0, done.err
    assert "1 with corrected gold, 1 left out" in " ".join(done.err.split())
    assert "3 of 5" in page.read_text()
    assert fathom("report", run, "--out", page).code == 0
    assert "2 of 6" in page.read_text()
    assert fathom("report", run, "--out", page, *named).code == 1
