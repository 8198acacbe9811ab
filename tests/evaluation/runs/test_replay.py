import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.data import needed
from tests.evaluation.runs.bench import make_benchmark
from tests.evaluation.runs.test_run import choose, propose, right, select_gene

from fathom.benchmarks import Benchmark, BenchmarkQuestion, QuestionSelection, load_benchmark
from fathom.errors import ConfigError, InputError, UnknownName
from fathom.evaluation.runs.export import export
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.replay import replay
from fathom.evaluation.runs.run import evaluate
from fathom.evaluation.scoring import score
from fathom.methods import Method
from fathom.records import Question
from fathom.reports.report_files import write_report


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.parametrize("form", ["bird", "jsonl", "nl2sqlbench"])
def test_what_is_exported_scores_as_the_run_did(tmp_path: Path, threads: Executor, form: str) -> None:
    benchmark = make_benchmark(tmp_path)
    run = evaluate(benchmark, right, RunOptions(out=tmp_path / "run", executor=threads, limit=12, workers=3))
    out = tmp_path / ("folder" if form == "nl2sqlbench" else f"out.{'json' if form == 'bird' else form}")
    assert export(run.folder, form, out) == 12
    if form == "bird":
        first = json.loads(out.read_text(encoding="utf-8"))["0"]
        assert first == "SELECT name FROM gene WHERE id = 0\t----- bird -----\tgenes"
        return
    assert score(benchmark, out).correct == 13  # the last one is rightly declined


def test_nl2sqlbench_records_keep_the_modules(tmp_path: Path, threads: Executor) -> None:
    path = make_benchmark(tmp_path)
    method = Method("toy", (select_gene, propose, choose))
    first = evaluate(path, method, RunOptions(out=tmp_path / "first", executor=threads, limit=12))
    export(first.folder, "nl2sqlbench", tmp_path / "records")
    content = json.loads((tmp_path / "records" / "3.json").read_text(encoding="utf-8"))
    assert [r["node_type"] for r in content] == ["schema_selection", "candidate_generation", "query_revision"]
    assert (content[1]["exec_res"], content[2]["exec_res"]) == (0, 1)
    benchmark = load_benchmark(path)
    again = evaluate(
        benchmark,
        replay(benchmark, tmp_path / "records"),
        RunOptions(out=tmp_path / "again", executor=threads, limit=12),
    )
    before, after = first.summary().all, again.summary().all
    for part in ("correct", "revision", "generation", "selection"):
        assert after[part] == before[part]


def test_what_files_do_not_tell_is_unknown(tmp_path: Path, threads: Executor) -> None:
    path = make_benchmark(tmp_path)
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": "q1", "sql": "SELECT name FROM gene WHERE id = 1"}\n', encoding="utf-8")
    benchmark = load_benchmark(path)
    run = evaluate(
        benchmark, replay(benchmark, file), RunOptions(out=tmp_path / "run", executor=threads, limit=3)
    )
    summary = run.summary().all
    assert (summary["correct"], summary["error"]) == (1, 2)
    assert summary["seconds_per_question"]["value"] is None
    assert summary["usage"] == {}
    with pytest.raises(UnknownName, match="Did you mean 'bird'"):
        export(run.folder, "birds", tmp_path / "x")


def _paper_form(folder: Path, *, revised: list[str | None]) -> Path:
    """Records as in the paper's appendix: no id, named by nothing but question and file."""
    folder.mkdir()
    for i, sql in enumerate(revised):
        about = {"question": f"What  is gene {i} called?", "db_id": "genes"}
        used = {"token_cost": 1_000, "completion_tokens": 200, "llm_calls": 1}
        selected = None if i == 0 else {"gene": ["id", "name"]}
        sqls = [f"SELECT name FROM gene WHERE id = {i}"]
        records = [
            about | used | {"node_type": "schema_selection", "extracted_schema": selected},
            about | used | {"node_type": "candidate_generation", "SQL": sqls},
            about | used | {"node_type": "query_revision", "SQL": sql},
        ]
        (folder / f"run_{9 - i}.json").write_text(json.dumps(records), encoding="utf-8")
    return folder


