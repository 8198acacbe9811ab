"""The commands around runs, with the offline method on a small real database."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.evaluation.runs.bench import make_benchmark

from fathom.biotools.loopback import Loopback
from fathom.interfaces.cli import main


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the offline method, and one of a file with two right answers."""
    folder = tmp_path_factory.mktemp("runs")
    benchmark = str(make_benchmark(folder))
    predictions = folder / "theirs.jsonl"
    lines = (
        {"id": f"q{i}", "sql": f"SELECT name FROM gene WHERE id = {i if i < 2 else 99}"} for i in range(12)
    )
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert call("evaluate", benchmark, "-o", str(folder / "ours")) == 0
    assert call("evaluate", benchmark, "--predictions", str(predictions), "-o", str(folder / "theirs")) == 0
    return folder


def test_evaluate_prints_one_json_object(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The run is there already: nothing is asked again.
    assert call("evaluate", str(runs / "genes.jsonl"), "-o", str(runs / "ours"), "--json") == 0
    out = json.loads(capsys.readouterr().out)
    assert out["n"] == 13
    assert out["correct"] + out["incorrect"] + out["error"] == 13
    assert {"declined", "correct_rate", "coverage", "selective_accuracy", "seconds", "intervals"} <= set(out)
    assert out["method"] == "offline"


def test_another_run_in_the_folder_is_told(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = call("evaluate", str(runs / "genes.jsonl"), "-o", str(runs / "ours"), "--comparison", "bird")
    assert code == 1
    assert "comparison: 'semantic' there, 'bird' now" in capsys.readouterr().err


def test_compare_says_what_moved(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", str(runs / "ours"), str(runs / "theirs"), "--json") == 0
    out = json.loads(capsys.readouterr().out)
    assert set(out["runs"]) == {"offline", "theirs"}
    assert out["pairs"][0]["correct"]["n"] == 13
    assert call("compare", str(runs / "ours"), str(runs / "theirs")) == 0
    assert "exact McNemar" in capsys.readouterr().out
    assert call("compare", str(runs / "ours")) == 1


def test_report_export_and_audit(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("report", str(runs / "ours"), str(runs / "theirs"), "-o", str(runs / "r.html")) == 0
    assert "<title>genes: 2 runs</title>" in (runs / "r.html").read_text(encoding="utf-8")
    assert call("export", str(runs / "theirs"), "--as", "jsonl", "-o", str(runs / "e.jsonl")) == 0
    assert len((runs / "e.jsonl").read_text(encoding="utf-8").splitlines()) == 13
    capsys.readouterr()
    assert call("audit", str(runs / "genes.jsonl"), "-o", str(runs / "f.jsonl"), "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_grid_runs_as_one(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = runs / "grid.toml"
    grid.write_text(
        "methods = ['offline', 'nobody']\nlimit = 2\nbenchmarks = ['genes.jsonl']", encoding="utf-8"
    )
    assert call("evaluate", "--grid", str(grid), "-o", str(runs / "grid"), "--json") == 1
    out = json.loads(capsys.readouterr().out)
    assert [r["n"] for r in out["runs"]] == [2]
    assert "There is no method 'nobody'" in out["failed"][0]["error"]


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path, questions=3000)
    arguments = ["evaluate", str(benchmark), "-o", str(tmp_path / "run")]
    code = (  # started in the background, as tests may be, a process ignores Ctrl-C
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from fathom.interfaces.cli import main; main(sys.argv[1:])"
    )
    records = tmp_path / "run" / "records.jsonl"
    deadline = time.monotonic() + 300
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while time.monotonic() < deadline and not (records.exists() and records.stat().st_size):
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "of 3,001 questions" in told
    assert f"To go on: fathom {shlex.join(arguments)}" in told
    assert "Traceback" not in told


def test_tool_questions_are_evaluated_with_a_caller(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tools.json"
    question = {"query": "Which gene has the symbol BRCA2 in human, by Ensembl lookup?"}
    call_of_it = {"endpoint": "lookup_by_symbol", "arguments": {"species": "human", "symbol": "BRCA2"}}
    file.write_text(json.dumps([{**question, **call_of_it}]), encoding="utf-8")
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    with Loopback() as server:
        for service, base in server.bases.items():
            monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)
        folder = str(tmp_path / "run")
        assert call("evaluate", f"biotool:{file}", "--caller", "offline", "-o", folder) == 0
        assert "BioTool score" in capsys.readouterr().out
        assert call("evaluate", f"biotool:{file}", "--caller", "offline", "-o", folder, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["comparison"] == "observations by lexical"
    assert told["calls"]["score"]["n"] == 1
    assert {"correct_rate", "coverage", "seconds_per_question"} < told.keys()


def test_a_caller_is_for_tool_questions(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("evaluate", str(runs / "genes.jsonl"), "--caller", "offline") == 1
    assert "biotool:FILE" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [
    ("--embeddings", "some"), ("--comparison", "bird"), ("--pack", "some"), ("--before", "some"),
    ("--executor", "some"), ("--method", "adaptive"), ("--timeout", "7"),
])  # fmt: skip
def test_tool_questions_refuse_what_goes_with_queries(
    option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"query": "Will it rain?", "endpoint": "esearch", "arguments": {}}]))
    assert call("evaluate", f"biotool:{file}", option, value) == 1
    assert f"{option} goes with benchmarks of queries" in capsys.readouterr().err
