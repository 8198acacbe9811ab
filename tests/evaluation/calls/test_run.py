"""Callers in the bench, over the real client and the loopback server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import ToolCall
from fathom.biotools.client import Client
from fathom.biotools.live import LiveTools
from fathom.biotools.loopback import Loopback
from fathom.errors import BudgetExceeded, ConfigError, FathomError, InputError, ServiceDown
from fathom.evaluation.calls import evaluate_calls, open_encoder
from fathom.evaluation.calls.callers import Lessons
from fathom.evaluation.calls.encoders import Vectors
from fathom.evaluation.calls.replay import replay_calls
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.contrast import contrast, moved
from fathom.evaluation.runs.folder import DifferentRun
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.record import QuestionRecord
from fathom.evaluation.runs.run import Run
from fathom.llm import Budget, Call, Reply, ScriptedModel
from fathom.records import Question
from fathom.reports.report_files import write_report
from tests.biotools.conftest import quick

ENTRY = "get_uniprotkb_entry"
SYMBOL = {"species": "homo_sapiens", "symbol": "BRCA2"}
ROWS: list[dict[str, Any]] = [
    {"id": "same", "query": "Where is BRCA2?", "endpoint": "lookup_by_symbol", "arguments": SYMBOL},
    {"id": "alias", "query": "BRCA2 in man?", "endpoint": "lookup_by_symbol", "arguments": SYMBOL},
    {"id": "other", "query": "And TP53?", "endpoint": "lookup_by_symbol",
     "arguments": {**SYMBOL, "symbol": "TP53"}},
    {"id": "gone", "query": "rs699?", "endpoint": "get_variation",
     "arguments": {"species": "human", "id": "rs699"}},
    {"id": "refused", "query": "Region?", "endpoint": "overlap_by_region",
     "arguments": {"species": "human", "region": "7:1000-2000", "feature": "gene"}},
    {"id": "declined", "query": "Weather?", "endpoint": ENTRY, "arguments": {"accession": "P05067"}},
    {"id": "raises", "query": "Boom?", "endpoint": ENTRY, "arguments": {"accession": "P05067"}},
    {"id": "broken gold", "query": "LD?", "endpoint": "get_ld_around_variant", "arguments": {"id": "rs1"}},
]  # fmt: skip
ANSWERS: dict[str, ToolCall | None] = {
    "same": ToolCall("lookup_by_symbol", SYMBOL),
    "alias": ToolCall("lookup_by_symbol", {"species": "human", "symbol": "brca2"}),
    "other": ToolCall("lookup_by_symbol", {**SYMBOL, "expand": True}),
    "gone": ToolCall("get_variation", {"species": "human", "id": "rs99999999"}),
    "refused": ToolCall("overlap_by_region", {"species": "human", "region": "here", "feature": "gene"}),
    "declined": None,
    "broken gold": ToolCall("get_ld_around_variant", {"id": "rs1"}),
}


def answers(question: Question) -> ToolCall | None:
    if question.id == "raises":
        raise RuntimeError("boom")
    return ANSWERS[question.id]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTools]:
    with Loopback() as server:
        opened = LiveTools(Client(quick(tmp_path_factory.mktemp("client"), server)))
        yield opened
        opened.close()


def benchmark(folder: Path, rows: list[dict[str, Any]] = ROWS) -> str:
    file = folder / "questions.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    return f"biotool:{file}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, tools: LiveTools) -> Run:
    folder = tmp_path_factory.mktemp("run")
    return evaluate_calls(
        benchmark(folder), answers, RunOptions(out=folder / "run", name="theirs"), tools=tools
    )


def test_each_outcome_is_told_apart(run: Run) -> None:
    records = {r.id: r for r in run.records()}
    told = {name: (r.outcome.value, r.error_class) for name, r in records.items()}
    assert told == {
        "same": ("correct", None),
        "alias": ("correct", None),
        "other": ("incorrect", None),
        "gone": ("error", "not_found"),
        "refused": ("error", "refused"),
        "declined": ("error", "missing"),
        "raises": ("error", "internal_error"),
        "broken gold": ("unjudged", "gold"),
    }
    assert records["raises"].error == "RuntimeError: boom"


def test_arguments_compare_in_the_form_of_the_api(run: Run) -> None:
    records = {r.id: r.call for r in run.records()}
    alias, other = records["alias"], records["other"]
    assert alias is not None
    assert alias.right_arguments
    assert alias.call == {"name": "lookup_by_symbol", "arguments": SYMBOL}
    assert other is not None
    assert (other.missing, other.extra, other.wrong) == ((), ("expand",), ("symbol",))
    assert not other.right_arguments
    assert other.right_endpoint
    assert other.difference() == "adds expand; has another symbol"
    assert 0 < other.similarity < 1


def test_the_figures_count_every_question(run: Run) -> None:
    summary = run.summary()
    calls = summary.all["calls"]
    records = [r.call for r in run.records() if r.call and r.outcome is not Outcome.UNJUDGED]
    assert summary.configuration["comparison"] == "observations by lexical"
    assert summary.configuration["settings"]["services"].startswith("own addresses")
    assert (summary.all["asked"], summary.all["unjudged"]) == (8, {"gold": 1})
    assert summary.all["n"] == calls["score"]["n"] == 7
    assert calls["score"]["value"] == pytest.approx(sum(r.similarity for r in records) / 7)
    counted = {name: (calls[name]["hits"], calls[name]["n"]) for name in calls if "hits" in calls[name]}
    assert counted == {
        "succeeded": (3, 7),
        "made": (5, 7),
        "executed_of_made": (3, 5),
        "right_endpoint": (5, 7),
        "right_provider": (5, 7),
        "right_arguments": (2, 7),
        "right_endpoint_of_made": (5, 5),
    }
    # Of failed calls, as a share of all questions: "gone" and "refused" have one value wrong each.
    assert {k: v["hits"] for k, v in calls["failed_with"].items()} == {"missing": 0, "extra": 0, "wrong": 2}
    assert set(summary.by["provider"]) == {"Ensembl", "UniProt"}
    assert summary.by["tool"]["Lookup"]["calls"]["right_arguments"]["hits"] == 2


def test_records_read_back_as_they_were_written(run: Run) -> None:
    for record in run.records():
        assert QuestionRecord.read(json.loads(record.line())) == record


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path, tools: LiveTools) -> None:
    name, asked = benchmark(tmp_path), []

    def noting(question: Question) -> ToolCall | None:
        asked.append(question.id)
        return answers(question)

    evaluate_calls(name, noting, RunOptions(out=tmp_path / "run", name="theirs", limit=3), tools=tools)
    lines = (tmp_path / "run" / "records.jsonl").read_bytes()
    (tmp_path / "run" / "records.jsonl").write_bytes(lines[:-20])  # as a kill leaves it
    evaluate_calls(name, noting, RunOptions(out=tmp_path / "run", name="theirs"), tools=tools)
    assert asked == [r["id"] for r in ROWS[:3]] + [r["id"] for r in ROWS[2:]]
    with pytest.raises(DifferentRun, match="comparison"):
        evaluate_calls(
            name,
            noting,
            RunOptions(out=tmp_path / "run", name="theirs"),
            tools=tools,
            encoder=Vectors("other", lambda texts: [[1.0]] * len(texts)),
        )


def test_runs_compare_and_report(run: Run, tmp_path: Path, tools: LiveTools) -> None:
    other = evaluate_calls(benchmark(tmp_path), "offline", RunOptions(out=tmp_path / "run"), tools=tools)
    (pair,) = contrast([run.folder, other.folder]).pairs
    assert pair.correct.n == 7  # the gold of one fails
    assert {m.id for m in moved(run.folder, other.folder)} >= {"alias"}
    for ending in ("html", "md", "csv", "json"):
        write_report([run.folder, other.folder], tmp_path / f"report.{ending}")
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "observations by lexical" in page
    assert "## Correct by provider" in page
    assert '<h2 id="calls">Tool calls</h2>' in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "calls.failed_with.wrong" in (tmp_path / "report.csv").read_text(encoding="utf-8")


def test_a_caller_never_learns_what_gives_its_question_away(tmp_path: Path) -> None:
    rows = [
        {"id": "first", "query": "Where is BRCA2?", "endpoint": "lookup_by_symbol", "arguments": SYMBOL},
        {"id": "sister", "query": "Locate BRCA2.", "endpoint": "lookup_by_symbol", "arguments": SYMBOL},
        {"id": "again", "query": "where is BRCA2", "endpoint": "esearch", "arguments": {"db": "gene"}},
        {"id": "apart", "query": "What is P05067?", "endpoint": ENTRY, "arguments": {"accession": "P05067"}},
    ]
    loaded = load_benchmark(benchmark(tmp_path, rows))
    lessons = Lessons(loaded, None)
    known = {q.id: [one.question for one in lessons.of(lessons.fold(q))] for q in loaded}
    texts = [row["query"] for row in rows]
    assert known == {"first": texts[3:], "sister": texts[3:], "again": texts[3:], "apart": texts[:3]}


def test_lessons_grow_without_exchange_and_come_from_training(tmp_path: Path) -> None:
    rows = [
        {**ROWS[0], "id": str(n), "query": f"Where is gene {n}?", "arguments": {**SYMBOL, "symbol": f"G{n}"}}
        for n in range(40)
    ]
    loaded = load_benchmark(benchmark(tmp_path, rows), "random")
    asked = {q.text for q in loaded}
    seen: set[str] = set()
    for most in (4, 8, 16, 32):
        taught = {one.question for one in Lessons(loaded, most).of(0)}
        assert len(taught) == most
        assert seen < taught
        assert not asked & taught
        seen = taught


def test_examples_teach_the_offline_caller(tmp_path: Path, tools: LiveTools) -> None:
    rows = [
        {"id": f"{word}{n}", "query": f"{said} rs{n}{n}{n}{n}?", "endpoint": "esummary",
         "arguments": {"db": "snp", "id": f"{n}{n}{n}{n}"}}
        for n in range(1, 5) for word, said in (("a", "Zorgle flimp"), ("b", "Brackly"))
    ]  # fmt: skip
    name = benchmark(tmp_path, rows)
    without = evaluate_calls(name, "offline", RunOptions(out=tmp_path / "a"), tools=tools)
    taught = evaluate_calls(name, "offline", RunOptions(out=tmp_path / "b", with_examples=True), tools=tools)
    right = [sum(r.right for r in run.records()) for run in (without, taught)]
    assert right == [0, 8]


def test_predictions_of_others_are_replayed(tmp_path: Path, tools: LiveTools) -> None:
    loaded = load_benchmark(benchmark(tmp_path))
    file = tmp_path / "theirs.jsonl"
    file.write_text(
        json.dumps({"id": "same", "function_calling": {"name": "lookup_by_symbol", "arguments": SYMBOL}})
        + '\n{"id": "declined", "function_calling": null}\n',
        encoding="utf-8",
    )
    done = evaluate_calls(loaded, replay_calls(loaded, file), RunOptions(out=tmp_path / "run"), tools=tools)
    assert {r.id for r in done.records() if r.outcome is Outcome.CORRECT} == {"same"}
    assert done.summary().all["declined"] == 7
    file.write_text('{"id": "elsewhere", "name": "blast", "arguments": {}}\n', encoding="utf-8")
    with pytest.raises(InputError, match="'elsewhere' is no question"):
        replay_calls(loaded, file)


class Down(LiveTools):
    """Services that can't be reached."""

    def observe(self, _: Any) -> Any:
        raise ServiceDown("no network")