def test_records_without_ids_are_paired_and_empty_revisions_are_errors(
    tmp_path: Path, threads: Executor
) -> None:
    benchmark = load_benchmark(make_benchmark(tmp_path))
    texts = {q.id: q.text for q in benchmark}
    revised = ["SELECT name FROM gene WHERE id = 0", "", None, "SELECT 'no gene'"]
    folder = _paper_form(tmp_path / "records", revised=revised)
    for i, file in enumerate(sorted(folder.iterdir(), reverse=True)):
        content = json.loads(file.read_text(encoding="utf-8"))
        told = [r | {"question": texts[f"q{i}"].upper()} for r in content]
        file.write_text(json.dumps(told), encoding="utf-8")
    part = benchmark.only(QuestionSelection(ids=("q0", "q1", "q2", "q3")))
    run = evaluate(part, replay(part, folder), RunOptions(out=tmp_path / "run", executor=threads))
    found = run.summary().all
    assert (found["correct"], found["incorrect"], found["error"]) == (1, 1, 2)
    assert [found["revision"][k]["hits"] for k in ("C2E", "C2I")] == [2, 1]
    assert found["selection"]["table_recall"] == found["selection"]["table_recall"] | {"value": 0.75, "n": 4}
    assert found["seconds_per_question"]["value"] is None
    total = found["usage"]["total"]
    assert (total["prompt_tokens"]["value"], total["completion_tokens"]["value"]) == (2_400, 600)
    assert total["cost_usd"]["value"] is None
    assert total["model_seconds"]["value"] is None
    scored = score(part, folder)
    assert (scored.correct, scored.incorrect, scored.error, scored.missing) == (1, 1, 2, 2)
    assert scored.problems == []


def test_a_total_of_tokens_stays_one_and_costs_between_two_prices(tmp_path: Path, threads: Executor) -> None:
    """The paper's own form of a record; a million tokens of gpt-4o-mini cost 0.15 or 0.60 $."""
    benchmark = load_benchmark(make_benchmark(tmp_path)).only(QuestionSelection(ids=("q0", "q1")))
    folder = tmp_path / "records"
    folder.mkdir()
    for i, tokens in enumerate((1_000_000, 3_000_000)):
        generated = {"node_type": "candidate_generation", "question_id": f"q{i}", "SQL": "SELECT 1",
                     "token_cost": tokens, "llm_calls": 2}  # fmt: skip
        split = {"node_type": "schema_selection", "question_id": f"q{i}", "extracted_schema": {},
                 "prompt_tokens": 2_000_000, "completion_tokens": 1_000_000, "llm_calls": 1}  # fmt: skip
        (folder / f"{i}.json").write_text(json.dumps([split, generated]), encoding="utf-8")
    answers = replay(benchmark, folder, price_as="openai:gpt-4o-mini", cached_share=0)
    run = evaluate(benchmark, answers, RunOptions(out=tmp_path / "run", executor=threads))
    usage = run.summary().all["usage"]
    assert usage["generation"]["tokens"]["value"] == 2_000_000
    for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"):
        assert (usage["generation"][name]["value"], usage["total"][name]["missing"]) == (None, 2), name
    assert usage["selection"]["cost_usd"]["value"] == pytest.approx(2 * 0.15 + 0.60)
    assert usage["total"]["tokens"]["value"] == 5_000_000
    assert usage["total"]["least_usd"]["value"] == pytest.approx(0.90 + 2 * 0.15)
    assert usage["total"]["most_usd"]["value"] == pytest.approx(0.90 + 2 * 0.60)
    write_report([run.folder], tmp_path / "r.md")
    told = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "| 1.2 to 2.1 (N = 2) |" in told.split("### Leaderboard")[1]
    export(run.folder, "nl2sqlbench", tmp_path / "again")
    again = [
        r for f in (tmp_path / "again").rglob("*.json") for r in json.loads(f.read_text(encoding="utf-8"))
    ]
    costs = [r["token_cost"] for r in again if r["node_type"] == "candidate_generation"]
    assert sorted(costs) == [1_000_000, 3_000_000]


