"""The commands around runs, with the offline method on a small real database."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from statistics import fmean, stdev

import pytest
from tests.command import Fathom
from tests.evaluation.runs.bench import make_benchmark

from fathom.biotools.loopback import Loopback
from fathom.databases import Database
from fathom.interfaces.cli import main


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
    for name, options in {"ours": (), "theirs": ("--predictions", str(predictions))}.items():
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", benchmark, *options, "-o", str(folder / name)])
        assert not ended.value.code
    return folder


def test_evaluate_prints_one_json_object(runs: Path, fathom: Fathom) -> None:
    # The run is there already: nothing is asked again.
    out = json.loads(fathom("evaluate", runs / "genes.jsonl", "-o", runs / "ours", "--json").out)
    assert out["n"] == 13
    assert out["correct"] + out["incorrect"] + out["error"] == 13
    assert {"declined", "correct_rate", "coverage", "selective_accuracy", "seconds", "intervals"} <= set(out)
    assert out["method"] == "offline"


def test_a_method_without_some_rules_is_another_one(runs: Path, fathom: Fathom, tmp_path: Path) -> None:
    asked = ("evaluate", runs / "genes.jsonl", "-o", tmp_path / "run", "--limit", 1, "--json")
    out = json.loads(fathom(*asked, "--without-rules", "times,combined").out)
    assert out["method"] == "offline without times, combined"
    assert "no rule 'tmes'" in fathom(*asked, "--without-rules", "tmes").err


def test_another_run_in_the_folder_is_told(runs: Path, fathom: Fathom) -> None:
    done = fathom("evaluate", runs / "genes.jsonl", "-o", runs / "ours", "--comparison", "bird")
    assert done.code == 1
    assert "comparison: 'semantic' there, 'bird' now" in done.err


def test_compare_says_what_moved(runs: Path, fathom: Fathom) -> None:
    out = json.loads(fathom("compare", runs / "ours", runs / "theirs", "--json").out)
    assert set(out["runs"]) == {"offline", "theirs"}
    assert out["pairs"][0]["correct"]["n"] == 13
    assert "exact McNemar" in fathom("compare", runs / "ours", runs / "theirs").out
    assert fathom("compare", runs / "ours").code == 1


def test_what_imported_files_do_not_tell_is_in_no_comparison(runs: Path, fathom: Fathom) -> None:
    """Neither of two files of queries tells seconds or tokens: no curve, no front, no test, no figure."""
    files = (runs / "theirs", runs / "theirs")
    found = json.loads(fathom("compare", *files, "--json").out)
    assert found["correct_at_budget"] == {}
    assert set(map(tuple, found["pareto_front"].values())) == {()}
    assert [(p["seconds"], p["tokens"]) for p in found["pairs"]] == [(None, None)]
    for figures in found["runs"].values():
        assert {figures[name] for name in ("seconds", "seconds_median", "seconds_p95")} == {None}
        assert (figures["seconds_per_question"]["value"], figures["usage"]) == (None, {})
    for ending in ("md", "html"):
        fathom("report", *files, "-o", runs / f"imported.{ending}")
        told = (runs / f"imported.{ending}").read_text(encoding="utf-8")
        assert "Overlap of failures" in told
        for title in ("Correct against", "Correct at most", "CR@budget", "Tokens, cost and time"):
            assert title not in told
    lines = (runs / "imported.md").read_text(encoding="utf-8").splitlines()
    board = [line.split(" | ") for line in lines[lines.index("### Leaderboard") :] if line[:1] == "|"]
    assert not {"seconds", "US$"} & set(board[0])  # of which nothing is known
    # Beside a run that was timed, the imported one has no place on the front, nor a curve.
    mixed = json.loads(fathom("compare", runs / "ours", runs / "theirs", "--json").out)
    assert mixed["pareto_front"]["seconds"] == ["offline"]
    assert set(mixed["correct_at_budget"]["seconds"]) == {"offline"}


@pytest.fixture(scope="module")
def records(runs: Path) -> Path:
    """Records of NL2SQLBench's form, a thousand tokens each."""
    folder = runs / "records"
    folder.mkdir()
    for i in range(2):
        record = {"node_type": "candidate_generation", "question_id": f"q{i}", "SQL": ["SELECT 1"],
                  "llm_calls": 1, "prompt_tokens": 1_000, "completion_tokens": 10 * i}  # fmt: skip
        (folder / f"{i}.json").write_text(json.dumps([record]), encoding="utf-8")
    return folder