def test_a_run_stops_when_the_services_do_not_answer(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "id": str(n)} for n in range(9)]
    with pytest.raises(FathomError, match="3 gold calls in a row"):
        evaluate_calls(
            benchmark(tmp_path, rows),
            lambda _: ANSWERS["same"],
            RunOptions(out=tmp_path / "run"),
            tools=Down(),
        )
    kept = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 2


def test_a_run_stops_when_its_budget_is_spent(tmp_path: Path, tools: LiveTools) -> None:
    rows = [{**ROWS[0], "id": str(n)} for n in range(3)]
    found = Reply("", (Call("lookup_by_symbol", json.dumps(SYMBOL)),), finish="tool_call")
    with pytest.raises(BudgetExceeded, match="2 of 2 calls"):
        evaluate_calls(
            benchmark(tmp_path, rows),
            "llm",
            RunOptions(out=tmp_path / "run", model=ScriptedModel.of(*[found] * 3), budget=Budget(calls=2)),
            tools=tools,
        )
    kept = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in kept] == ["0", "1"]


def test_an_encoder_that_fails_ends_the_run_rather_than_score_zero(tmp_path: Path, tools: LiveTools) -> None:
    def failing(_: list[str]) -> Any:
        raise InputError("no vectors today")

    with pytest.raises(InputError, match="no vectors today"):
        evaluate_calls(
            benchmark(tmp_path),
            answers,
            RunOptions(out=tmp_path / "run"),
            tools=tools,
            encoder=Vectors("failing", failing),
        )


