import json
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.data import needed
from tests.evaluation.scoring.conftest import RIGHT, bench, by_position, lines

from fathom.benchmarks import QuestionSelection, load_benchmark

__all__ = ["bench"]


@pytest.fixture
def right(bench: Path) -> Path:
    return lines(bench.parent / "p.jsonl", [{"id": k, "sql": v} for k, v in RIGHT.items()])


def test_the_summary_has_counts_beside_every_share(bench: Path, right: Path, fathom: Fathom) -> None:
    done = fathom("score", bench, right)
    assert done.code == 0
    assert "100.00 % correct, 5 of 5" in done.out
    assert "semantic" in done.out


def test_json_is_one_object(bench: Path, right: Path, fathom: Fathom) -> None:
    done = fathom("score", bench, right, "--json", "--as", "bird")
    told = json.loads(done.out)
    assert done.code == 0
    assert (told["n"], told["correct"], told["comparison"]) == (5, 5, "bird")
    several = fathom("score", bench, right, right, "--json")
    assert [one["correct"] for one in json.loads(several.out)["scores"]] == [5, 5]


def test_details_of_several_files_go_into_a_folder(
    bench: Path, right: Path, tmp_path: Path, fathom: Fathom
) -> None:
    fathom("score", bench, right, right, "--details", tmp_path / "d")
    assert sorted(f.name for f in (tmp_path / "d").iterdir()) == ["01-p.jsonl", "02-p.jsonl"]


def test_what_cannot_be_judged_stands_in_the_headline(bench: Path, right: Path, fathom: Fathom) -> None:
    with bench.open("a") as file:
        for name, gold, database in (("q5", "SELECT 1", "away.sqlite"), ("q6", "SELECT nope", "t.sqlite")):
            file.write(json.dumps({"id": name, "question": "?", "database": database, "gold": [gold]}) + "\n")
    with right.open("a") as file:
        file.writelines(json.dumps({"id": name, "sql": "SELECT 1"}) + "\n" for name in ("q5", "q6"))
    out = fathom("score", bench, right).out
    head = out.splitlines()[0]
    assert "100.00 % correct, 5 of 5 judged" in head
    assert "2 not judged: 1 because their databases aren't here, 1 because their gold fails" in head
    assert "note        1 x the database can't be used: There is no file" in out


def test_questions_of_one_database_are_taken_together(tmp_path: Path, fathom: Fathom) -> None:
    """All of one database is right, and nearly none of the other: two tell next to nothing."""
    predictions = by_position(tmp_path, "txt")
    answers = predictions.read_text().splitlines()
    predictions.write_text("\n".join(sql if i % 2 or i < 4 else "SELECT 99" for i, sql in enumerate(answers)))
    told = json.loads(fathom("score", tmp_path, predictions, "--json").out)
    low, high = told["clustered"]["interval"]
    assert low < 0.1 < told["interval"][0] < told["interval"][1] < high == 1
    assert (told["clustered"]["databases"], told["clustered"]["wider"] > 2) == (2, True)
    interval, wider = (
        f"{100 * low:.2f} to {100 * high:.2f}",
        f"{told['clustered']['wider']:.1f} times as wide",
    )
    scored = fathom("score", tmp_path, predictions).out
    assert f"clustered   95 % interval {interval} over 2 databases, {wider}" in scored
    one = ("score", tmp_path, predictions, "--database", "a")
    assert "clustered" not in fathom(*one).out
    assert json.loads(fathom(*one, "--json").out)["clustered"] is None
    evaluating = ("evaluate", tmp_path, "--predictions", predictions, "-o", tmp_path / "run")
    shown = f"{100 * low:.1f} to {100 * high:.1f} (2 databases; {wider})"
    assert f"correct, databases resampled {shown}" in " ".join(fathom(*evaluating).out.split())
    assert json.loads(fathom(*evaluating, "--json").out)["clustered"] == told["clustered"]
    fathom("report", tmp_path / "run", "-o", tmp_path / "r.md")
    assert shown in (tmp_path / "r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ("--ids 125,91 --ids FILE", QuestionSelection(ids=("91", "93", "110", "125"))),
        ("--database b", QuestionSelection(databases=("b",))),
        ("--sample 7 --seed 4", QuestionSelection(sample=7, seed=4)),
    ],
)
def test_a_part_of_the_questions_keeps_its_predictions(
    tmp_path: Path, fathom: Fathom, options: str, choice: QuestionSelection
) -> None:
    """The predictions stand by position; each is right for its own question alone."""
    predictions = by_position(tmp_path, "txt")
    (tmp_path / "ids").write_text("110\n93\n")
    part = options.replace("FILE", str(tmp_path / "ids")).split()
    details, run = tmp_path / "details.jsonl", tmp_path / "run"
    scored = fathom("score", tmp_path, predictions, *part, "--details", details, "--json")
    evaluated = fathom("evaluate", tmp_path, "--predictions", predictions, *part, "-o", run, "--json")
    chosen = {question.id for question in load_benchmark(tmp_path).only(choice)}
    for done, records in ((scored, details), (evaluated, run / "records.jsonl")):
        asked = [json.loads(line)["id"] for line in records.read_text(encoding="utf-8").splitlines()]
        assert (set(asked), len(asked)) == (chosen, len(chosen))
        assert json.loads(done.out)["correct"] == len(chosen)


def test_questions_without_gold_are_never_wrong(
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_DATA", str(needed("bibench").parent))
    part = ("--sample", "3")
    predictions = tmp_path / "p.txt"
    predictions.write_text("SELECT 1\n" * 3)
    scored = fathom("score", "bi-bench", predictions, *part)
    assert scored.out.splitlines()[0].endswith("nothing judged; 3 not judged: they have no gold")
    evaluated = fathom("evaluate", "bi-bench", *part, "-o", tmp_path / "run")
    for words in ("3 not judged: they have no gold.", "coverage", "seconds a question"):
        assert words in evaluated.out
    assert "correct" not in evaluated.out
    checked = fathom("benchmarks", "check", "bi-bench")
    assert "has no gold queries to check" in checked.out


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["BENCH", "nowhere.json"], 1, "No such file"),
        (["spyder", "FILE"], 1, "Did you mean 'spider'"),
        (["BENCH", "FILE", "--as", "brid"], 1, "Did you mean 'bird'"),
        (["BENCH", "FILE", "--as", "bird", "--keep-distinct"], 1, "belongs to the comparison spider"),
        (["BENCH", "FILE", "--executor", "spark://x"], 1, "dask://host:port"),
        (["BENCH", "FILE", "--details", "/dev/full"], 1, "No space left"),
        (["BENCH"], 2, ""),
        (["BENCH", "FILE", "--nope"], 2, ""),
        (["BENCH", "FILE", "--timeout", "soon"], 2, ""),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    right: Path, fathom: Fathom, arguments: list[str], code: int, text: str
) -> None:
    files = {"BENCH": right.with_name("own.jsonl"), "FILE": right}
    done = fathom("score", *(files.get(word, word) for word in arguments))
    assert done.code == code
    assert text in done.err
    assert "Traceback" not in done.err