def test_imported_tokens_are_priced_as_a_models(tmp_path: Path, threads: Executor) -> None:
    benchmark = load_benchmark(make_benchmark(tmp_path))
    folder = tmp_path / "records"
    folder.mkdir()
    record = {"node_type": "candidate_generation", "question_id": "q0", "SQL": "SELECT 1"}
    tokens = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "llm_calls": 1}
    (folder / "0.json").write_text(json.dumps([record | tokens]), encoding="utf-8")
    costs = []
    for share in (0.0, 0.5, 1.0):
        answers = replay(benchmark, folder, price_as="openai:gpt-4o", cached_share=share)
        costs.append(answers(Question("?", id="q0")).trace.usage.cost_usd)
    whole, half, cached = (float(cost or 0) for cost in costs)
    assert half == pytest.approx((whole + cached) / 2)
    assert 0 < cached < whole
    with pytest.raises(ConfigError, match="No price"):
        replay(benchmark, folder, price_as="openai:no-such-model")
    (folder / "0.json").write_text(json.dumps([record | {"question_id": "elsewhere"}]), encoding="utf-8")
    with pytest.raises(InputError, match="holds no record of a question"):
        replay(benchmark, folder)


def _without_trans(benchmark: Benchmark) -> Benchmark:
    """BIRD's questions whose data are here: `financial`, but not its empty table."""

    def read() -> Iterator[BenchmarkQuestion]:
        return (
            q for q in benchmark if q.database_name == "financial" and "trans" not in q.gold[0].casefold()
        )

    return replace(benchmark, read=read)


def _outcome(connection: sqlite3.Connection, predicted: str, gold: str) -> str:
    """BIRD's own rule, restated."""
    expected = set(connection.execute(gold).fetchall())
    try:
        found = connection.execute(predicted).fetchall()
    except sqlite3.Error:
        return "e"
    return "c" if set(found) == expected else "i"


def test_rsl_sqls_steps_give_its_revision_metrics(tmp_path: Path, threads: Executor) -> None:
    folder = needed("bird", "predictions", "rsl_sql_gpt4o")
    whole = load_benchmark(needed("bird"), "dev")
    before, final = folder / "step3" / "step_3_binary.txt", folder / "step4" / "final_sql.txt"
    run = evaluate(
        _without_trans(whole),
        replay(whole, final, before=before),
        RunOptions(out=tmp_path / "run", executor=threads),
    )
    found = run.summary().all["revision"]
    queries = [f.read_text(encoding="utf-8").splitlines() for f in (before, final)]
    moves: Counter[str] = Counter()
    database = needed("bird", "dev_databases", "financial", "financial.sqlite")
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for position, question in enumerate(whole):
            if question.database_name == "financial" and "trans" not in question.gold[0].casefold():
                pair = (_outcome(connection, q[position].split("\t")[0], question.gold[0]) for q in queries)
                moves["".join(pair)] += 1
    n = moves.total()
    pre = sum(c for m, c in moves.items() if m[0] == "c")
    post = sum(c for m, c in moves.items() if m[1] == "c")
    assert n > 50
    assert (found["pre"]["hits"], found["post"]["hits"], found["n"]) == (pre, post, n)
    assert found["CI"] == pytest.approx((post - pre) / pre)
    for name, move in (("I2C", "ic"), ("E2C", "ec"), ("C2I", "ci"), ("C2E", "ce")):
        assert found[name]["hits"] == moves[move], name