def test_other_benchmarks_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="has no tool questions"):
        evaluate_calls(file, answers)


def test_the_lexical_encoder_is_a_cosine() -> None:
    encoder = open_encoder("lexical")
    assert encoder.similarity("gene BRCA2 gene", "BRCA2 gene gene") == pytest.approx(1.0)
    assert encoder.similarity("gene", "protein") == 0.0
    assert encoder.similarity("", "gene") == 0.0
    assert 0.4 < encoder.similarity("gene one", "gene two") < 0.6


def test_an_unknown_encoder_says_what_there_is() -> None:
    with pytest.raises(InputError, match="lexical, medcpt, sentence-transformers:MODEL"):
        open_encoder("lexicla")


PROTEIN = "ENSP00000139618"
LOOKED_UP: dict[str, Any] = {"endpoint": "lookup_by_symbol", "arguments": {**SYMBOL, "expand": True}}
SEQUENCE: dict[str, Any] = {"endpoint": "get_sequence_by_id", "arguments": {"id": PROTEIN, "type": "protein"}}
CHAINS: list[dict[str, Any]] = [
    {"id": "chain", "query": "What is the protein sequence of human BRCA2?", "calls": [LOOKED_UP, SEQUENCE]},
    {
        "id": "one",
        "query": "Look up the human gene BRCA2.",
        "endpoint": "lookup_by_symbol",
        "arguments": SYMBOL,
    },
    {"id": "declined", "query": "Will it rain?", "calls": [LOOKED_UP, SEQUENCE]},
]