def test_imported_tokens_are_priced_as_those_of_a_model(runs: Path, records: Path, fathom: Fathom) -> None:
    importing = ("evaluate", runs / "genes.jsonl", "--predictions", records, "--ids", "q0,q1", "--json")
    options = {
        "half": ("--price-as", "openai:gpt-4o"),
        "uncached": ("--price-as", "openai:gpt-4o", "--cached-share", "0"),
        "small": ("--price-as", "openai:gpt-4o-mini"),
    }
    costs = {}
    for name, given in options.items():
        found = json.loads(fathom(*importing, *given, "-o", runs / f"priced-{name}").out)
        costs[name] = found["usage"]["total"]["cost_usd"]["value"]
        assert found["usage"]["total"]["prompt_tokens"]["value"] == 1_000
        assert found["seconds_per_question"]["value"] is None
    assert 0 < costs["small"] < costs["half"] < costs["uncached"]
    fathom("report", runs / "priced-half", runs / "priced-small", "-o", runs / "priced.md")
    told = (runs / "priced.md").read_text(encoding="utf-8")
    for title in ("### Correct against US$ a question", "### Correct at most tokens a question"):
        assert title in told
    assert "seconds a question" not in told  # tokens say nothing of seconds
    again = fathom(*importing, *options["small"], "-o", runs / "priced-half")
    assert "holds another run" in again.err
    assert "{'price_as': 'openai:gpt-4o'," in again.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--predictions FILE --price-as openai:gpt-4o", "tells no tokens to price"),
        ("--predictions FILE --cached-share 0", "--cached-share goes with --price-as"),
        ("--price-as openai:gpt-4o", "--price-as goes with --predictions"),
        ("--predictions RECORDS --price-as openai:gpt-4o --cached-share 2", "from 0 to 1, not 2"),
    ],
)
def test_prices_that_nothing_can_take_are_refused(
    runs: Path, records: Path, fathom: Fathom, options: str, told: str
) -> None:
    files = {"FILE": runs / "theirs.jsonl", "RECORDS": records}
    given = (files.get(word, word) for word in options.split())
    done = fathom("evaluate", runs / "genes.jsonl", *given, "-o", runs / "refused")
    assert done.code == 1
    assert told in " ".join(done.err.split())


def test_compare_fits_into_eighty_columns(runs: Path, fathom: Fathom) -> None:
    out = fathom("compare", runs / "ours", runs / "theirs").out
    table = out[: out.index("exact McNemar")].splitlines()[:-2]
    assert max(map(len, table)) <= 80
    head = next(line for line in table if "correct" in line)
    assert "s/question" in head  # nothing is folded away
    assert any(line.count(" of ") >= 3 for line in table)
    assert any(line.count("% to ") >= 3 for line in table)


def test_report_export_and_audit(runs: Path, fathom: Fathom) -> None:
    assert fathom("report", runs / "ours", runs / "theirs", "-o", runs / "r.html").code == 0
    assert "<title>genes: 2 runs</title>" in (runs / "r.html").read_text(encoding="utf-8")
    assert fathom("export", runs / "theirs", "--as", "jsonl", "-o", runs / "e.jsonl").code == 0
    assert len((runs / "e.jsonl").read_text(encoding="utf-8").splitlines()) == 13
    assert json.loads(fathom("audit", runs / "genes.jsonl", "-o", runs / "f.jsonl", "--json").out) == []


def test_a_grid_runs_as_one(runs: Path, fathom: Fathom) -> None:
    grid = runs / "grid.toml"
    grid.write_text(
        "methods = ['offline', 'nobody']\nlimit = 2\nbenchmarks = ['genes.jsonl']", encoding="utf-8"
    )
    done = fathom("evaluate-grid", grid, "-o", runs / "grid", "--json")
    assert done.code == 1
    out = json.loads(done.out)
    assert [r["n"] for r in out["runs"]] == [2]
    assert "There is no method 'nobody'" in out["failed"][0]["error"]
    assert out["failed"][0]["cell"] == "genes-nobody"
    assert "<html" in (runs / "grid" / "report.html").read_text(encoding="utf-8")
    assert json.loads((runs / "grid" / "comparison.json").read_text(encoding="utf-8"))


