"""Plain answers, an oracle's and a caller's, over the real client, the loopback services and a server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.biotools.conftest import quick
from tests.command import Fathom
from tests.llm.hostile import Server

from fathom.authoring.biotool.worded_answers import GOLD, NOTHING, write_answers
from fathom.benchmarks.calls import load_calls
from fathom.biotools.client import Client
from fathom.biotools.loopback import Loopback
from fathom.errors import BudgetExceeded, InputError, ModelFailed
from fathom.evaluation.runs.folder import RunError
from fathom.llm import Budget, Request, ScriptedModel

PAIRS = (
    ("Question 1: where does BRCA2 lie?", "lookup_by_symbol", {"species": "homo_sapiens", "symbol": "BRCA2"}),
    ("Question 2: where does TP53 lie?", "lookup_by_symbol", {"species": "homo_sapiens", "symbol": "TP53"}),
    ("Question 3: what is rs699?", "esummary", {"db": "snp", "id": "699"}),
)


@pytest.fixture(scope="module")
def loopback() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


@pytest.fixture(scope="module")
def client(loopback: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Client(quick(tmp_path_factory.mktemp("client"), loopback)) as opened:
        yield opened


def pairs_in(folder: Path, *more: dict[str, Any]) -> Path:
    rows = [{"query": q, "endpoint": e, "arguments": a} for q, e, a in PAIRS]
    file = folder / "pairs.json"
    file.write_text(json.dumps([*rows, *more]), encoding="utf-8")
    return file


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def echo(request: Request) -> str:
    """What a model that reads says: whether it was shown a call, and the place in its response."""
    asked = request.messages[-1].text
    return "It lies on seq region " + ("13." if '"BRCA2"' in asked else "unknown.")


def model(line: Any = echo) -> ScriptedModel:
    return ScriptedModel.of(rules={".": line})


def test_plain_answers_are_shown_no_call(tmp_path: Path, client: Client) -> None:
    asked = model()
    done = write_answers(load_calls(str(pairs_in(tmp_path))), tmp_path / "a.jsonl", asked, client, NOTHING)
    assert (done.answered, done.earlier, done.problems) == (3, 0, {})
    assert not [p for p in asked.prompts if "lookup_by_symbol" in p]
    assert all("tools" in p for p in asked.prompts)
    assert {line["seen"] for line in lines_of(tmp_path / "a.jsonl")} == {"nothing"}


def test_an_oracle_is_shown_what_the_gold_call_returns(tmp_path: Path, client: Client) -> None:
    asked = model()
    file = tmp_path / "a.jsonl"
    write_answers(load_calls(str(pairs_in(tmp_path))), file, asked, client, GOLD)
    first = next(p for p in asked.prompts if "Question 1" in p)
    assert '"name": "lookup_by_symbol"' in first
    assert "seq_region_name" in first  # of the response, not of the call
    assert "TP53" not in first
    assert lines_of(file)[0]["answer"] == "It lies on seq region 13."


def test_a_gold_call_that_gives_nothing_is_told(tmp_path: Path, client: Client) -> None:
    wrong = {"query": "Question 4: where?", "endpoint": "lookup_by_symbol", "arguments": {"symbol": "BRCA2"}}
    pairs = load_calls(str(pairs_in(tmp_path, wrong)))
    file = tmp_path / "a.jsonl"
    done = write_answers(pairs, file, model(), client, GOLD)
    assert done.answered == 3
    assert next(iter(done.problems.values())).startswith("the call gave nothing")
    again = write_answers(pairs, file, model(), client, GOLD)
    assert (again.answered, again.earlier) == (3, 3)  # it alone is tried again
    assert len(lines_of(file)) == 4


def test_a_stopped_command_goes_on(tmp_path: Path, client: Client) -> None:
    pairs, file = load_calls(str(pairs_in(tmp_path))), tmp_path / "a.jsonl"
    with pytest.raises(BudgetExceeded):
        write_answers(pairs, file, model().within(Budget(calls=2)), client, NOTHING)
    assert len(lines_of(file)) == 2
    rest = model()
    assert write_answers(pairs, file, rest, client, NOTHING).earlier == 2
    assert len(rest.prompts) == 1


def test_answers_of_another_kind_or_model_are_not_mixed(tmp_path: Path, client: Client) -> None:
    pairs, file = load_calls(str(pairs_in(tmp_path))), tmp_path / "a.jsonl"
    write_answers(pairs, file, model(), client, NOTHING)
    with pytest.raises(RunError, match="saw nothing"):
        write_answers(pairs, file, model(), client, GOLD)
    file.write_text(file.read_text().replace('"answer"', '"reply"'))
    with pytest.raises(InputError, match="damaged"):
        write_answers(pairs, file, model(), client, NOTHING)


def test_a_model_that_fails_or_says_nothing_is_asked_again(tmp_path: Path, client: Client) -> None:
    pairs, file = load_calls(str(pairs_in(tmp_path))), tmp_path / "a.jsonl"
    failing = ScriptedModel.of(
        rules={"Question 1": ModelFailed("scripted", "timeout", "late"), "Question 2": " ", ".": "Yes."}
    )
    done = write_answers(pairs, file, failing, client, NOTHING)
    assert done.answered == 1
    assert sorted(done.problems.values())[1] == "the model said nothing"
    assert write_answers(pairs, file, model(), client, NOTHING).answered == 3


@pytest.fixture
def addresses(loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    for service, base in loopback.bases.items():
        monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)


@pytest.mark.usefixtures("addresses")
def test_the_whole_comparison_by_commands(tmp_path: Path, fathom: Fathom) -> None:
    """Plain, oracle and caller over HTTP, side by side, and the chart of who wins."""
    pairs, run = pairs_in(tmp_path), tmp_path / "run"
    with Server() as server:
        name = f"{server.openai}#own"
        assert fathom("evaluate-calls", f"biotool:{pairs}", "--caller", "offline", "-o", run).code == 0
        for seen in ("nothing", "gold", run):
            out = tmp_path / f"{Path(seen).name}.jsonl"
            code, said, _ = fathom("tools", "answer", pairs, "--model", name, "--seen", seen, "-o", out)
            assert code == 0
            assert "3 answers" in said
            assert [line["answer"] for line in lines_of(out)] == ["Answer 1", "Answer 2", "Answer 3"]
    files = (tmp_path / "gold.jsonl", tmp_path / "nothing.jsonl")
    queue, chart = tmp_path / "anna.jsonl", tmp_path / "wins.html"
    assert fathom("prefer", *files, "--queue", queue).code == 0
    lines = [
        line | {"verdict": v} for line, v in zip(lines_of(queue), ("both_good", "left", "left"), strict=True)
    ]
    queue.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = json.loads(fathom("prefer", *files, "--people", queue, "--chart", chart, "--json").out)
    counted = told["annotators"]["anna"]
    page = chart.read_text()
    assert "<svg" in page
    assert f"{100 * told['win_rate']:.1f} %" in page
    assert page.count("33.3 %") >= 1 + 2 * (counted["A"] == 1)
    assert fathom("prefer", *files, "--people", queue, "--chart", tmp_path / "wins.pdf").code == 1
    markdown = tmp_path / "wins.md"
    assert fathom("prefer", *files, "--people", queue, "--chart", markdown).code == 0
    assert "| gold against nothing | anna |" in markdown.read_text()


def test_a_run_without_calls_is_told(tmp_path: Path, client: Client, fathom: Fathom) -> None:
    pairs = pairs_in(tmp_path)
    code, _, err = fathom("tools", "answer", pairs, "-o", tmp_path / "a.jsonl")
    assert code == 1
    assert "--model" in err
    with pytest.raises(InputError):
        write_answers(load_calls(str(pairs)), tmp_path / "a.jsonl", model(), client, str(tmp_path / "none"))