def test_a_caller_is_followed_through_a_whole_chain(tmp_path: Path, tools: LiveTools) -> None:
    run = evaluate_calls(
        benchmark(tmp_path, CHAINS), "offline", RunOptions(out=tmp_path / "run"), tools=tools
    )
    records = {r.id: r for r in run.records()}
    chain = records["chain"].call
    assert chain is not None
    assert chain.earlier == ({"name": "lookup_by_symbol", "arguments": LOOKED_UP["arguments"]},)
    assert chain.call == {"name": "get_sequence_by_id", "arguments": SEQUENCE["arguments"]}
    assert (chain.right_endpoint, chain.right_arguments, records["chain"].right) == (True, True, True)
    assert records["chain"].tags == ("2 calls",)
    # A question that one call answers is answered by one, also beside others that take several.
    assert records["one"].right
    one, declined = records["one"].call, records["declined"]
    assert one is not None
    assert (one.earlier, one.right_arguments) == ((), True)
    assert (declined.error_class, declined.declined) == ("missing", True)
    assert declined.call is not None
    assert declined.call.gold_earlier
    assert not declined.call.right_endpoint
    assert run.summary().by["category"]["2 calls"]["n"] == 2
    for record in records.values():
        assert QuestionRecord.read(json.loads(record.line())) == record


