import json
from pathlib import Path

import pytest

from fathom.errors import InputError
from fathom.evaluation.answers.people import import_scores
from fathom.evaluation.answers.relation import SCORES, jaccard_bin
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.runs.summary import summarise
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

JUDGED = [3.0, 2.0, 1.0, -1.0, 0.0, 2.5]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Six answers: the odd ones wrong, each judged by a model, in two families of categories."""
    folder = tmp_path / "run"
    folder.mkdir()
    configuration = {"method": "m", "benchmark": "b", "split": "", "digest": "d", "comparison": "biomedsql"}
    (folder / "run.json").write_text(json.dumps({"configuration": configuration}))
    with (folder / "records.jsonl").open("wb") as stream:
        for i in range(6):
            outcome = Outcome.INCORRECT if i % 2 else Outcome.CORRECT
            tags = ("Join", "Select")[: 1 + i % 2] + ("Effect", "Metadata")[i % 2 :]
            record = QuestionRecord(str(i), "q", "d", outcome, tags=tags, jaccard=i / 5, words="x")
            stream.write(record.line())
    lines = [
        json.dumps({"id": str(i), "score": s, "reason": "", "model": "judge"}) for i, s in enumerate(JUDGED)
    ]
    (folder / "judgements.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def _scores(file: Path, scores: dict[str, float]) -> Path:
    file.write_text("".join(json.dumps({"id": i, "score": s}) + "\n" for i, s in scores.items()))
    return file


def test_peoples_scores_stand_beside_the_judges(run: Path, tmp_path: Path) -> None:
    ours = {str(i): s for i, s in enumerate(JUDGED)} | {"5": 3.0}
    assert import_scores(run, [_scores(tmp_path / "ann.jsonl", ours)]) == {"ann": 6}
    words = summarise(run).all["words"]
    assert set(words) == {"judge", "ann"}
    found = words["judge"]["with"]["ann"]
    assert found["n"] == 6
    assert found["exact"] == pytest.approx(5 / 6)
    assert found["counts"][SCORES.index(2.5)][SCORES.index(3.0)] == 1
    assert found["spearman"]["value"] == pytest.approx(0.9856, abs=1e-3)
    assert 0 < found["spearman"]["p"] < 0.01 < found["pearson"]["value"]


def test_scores_are_held_against_execution_and_broken_down(run: Path) -> None:
    found = summarise(run).all["words"]["judge"]
    assert found["against"]["EX"]["n"] == 6
    assert found["against"]["EX"]["counts"][0][SCORES.index(3.0)] == 1
    assert found["against"]["EX"]["counts"][1][SCORES.index(-1.0)] == 1
    assert sum(map(sum, found["against"]["JAC"]["counts"])) == 6
    assert 0 < found["against"]["EX"]["cramers_v"]["value"] <= 1
    assert found["by"]["SQL category"]["Join"]["response_quality"]["n"] == 6
    assert found["by"]["biology category"]["Effect"]["response_quality"]["n"] == 3


def test_what_is_no_score_is_refused_and_nothing_is_lost(run: Path, tmp_path: Path) -> None:
    import_scores(run, [_scores(tmp_path / "ann.jsonl", {"1": 2.0})])
    kept = (run / "people.jsonl").read_bytes()
    for content, told in (
        ('{"id": "1", "score": 7}', "7 is no BioScore"),
        ('{"id": "99", "score": 1}', "no question '99'"),
        ('{"id": "1"}', "lacks 'score'; each line has an id and a score"),
        ('{"question": "1", "score": 1}', "lacks 'id'"),
        ("id,score", "can't be read; each line has an id and a score"),
        ('{"id": "1", "score": "good"}', "can't be read"),
        ('{"id": "1", "score": NaN}', "nan is no BioScore"),
        ('{"id": "1", "score": 1}\n{"id": "1", "score": 2}', "twice"),
        ("", "holds no score"),
    ):
        file = tmp_path / "bob.jsonl"
        file.write_text(content + "\n")
        with pytest.raises(InputError, match=told):
            import_scores(run, [file])
    assert (run / "people.jsonl").read_bytes() == kept


def test_bins_of_the_jaccard_index() -> None:
    assert [jaccard_bin(v) for v in (0, 0.1, 0.5, 0.99, 1)] == ["0", "(0, 0.5)", "[0.5, 1)", "[0.5, 1)", "1"]


def test_the_command_takes_scores_in_and_reports_show_them(tmp_path: Path, fathom: Fathom) -> None:
    benchmark = make_benchmark(tmp_path, 3)
    run = evaluate(benchmark, lambda _: "SELECT 'G1'", RunOptions(name="m", out=tmp_path / "run")).folder
    ann = _scores(tmp_path / "ann.jsonl", {"q0": 3, "q1": 1.5, "q2": -1})
    ben = _scores(tmp_path / "ben.jsonl", {"q0": 3, "q1": 2, "q2": -1})
    ben.write_text(ben.read_text().rstrip("\n"))  # as editors leave it
    done = fathom("judge", benchmark, run, "--people", ann, "--people", ben)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{person}: 3 BioScores kept in {run / 'people.jsonl'}." for person in ("ann", "ben")
    ]
    fathom("report", run, "-o", tmp_path / "r.md")
    lines = (tmp_path / "r.md").read_text(encoding="utf-8").splitlines()
    assert [one for one in lines if one.startswith("| A: m | ann and ben | 3 |") and "| 66.7 % |" in one]
    assert [one for one in lines if one.startswith("| A: m | ann | 33.3 %") and "1 of 2" in one]
    _scores(ann, {"q0": 0, "q1": 2, "q2": -1})
    assert "ann: 3 BioScores" in fathom("judge", benchmark, run, "--people", ann).out
    assert len((run / "people.jsonl").read_text().splitlines()) == 6  # ann's earlier ones are replaced


def test_the_command_says_what_is_wrong_with_a_file(tmp_path: Path, fathom: Fathom) -> None:
    benchmark = make_benchmark(tmp_path, 3)
    run = evaluate(benchmark, lambda _: None, RunOptions(out=tmp_path / "run")).folder
    file = tmp_path / "ann.jsonl"
    for content, told in (
        ('{"id": "q0", "score": 2}\n{"id": "q9", "score": 1}', "line 2: the run has no question 'q9'"),
        ('{"id": "q0", "rating": 2}', "ann.jsonl, line 1: lacks 'score'"),
        ('{"id": "q0", "score": 3.5}', "3.5 is no BioScore; there is: -1, 0, 0.5, 1, 1.5, 2, 2.5, 3"),
    ):
        file.write_text(content)
        done = fathom("judge", benchmark, run, "--people", file)
        assert (done.code, told in " ".join(done.err.split())) == (1, True), done.err
        assert "Traceback" not in done.err
    file.write_text('{"id": "q0", "score": 2}')
    assert "No such file" in fathom("judge", benchmark, run, "--people", tmp_path / "no.jsonl").err
    other = make_benchmark(tmp_path / "other", 4)
    assert "over other questions" in fathom("judge", other, run, "--people", file).err
    assert not (run / "people.jsonl").exists()
