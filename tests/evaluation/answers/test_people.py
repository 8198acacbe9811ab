import json
from pathlib import Path

import pytest

from fathom.errors import InputError
from fathom.evaluation.answers.people import import_scores
from fathom.evaluation.answers.relation import SCORES, jaccard_bin
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.summary import summarise

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
        ('{"id": "1"}', "needs an id and a score"),
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