def test_calls_in_a_row_are_held_against_gold_one_by_one(tmp_path: Path, tools: LiveTools) -> None:
    looked_up = ToolCall("lookup_by_symbol", {**SYMBOL, "symbol": "TP53"})
    sequence = ToolCall("get_sequence_by_id", SEQUENCE["arguments"])
    made: dict[str, list[ToolCall]] = {
        "chain": [looked_up, sequence],
        "one": [looked_up, ToolCall("lookup_by_symbol", SYMBOL)],
        "declined": [sequence],
    }
    run = evaluate_calls(
        benchmark(tmp_path, CHAINS),
        lambda q: made[q.id],
        RunOptions(out=tmp_path / "run", name="theirs"),
        tools=tools,
    )
    calls = {r.id: r.call for r in run.records()}
    chain, one, short = calls["chain"], calls["one"], calls["declined"]
    assert chain is not None
    assert one is not None
    assert short is not None
    assert (chain.missing, chain.wrong, chain.right_endpoint) == (("1.expand",), ("1.symbol",), True)
    assert not chain.right_arguments
    assert chain.difference() == "lacks 1.expand; has another 1.symbol"
    assert not one.right_endpoint
    assert one.difference() == "lookup_by_symbol, then lookup_by_symbol instead of lookup_by_symbol"
    # Where the last observation is gold's, the question is answered, whatever led there.
    assert all(r.right for r in run.records())
    assert not short.right_endpoint
    assert short.difference().startswith("get_sequence_by_id instead of lookup_by_symbol, then get_sequence")


def test_predicted_chains_are_replayed(tmp_path: Path, tools: LiveTools) -> None:
    loaded = load_benchmark(benchmark(tmp_path, CHAINS))
    file = tmp_path / "theirs.jsonl"
    file.write_text(json.dumps({"id": "chain", "calls": [LOOKED_UP, SEQUENCE]}) + "\n", encoding="utf-8")
    done = evaluate_calls(loaded, replay_calls(loaded, file), RunOptions(out=tmp_path / "run"), tools=tools)
    counted = done.summary().all["calls"]
    assert (counted["right_arguments"]["hits"], counted["made"]["hits"]) == (1, 1)


def test_a_refused_call_in_a_chain_is_told(tmp_path: Path, tools: LiveTools) -> None:
    wrong = {"endpoint": "lookup_by_symbol", "arguments": {"species": "human"}}
    loaded = load_benchmark(benchmark(tmp_path, CHAINS[:1]))
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps([{"id": "chain", "calls": [wrong, SEQUENCE]}]), encoding="utf-8")
    (record,) = evaluate_calls(
        loaded, replay_calls(loaded, file), RunOptions(out=tmp_path / "run"), tools=tools
    ).records()
    assert record.error_class == "refused"
    assert "symbol: is needed" in (record.error or "")


def test_chains_teach_no_caller_of_single_calls(tmp_path: Path) -> None:
    loaded = load_benchmark(benchmark(tmp_path, CHAINS))
    lessons = Lessons(loaded, None)
    questions = list(loaded)
    assert [one.question for one in lessons.of(lessons.fold(questions[0]))] == [CHAINS[1]["query"]]
    with pytest.raises(InputError, match="at least one"):
        list(load_benchmark(benchmark(tmp_path, [{"query": "x", "calls": []}])))
