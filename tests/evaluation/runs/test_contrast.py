import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark
from tests.reports.stored import make_run

from fathom.errors import InputError
from fathom.evaluation.metrics import holm
from fathom.evaluation.runs.contrast import contrast, contrasts, labelled, moved
from fathom.evaluation.runs.grid import read_grid, run_grid
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question


def good(question: Question) -> str | None:
    return None if question.id == "idk" else f"SELECT name FROM gene WHERE id = {question.id[1:]}"


def worse(question: Question) -> str | None:
    if question.id in {"q1", "q2", "q3"}:
        return f"SELECT chr FROM gene WHERE id = {question.id[1:]}"
    return "SELECT missing" if question.id == "q4" else good(question)


@pytest.fixture
def two_runs(tmp_path: Path) -> list[Path]:
    benchmark = make_benchmark(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        return [
            evaluate(benchmark, m, RunOptions(out=tmp_path / m.__name__, executor=pool)).folder
            for m in (good, worse)
        ]


def test_runs_side_by_side(two_runs: list[Path]) -> None:
    found = contrast(two_runs)
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("good", "worse")
    assert (pair.correct.only_first, pair.correct.only_second, pair.correct.both) == (4, 0, 9)
    assert pair.correct.p_value == pytest.approx(0.125)
    assert pair.seconds is not None
    assert pair.tokens is None  # neither keeps a trace: unknown, not zero
    assert found.overlap["good", "worse"].value is None  # one of them has no failure
    assert found.solved["all"] == [0, 4, 9]
    assert found.front["seconds"]
    assert found.front["tokens"] == []
    assert set(found.as_json()["correct_at_budget"]) == {"seconds"}


def test_failures_have_a_class_and_questions_a_type(two_runs: list[Path]) -> None:
    found = contrast([two_runs[1], two_runs[0]])
    of = found.as_json()["failure_classes"]
    assert of["good"] == {}  # it has no failure
    assert {k: v for k, v in of["worse"]["BIRD"]["counts"].items() if v} == {
        "schema linking": 3,
        "database content": 1,
    }
    assert of["worse"]["BiomedSQL"]["examples"]["incorrect tables"] == ["q4"]
    assert of["worse"]["BIRD"]["n"] == 4
    types = found.summaries["worse"].by["question type"]
    assert (types["match"]["n"], types["match"]["correct"]) == (12, 8)
    assert found.unsolved == ()
    assert contrast([two_runs[1]]).unsolved == ("q1", "q2", "q3", "q4")


def test_why_questions_moved(two_runs: list[Path]) -> None:
    found = {m.id: m for m in moved(two_runs[0], two_runs[1], "sqlite")}
    assert set(found) == {"q1", "q2", "q3", "q4"}
    assert (found["q1"].before, found["q1"].after) == ("correct", "incorrect")
    assert found["q1"].why == "select: without name, with chr"
    assert found["q4"].after == "error"
    assert "no such column" in found["q4"].why


@pytest.fixture
def two_benchmarks(two_runs: list[Path], tmp_path: Path) -> list[Path]:
    """The two runs, and two over other questions that have the same ids."""
    other = make_benchmark(tmp_path / "other", questions=6)
    renamed = other.rename(other.with_name("other.jsonl"))
    with ThreadPoolExecutor(2) as pool:
        more = [
            evaluate(renamed, m, RunOptions(out=tmp_path / f"other-{m.__name__}", executor=pool)).folder
            for m in (good, worse)
        ]
    return [two_runs[0], more[0], two_runs[1], more[1]]


def test_questions_are_paired_within_one_benchmark_only(two_benchmarks: list[Path]) -> None:
    first, second = contrasts(two_benchmarks)
    assert [first.benchmark, second.benchmark] == ["genes", "other"]
    assert [p.correct.n for p in (*first.pairs, *second.pairs)] == [13, 7]
    assert {label for p in first.pairs for label in (p.first, p.second)} == {"good · genes", "worse · genes"}
    assert set(second.overlap) == {("good · other", "worse · other")}
    assert (first.solved["all"], second.solved["all"]) == ([0, 4, 9], [0, 4, 3])
    assert set(first.front["seconds"]) <= set(first.summaries)
    assert list(first.numbers.values()) == [0, 2]  # letters and colours are the same in a whole report
    with pytest.raises(InputError, match="over different questions: genes, other"):
        contrast(two_benchmarks)


def test_commands_pair_nothing_across_benchmarks(
    two_benchmarks: list[Path], fathom: Fathom, tmp_path: Path
) -> None:
    told = fathom("compare", *two_benchmarks[:2]).out
    assert "McNemar" not in told
    assert {"genes", "other"} <= set(told.split())
    found = json.loads(fathom("compare", *two_benchmarks, "--json").out)
    assert [len(one["pairs"]) for one in found["benchmarks"]] == [1, 1]
    assert {(m["first"], m["second"]) for m in found["moved"]} == {
        ("good · genes", "worse · genes"),
        ("good · other", "worse · other"),
    }
    page, text = tmp_path / "page.html", tmp_path / "page.md"
    for out in (page, text):
        assert fathom("report", *two_benchmarks, "--out", out).code == 0
    shown = page.read_text(encoding="utf-8")
    text_lines = text.read_text(encoding="utf-8").splitlines()
    for name in ("Leaderboard", "Paired tests", "Overlap of failures"):
        captions = [f"{name}: {of}" for of in ("genes", "other")]
        assert [shown.count(f"<caption>{caption}") for caption in captions] == [1, 1]
        headings = [line for line in text_lines if line.startswith(f"### {name}")]
        assert headings == [f"### {caption}" for caption in captions]


def test_splits_with_the_same_digest_and_ids_are_not_paired(tmp_path: Path, fathom: Fathom) -> None:
    folders = [
        make_run(tmp_path / f"{split}-{seed}", seed=seed, split=split, count=count)
        for seed in (1, 2) for split, count in (("dev", 12), ("train", 9))
    ]  # fmt: skip
    found = json.loads(fathom("compare", *folders, "--json").out)
    for one, split, count in zip(found["benchmarks"], ("dev", "train"), (12, 9), strict=True):
        labels = (f"m1 · {split}", f"m2 · {split}")
        assert (one["benchmark"], tuple(one["runs"])) == (f"b {split}", labels)
        for part in (one["pairs"], one["failure_overlap"]):
            assert [(o["first"], o["second"]) for o in part] == [labels]
        assert [p["correct"]["n"] for p in one["pairs"]] == [count]
        solved = one["solved_by_exactly"]["all"]
        assert (len(solved), sum(solved)) == (3, count)
        assert {label for front in one["pareto_front"].values() for label in front} <= set(labels)
        assert set(one["correct_at_budget"]["tokens"]) == set(labels)
    assert {(m["first"].split()[-1], m["second"].split()[-1]) for m in found["moved"]} == {
        ("dev", "dev"),
        ("train", "train"),
    }
    assert fathom("report", *folders, "--out", tmp_path / "r.md").code == 0
    lines = (tmp_path / "r.md").read_text(encoding="utf-8").splitlines()
    for name in ("Leaderboard", "Paired tests", "Overlap of failures", "Questions solved by exactly so many"):
        headings = [line for line in lines if line.startswith(f"### {name}")]
        assert [line.partition(": ")[2] for line in headings] == ["b dev", "b train"]


def test_p_values_mind_how_many_are_tested_and_which_database_questions_are_of(
    tmp_path: Path, fathom: Fathom
) -> None:
    folders = [make_run(tmp_path / str(seed), seed=seed, count=30) for seed in (1, 2, 3)]
    pairs = json.loads(fathom("compare", *folders, "--json").out)["pairs"]
    plain = [pair["correct"]["p_value"] for pair in pairs]
    corrected = [pair["correct"]["holm"] for pair in pairs]
    assert corrected == holm(plain)
    assert sum(a < b for a, b in zip(plain, corrected, strict=True)) == 2
    clustered = [pair["clustered"]["p_value"] for pair in pairs]
    assert [pair["clustered"]["databases"] for pair in pairs] == [2, 2, 2]
    told = " ".join(fathom("compare", *folders).out.split())
    for p, of_three, over_databases in zip(plain, corrected, clustered, strict=True):
        assert (
            f"exact McNemar p = {p:.2g}, corrected for 3 pairs of runs (Holm) {of_three:.2g}, "
            f"clustered by 2 databases {over_databases:.2g})"
        ) in told
    fathom("report", *folders, "--out", tmp_path / "r.md")
    part = (tmp_path / "r.md").read_text(encoding="utf-8").partition("### Paired tests")[2]
    assert "Holm p: McNemar's p, corrected for 3 pairs of runs" in part
    head, _, *rows = [line.split(" | ") for line in part.splitlines() if line[:1] == "|"][:5]
    for row, values in zip(rows, zip(plain, corrected, clustered, strict=True), strict=True):
        shown = [row[head.index(name)].split()[0] for name in ("McNemar p", "Holm p", "clustered p")]
        assert shown == [f"{value:.2g}" for value in values]
    assert "(Holm)" not in fathom("compare", *folders[:2]).out  # one pair: nothing to correct


def test_labels_tell_runs_apart(two_runs: list[Path]) -> None:
    assert list(labelled([two_runs[0], two_runs[0]])) == ["good (good)", "good (good) #2"]
    with pytest.raises(InputError, match="holds no run"):
        labelled([two_runs[0].parent])


def test_a_grid_is_checked_before_it_runs(tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    for text, told in [
        ("methods = []\nbenchmarks = ['geoquery']", "at least one method"),
        ("methods = ['m']\nbenchmark = ['geoquery']", "Did you mean 'benchmarks'"),
        ("methods = ['m']\nlimit = 'x'\nbenchmarks = ['geoquery']", "field 'limit': must be int"),
        ("methods = ['m']\n[[benchmarks]]\nsplit = 'dev'", "'benchmarks.name': is missing"),
        ("methods = ['m', 'm']\nbenchmarks = ['geoquery']", "holds geoquery-m twice"),
        ("methods = [", "can't be read as TOML"),
    ]:
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            read_grid(file)


def test_a_cell_that_cannot_run_keeps_no_other_from_running(tmp_path: Path) -> None:
    make_benchmark(tmp_path)
    file = tmp_path / "grid.toml"
    file.write_text(
        "methods = ['nobody']\nlimit = 2\nbenchmarks = ['genes.jsonl', 'nowhere']", encoding="utf-8"
    )
    grid = read_grid(file)
    assert [c.benchmark for c in grid.cells] == [str(tmp_path / "genes.jsonl"), "nowhere"]
    done = run_grid(grid, tmp_path / "runs")
    assert not done.runs
    assert [type(e).__name__ for _, e in done.failed] == ["UnknownName", "UnknownName"]