def test_a_grid_takes_the_options_of_a_run_and_refuses_what_its_file_names(
    runs: Path, fathom: Fathom
) -> None:
    grid = runs / "grid.toml"
    grid.write_text(
        "methods = ['offline', 'zero-shot']\nmodels = ['openai:m']\nbenchmarks = ['genes.jsonl']",
        encoding="utf-8",
    )
    done = fathom("evaluate-grid", grid, "-o", runs / "g", "--limit", 1, "--cassette", runs / "t", "--replay")
    assert done.code == 1
    assert "There is no cassette" in done.err
    assert "1 of 2 runs failed" in done.err
    assert len((runs / "g" / "genes-offline" / "records.jsonl").read_text().splitlines()) == 1
    for option in ("--model", "--method", "--split", "--predictions"):
        refused = fathom("evaluate-grid", grid, option, "openai:m")
        assert refused.code == 2
        assert f"Unknown option: {option}" in refused.err


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
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tools.json"
    question = {"query": "Which gene has the symbol BRCA2 in human, by Ensembl lookup?"}
    call_of_it = {"endpoint": "lookup_by_symbol", "arguments": {"species": "human", "symbol": "BRCA2"}}
    file.write_text(json.dumps([{**question, **call_of_it}]), encoding="utf-8")
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    with Loopback() as server:
        for service, base in server.bases.items():
            monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)
        evaluating = ("evaluate-calls", f"biotool:{file}", "--caller", "offline", "-o", tmp_path / "run")
        assert "BioTool score" in fathom(*evaluating).out
        told = json.loads(fathom(*evaluating, "--json").out)
    assert told["comparison"] == "observations by lexical"
    assert told["calls"]["score"]["n"] == 1
    assert {"correct_rate", "coverage", "seconds_per_question"} < told.keys()


def test_each_kind_of_questions_has_its_command(runs: Path, tmp_path: Path, fathom: Fathom) -> None:
    done = fathom("evaluate-calls", runs / "genes.jsonl", "--caller", "offline")
    assert done.code == 1
    assert f"fathom evaluate {runs / 'genes.jsonl'}" in done.err
    assert "biotool:FILE" in done.err
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"query": "Will it rain?", "endpoint": "esearch", "arguments": {}}]))
    done = fathom("evaluate", f"biotool:{file}")
    assert done.code == 1
    assert f"fathom evaluate-calls biotool:{file}" in done.err


def test_tool_questions_are_repeated_too(
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tools.json"
    question = {"query": "Which gene has the symbol BRCA2 in human, by Ensembl lookup?"}
    call_of_it = {"endpoint": "lookup_by_symbol", "arguments": {"species": "human", "symbol": "BRCA2"}}
    file.write_text(json.dumps([{**question, **call_of_it}]))
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    with Loopback() as server:
        for service, base in server.bases.items():
            monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)
        done = fathom("evaluate-calls", f"biotool:{file}", "--repeats", 2, "-o", tmp_path / "reps", "--json")
    (found,) = json.loads(done.out)["repeats"]
    assert (found["runs"], found["n"]) == (2, 1)
    assert sorted(f.name for f in (tmp_path / "reps").iterdir()) == ["seed-0", "seed-1"]


def test_what_no_run_solves_is_written_and_asked_again(runs: Path, fathom: Fathom) -> None:
    out = runs / "unsolved.jsonl"
    assert fathom("export", runs / "theirs", "--unsolved", "-o", out).code == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines] == [f"q{i}" for i in range(2, 12)]
    assert lines[0]["answers"]["theirs"]["sql"] == "SELECT name FROM gene WHERE id = 99"
    fathom("export", runs / "ours", runs / "theirs", "--unsolved", "-o", out)
    both = {json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()}
    assert both < {line["id"] for line in lines}
    assert fathom("export", runs / "ours", "--unsolved", "--as", "bird", "-o", out).code == 1
    assert fathom("export", runs / "ours", runs / "theirs", "--as", "bird", "-o", out).code == 1


