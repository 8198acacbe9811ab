import csv
import json
from pathlib import Path

import duckdb
import pytest

from fathom.benchmarks import load_benchmark
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.replay import replay
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.scoring import score
from tests.command import Fathom

GOLDS = {
    "1": 'SELECT COUNT(*) FROM `card-ai.biomed.genes` WHERE disease = "AD"',
    "2": "SELECT SAFE_DIVIDE(SUM(p), COUNT(*)) FROM `card-ai.biomed.genes`",
    "3": "SELECT COUNTIF(p < 0.15) FROM `card-ai`.`biomed`.`genes` AS g",
    "4": "SELECT `UUID` FROM `card-ai.biomed.genes` WHERE p > 0.15 LIMIT 100",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "kb.duckdb")) as made:
        made.execute("CREATE TABLE genes (UUID TEXT, disease TEXT, p DOUBLE)")
        made.execute("INSERT INTO genes VALUES ('a', 'AD', 0.1), ('b', 'PD', 0.2), ('c', 'AD', 0.3)")
    with (tmp_path / "dev.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["uuid", "question", "sql_query", "execution_results", "answer"])
        writer.writerows([i, f"Question {i}?", sql, "", ""] for i, sql in GOLDS.items())
    return tmp_path


def test_gold_and_predictions_of_the_published_form_run(folder: Path, fathom: Fathom) -> None:
    predictions = folder / "p.jsonl"
    lines = [{"id": i, "sql": sql} for i, sql in GOLDS.items()]
    lines[0]["sql"] = "SELECT 0.1 + 0.2"
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    total = score(folder, predictions)
    assert (total.n, total.correct, total.unjudged) == (4, 3, {})
    assert total.translated == "bigquery to duckdb"
    assert "alike were translated from bigquery to duckdb" in fathom("score", folder, predictions).out
    benchmark = load_benchmark(folder)
    run = evaluate(benchmark, replay(benchmark, predictions), RunOptions(out=folder / "run"))
    assert run.summary().all["correct"] == 3
    settings = json.loads((run.folder / "run.json").read_text())["configuration"]["settings"]
    assert settings["gold_translated_to"] == "duckdb"


def test_numbers_within_rounding_of_golds_are_right(folder: Path, fathom: Fathom) -> None:
    """Gold's average isn't 0.2 to the last bit; a relative difference of 1e-9 is none, one of 1e-8 is."""
    with duckdb.connect(str(folder / "kb.duckdb"), read_only=True) as opened:
        (average,) = opened.execute("SELECT SUM(p) / COUNT(*) FROM genes").fetchall()[0]
    assert average != 0.2
    files = []
    for number, factor in enumerate(("1", "1 + 5e-10", "1 + 1e-8")):
        line = {"id": "2", "sql": f"SELECT CAST(0.2 AS FLOAT64) * ({factor})"}
        files.append(folder / f"p{number}.jsonl")
        files[-1].write_text(json.dumps(line), encoding="utf-8")
    scored = json.loads(fathom("score", folder, *files, "--ids", "2", "--json").out)["scores"]
    assert [(one["comparison"], one["correct"]) for one in scored] == [("biomedsql", n) for n in (1, 1, 0)]
    for file, correct in zip(files[1:], (1, 0), strict=True):
        evaluating = ("evaluate", folder, "--predictions", file, "--ids", "2", "-o", folder / file.stem)
        assert json.loads(fathom(*evaluating, "--json").out)["correct"] == correct


def test_a_method_here_writes_for_the_engine_here(folder: Path) -> None:
    """What isn't from a file is in the dialect that the method sees: a quoted name stays a name."""
    run = evaluate(
        folder, lambda _: 'SELECT "UUID" FROM genes WHERE p > 0.15', RunOptions(out=folder / "run")
    )
    assert {r.id for r in run.records() if r.right} == {"4"}
