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
from tests.evaluation.runs.test_running import choose, propose, right, select_gene

from fathom.benchmarks import Benchmark, BenchmarkQuestion, load_benchmark
from fathom.errors import UnknownName
from fathom.evaluation.runs.export import export
from fathom.evaluation.runs.replay import replay
from fathom.evaluation.runs.running import evaluate
from fathom.evaluation.scoring import score
from fathom.methods import Method


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.parametrize("form", ["bird", "jsonl", "nl2sqlbench"])
def test_what_is_exported_scores_as_the_run_did(tmp_path: Path, threads: Executor, form: str) -> None:
    benchmark = make_benchmark(tmp_path)
    run = evaluate(benchmark, right, out=tmp_path / "run", executor=threads, limit=12, workers=3)
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
    first = evaluate(path, method, out=tmp_path / "first", executor=threads, limit=12)
    export(first.folder, "nl2sqlbench", tmp_path / "records")
    content = json.loads((tmp_path / "records" / "3.json").read_text(encoding="utf-8"))
    assert [r["node_type"] for r in content] == ["schema_selection", "candidate_generation", "query_revision"]
    assert (content[1]["exec_res"], content[2]["exec_res"]) == (0, 1)
    benchmark = load_benchmark(path)
    again = evaluate(
        benchmark, replay(benchmark, tmp_path / "records"), out=tmp_path / "again", executor=threads, limit=12
    )
    before, after = first.summary().all, again.summary().all
    for part in ("correct", "revision", "generation", "selection"):
        assert after[part] == before[part]


def test_what_files_do_not_tell_is_unknown(tmp_path: Path, threads: Executor) -> None:
    path = make_benchmark(tmp_path)
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": "q1", "sql": "SELECT name FROM gene WHERE id = 1"}\n', encoding="utf-8")
    benchmark = load_benchmark(path)
    run = evaluate(benchmark, replay(benchmark, file), out=tmp_path / "run", executor=threads, limit=3)
    summary = run.summary().all
    assert (summary["correct"], summary["error"]) == (1, 2)
    assert summary["seconds_per_question"]["value"] is None
    assert summary["usage"] == {}
    with pytest.raises(UnknownName, match="Did you mean 'bird'"):
        export(run.folder, "birds", tmp_path / "x")


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
        _without_trans(whole), replay(whole, final, before=before), out=tmp_path / "run", executor=threads
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