def test_repeats_tell_mean_and_spread(runs: Path, fathom: Fathom) -> None:
    done = fathom("evaluate", runs / "genes.jsonl", "--predictions", runs / "theirs.jsonl", "--sample", 6,
                  "--repeats", 2, "-o", runs / "reps", "--json")  # fmt: skip
    (found,) = json.loads(done.out)["repeats"]
    assert (found["runs"], found["n"]) == (2, 6)
    assert found["correct_rate"]["standard_deviation"] == 0
    assert len(found["correct_rate"]["values"]) == 2
    told = fathom("evaluate", runs / "genes.jsonl", "--predictions", runs / "theirs.jsonl", "--sample", 6,
                  "--repeats", 2, "-o", runs / "reps")  # fmt: skip
    assert "2 runs of 6 questions" in told.out
    fathom("report", runs / "reps" / "seed-0", runs / "reps" / "seed-1", "-o", runs / "reps.md")
    assert "### Repeats" in (runs / "reps.md").read_text(encoding="utf-8")


def test_efficiency_by_difficulty_and_over_trials(runs: Path, fathom: Fathom) -> None:
    done = fathom("ves", runs / "genes.jsonl", runs / "theirs", "--trials", 2, "--json")
    found = json.loads(done.out)
    assert (found["n"], found["timed"]) == (13, 2)
    assert list(found["by_difficulty"]) == ["simple", "moderate"]
    assert [found["by_difficulty"][level]["ves"]["n"] for level in ("simple", "moderate")] == [6, 6]
    spread = found["trials"]["ves"]
    # The queries are gold's own: a ratio of 1 without a run, 2 of 13 right.
    assert spread["values"] == pytest.approx([200 / 13] * 2)
    assert spread["standard_deviation"] == pytest.approx(0)
    assert "VES of 2 trials" in fathom("ves", runs / "genes.jsonl", runs / "theirs", "--trials", 2).out
    assert fathom("ves", runs / "genes.jsonl", runs / "theirs", "--trials", 0).code == 1


def test_trials_that_differ_tell_how_far(runs: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right answers to the simple questions take half of gold's time, to the moderate ones twice it."""
    predictions, random = runs / "fast.jsonl", Random(3)
    lines = [{"id": f"q{i}", "sql": f"select name from gene where id = {i}"} for i in range(12)]
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert not fathom(
        "evaluate", runs / "genes.jsonl", "--predictions", predictions, "-o", runs / "fast"
    ).code

    def seconds(database: Database, sql: str, clock: object) -> float:
        is_gold = sql.startswith("SELECT")
        factor = 1.0 if is_gold else 0.5 if int(sql.rsplit(maxsplit=1)[-1]) % 2 else 2.0
        return factor * (0.01 + random.expovariate(5e3))

    monkeypatch.setattr("fathom.evaluation.timing.seconds_of", seconds)
    found = json.loads(fathom("ves", runs / "genes.jsonl", runs / "fast", "--trials", 3, "--json").out)
    assert found["by_difficulty"]["simple"]["ves"]["value"] == pytest.approx(100 * 2**0.5, rel=0.1)
    assert found["by_difficulty"]["moderate"]["ves"]["value"] == pytest.approx(100 * 0.5**0.5, rel=0.1)
    assert found["by_difficulty"]["simple"]["r_ves"]["value"] == pytest.approx(100 * 1.25**0.5)
    assert found["by_difficulty"]["moderate"]["r_ves"]["value"] == pytest.approx(100 * 0.75**0.5)
    spread = found["trials"]["ves"]
    assert len(set(spread["values"])) == 3
    assert spread["standard_deviation"] == pytest.approx(stdev(spread["values"]))
    assert spread["standard_deviation"] > 0
    assert spread["mean"] == pytest.approx(fmean(spread["values"]))
    shown = fathom("ves", runs / "genes.jsonl", runs / "fast", "--trials", 3).out
    (told,) = re.findall(r"^VES of 3 trials: .* ± (.*) %", shown, re.MULTILINE)
    assert float(told) > 0
    assert re.findall(r"^(simple|moderate): VES", shown, re.MULTILINE) == ["simple", "moderate"]
