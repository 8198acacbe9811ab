"""The tables of papers, recomputed from the records by other code."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from fathom.evaluation.runs.kept_speed import keep_speed, read_speed
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark
from tests.reports.stored import judge, make_run
from tests.reports.test_values import page, tables


def records(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def percent(values: Sequence[Any]) -> str:
    return f"{100 * fmean(map(float, values)):.1f}"


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    made = [make_run(tmp_path / str(seed), seed=seed, comparison="biomedsql") for seed in (1, 2, 3)]
    judge(made[0])
    judge(made[1])
    judge(made[1], "ann", person=True)
    return made


def test_biomedsqls_table_holds_queries_words_and_tokens(runs: list[Path]) -> None:
    rows = {(row["run"], row["judge"]): row for row in tables(runs)["As in BiomedSQL"]}
    assert len(rows) == 4
    for letter, run in zip("ABC", runs, strict=True):
        kept = [r for r in records(run) if r["outcome"] != "unjudged"]
        for (name, judged_by), row in rows.items():
            if not name.startswith(letter):
                continue
            plain = {key: value.strip("*_") for key, value in row.items()}
            assert plain["N"] == str(len(kept))
            assert plain["EX"] == percent([r["outcome"] == "correct" for r in kept])
            assert plain["SER"] == percent([r["outcome"] == "error" for r in kept])
            assert plain["JAC"] == percent([r["jaccard"] for r in kept if r["jaccard"] is not None])
            total = [r["usage"]["total"] for r in records(run)]
            tokens = fmean(u["prompt_tokens"] + u["completion_tokens"] for u in total)
            assert plain["tokens"] == (f"{tokens:,.0f}" if tokens >= 100 else f"{tokens:.3g}")
            file = run / ("people.jsonl" if judged_by == "ann" else "judgements.jsonl")
            if judged_by == "–":
                assert (plain["RQR"], plain["SR"]) == ("–", "–")
                continue
            scores = [json.loads(line)["score"] for line in file.read_text(encoding="utf-8").splitlines()]
            assert plain["RQR"] == percent([s >= 2 for s in scores])
            assert plain["SR"] == percent([s == -1 for s in scores if s < 2])


def test_the_best_of_a_column_is_marked_and_the_second_best(runs: list[Path]) -> None:
    found = tables(runs)
    paper = {"SER": "As in BiomedSQL", "EX": "As in BiomedSQL", "SR": "As in BiomedSQL"}
    for column, best in (("CR", max), ("tokens", min), ("US$", min), ("SER", min), ("EX", max), ("SR", max)):
        rows = [row for row in found[paper.get(column, "As in NL2SQLBench")] if row[column] != "–"]
        values = [float(row[column].strip("*_").replace(",", "")) for row in rows]
        order = sorted(set(values), reverse=best is max)
        marks = dict(zip(order, ("**", "_"), strict=False)) if len(order) > 1 else {}
        for row, value in zip(rows, values, strict=True):
            mark = marks.get(value, "")
            assert row[column].startswith(mark), column
            assert row[column].endswith(mark), column
            assert row[column].strip("*_") == row[column].removeprefix(mark).removesuffix(mark)
    of_papers = page(runs).split("<caption>As in NL2SQLBench")[1].split("</table>")[0]
    assert of_papers.count("<b>") >= 1


def test_one_run_alone_has_no_best(tmp_path: Path) -> None:
    (row,) = tables([make_run(tmp_path / "alone", seed=1, comparison="bird")])["As in NL2SQLBench"]
    assert not set("*_") & set("".join(row.values()))


def test_speed_that_was_measured_stands_in_reports(tmp_path: Path, fathom: Fathom) -> None:
    """VES by hand: the mean of the roots of kept ratios, a wrong answer counting nothing."""
    file = make_benchmark(tmp_path)
    questions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    answers = tmp_path / "answers.jsonl"
    given = [
        {"id": q["id"], "sql": q["gold"][0] if i % 2 else "SELECT 'no'"} for i, q in enumerate(questions)
    ]
    answers.write_text("".join(json.dumps(g) + "\n" for g in given), encoding="utf-8")
    run = tmp_path / "run"
    fathom("evaluate", file, "--predictions", answers, "-o", run, "--comparison", "bird")
    assert "VES, all" not in tables([run]).get("As in BIRD", [{}])[0]
    found = json.loads(fathom("ves", file, run, "--json").out)
    right = [1.0 if i % 2 and q.get("answerable", True) else 0.0 for i, q in enumerate(questions)]
    ratios = [found["ratios"].get(q["id"]) or 0.0 for q in questions]
    assert [bool(r) for r in ratios] == [bool(r) for r in right]
    by_hand = 100 * fmean(r**0.5 for r in ratios)
    assert found["ves"]["value"] == pytest.approx(by_hand)
    (row,) = tables([run])["As in BIRD"]
    assert row["VES, all"] == f"{by_hand:.2f}"
    assert json.loads(fathom("compare", run, run, "--json").out)["runs"]


def test_a_damaged_file_of_speeds_is_named(tmp_path: Path, fathom: Fathom) -> None:
    run = make_run(tmp_path / "run", seed=1)
    assert read_speed(run) is None
    for content in ("{", "[]", '{"ves": 1}'):
        (run / "speed.json").write_text(content, encoding="utf-8")
        told = fathom("report", run, "-o", tmp_path / "r.md")
        assert (told.code, "speed.json" in told.err) == (1, True), content
    keep_speed(
        run,
        {
            "ves": {"value": 90.0, "interval": None, "n": 50},
            "r_ves": {"value": None, "interval": None, "n": 0},
        },
    )
    assert fathom("report", run, "-o", tmp_path / "r.md").code == 0


def test_the_gap_of_evidence_is_told_in_ves_too(tmp_path: Path) -> None:
    pair = [make_run(tmp_path / name, seed=1, method="m", settings=settings)
            for name, settings in (("bare", {"evidence": "none"}), ("given", {}))]  # fmt: skip
    for run, value in zip(pair, (28.5, 38.0), strict=True):
        told = {"value": value, "interval": [value, value], "n": 50}
        keep_speed(run, {"ves": told, "r_ves": told | {"value": 99.0}})
    first = tables(pair)["As in BIRD"][0]
    assert (first["VES, all"], first["R-VES"]) == ("28.50", "99.00")
    (row,) = tables(pair)["Evidence: the gap in VES"]
    assert [row[n].split(" (")[0] for n in ("without evidence", "with evidence", "gap", "relative")] == [
        "28.5", "38", "+9.5", "+33.3 %",
    ]  # fmt: skip


def test_a_run_bears_the_name_that_it_was_given(tmp_path: Path, fathom: Fathom) -> None:
    file = make_benchmark(tmp_path)
    answers = tmp_path / "final_sql.jsonl"
    answers.write_text('{"id": "q0", "sql": "SELECT 1"}\n', encoding="utf-8")
    evaluating = ("evaluate", file, "--predictions", answers, "--ids", "q0", "-o", tmp_path / "run")
    fathom(*evaluating)
    assert tables([tmp_path / "run"])["Leaderboard"][0]["run"] == "A: final_sql"
    fathom(*evaluating, "--name", "RSL-SQL")  # the same run by another name
    fathom(*evaluating)
    found = json.loads(fathom("compare", tmp_path / "run", tmp_path / "run", "--json").out)
    assert list(found["runs"]) == ["RSL-SQL (run)", "RSL-SQL (run) #2"]
    assert found["runs"]["RSL-SQL (run)"]["label"] == "RSL-SQL"
    assert tables([tmp_path / "run"])["Leaderboard"][0]["run"] == "A: RSL-SQL"
