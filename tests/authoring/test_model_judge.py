"""A model among the auditors: one suspicion beside those of the rules, whatever it replies."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from bench.audit import at_precision
from tests.command import Fathom

from fathom.authoring.audit import audit, findings_markdown
from fathom.authoring.audit.labelled import PairSources, Trust, measure_trust, read_labelled
from fathom.authoring.audit.model_judge import ModelJudge
from fathom.authoring.audit.operating_point import best_point
from fathom.authoring.audit.suspicion import suspicion
from fathom.benchmarks import load_benchmark
from fathom.errors import ModelFailed
from fathom.llm import Budget, Cassette, Model, ScriptedModel

DOUBTED = "SELECT symbol FROM gene"
TRUSTED = "SELECT COUNT(*) FROM gene WHERE name = 'TP53'"
REASON = "It returns symbols\n where [names](http://elsewhere) are asked for."
PAIRS = [
    (DOUBTED, "Names of all genes?", False),
    (TRUSTED, "How many genes are called TP53?", True),  # which no row is: by rule it is suspected
    ("SELECT name FROM gene", "Which genes are there?", True),
]


def verdict(kind: str, reason: str = "so") -> str:
    return json.dumps({"verdict": kind, "reason": reason})


def scripted(**more: Any) -> ScriptedModel:
    """Doubts one query, finds nothing wrong with another, and can't tell of the rest."""
    rules = {"SELECT symbol": verdict("wrong", REASON), "'TP53'": verdict("right"), "": verdict("unclear")}
    return ScriptedModel.of(rules=more or rules)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "genes").mkdir()
    with sqlite3.connect(tmp_path / "genes" / "genes.sqlite") as made:
        made.execute("CREATE TABLE gene (name TEXT, symbol TEXT)")
        made.executemany("INSERT INTO gene VALUES (?, ?)", [("apolipoprotein E", "APOE"), ("parkin", "PRKN")])
    made.close()
    lines = [{"sql": s, "question": q, "label": right, "db_id": "genes"} for s, q, right in PAIRS]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    gold = [{"id": s, "question": q, "database": "genes/genes.sqlite", "gold": [s]} for s, q, _ in PAIRS]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, gold)))
    return tmp_path


def test_a_verdict_counts_beside_what_the_rules_find(folder: Path) -> None:
    benchmark = load_benchmark(folder / "gold.jsonl")
    by_rules = {f.id: f.kind for f in audit(benchmark)}
    assert by_rules == {TRUSTED: "value_not_found"}
    model = scripted()
    (found,) = [f for f in audit(benchmark, judge=ModelJudge(model)) if f.id == DOUBTED]
    assert found.kind == "model_doubts"
    assert (
        found.evidence == "scripted says: It returns symbols where [names](http://elsewhere) are asked for."
    )
    assert r"\[names](http://elsewhere)" in findings_markdown([found])  # no link that a reply has made
    assert found.suspicion == round(suspicion().probability({"model_doubts"}), 3)
    assert len(model.prompts) == len(PAIRS)
    assert all(part in model.prompts[0] for part in (DOUBTED, "Names of all genes?", "gene (", "(nothing)"))
    assert "parkin" not in "".join(model.prompts)  # no rows


def test_what_speaks_for_gold_is_no_finding_and_lessens_the_others(folder: Path) -> None:
    benchmark = load_benchmark(folder / "gold.jsonl")
    (alone,) = audit(benchmark)
    found = list(audit(benchmark, judge=ModelJudge(scripted())))
    assert {f.id: f.kind for f in found} == {DOUBTED: "model_doubts", TRUSTED: "value_not_found"}
    assert found[1].suspicion == round(suspicion().probability({"value_not_found", "model_agrees"}), 3)
    assert found[1].suspicion < alone.suspicion


def test_labels_tell_the_figures_with_and_without_the_model(folder: Path) -> None:
    pairs = list(read_labelled(folder / "pairs.jsonl"))
    trust = measure_trust(pairs, PairSources(folder, judge=ModelJudge(scripted())))
    assert trust.rates["accuracy"].hits - trust.without_model.rates["accuracy"].hits == 1  # type: ignore[union-attr]
    assert trust.kinds["model_doubts"] == (1, 0)
    assert "model_doubts" not in trust.without_model.kinds  # type: ignore[union-attr]
    assert measure_trust(pairs, PairSources(folder)).without_model is None


@pytest.mark.parametrize(
    "reply",
    ["no JSON", verdict("delete it"), verdict("wrong", "x" * 2_001), ModelFailed("m", "overloaded", "")],
)
def test_a_reply_that_is_no_verdict_leaves_the_rules(folder: Path, reply: Any) -> None:
    judge = ModelJudge(scripted(**{"": reply}))
    benchmark = load_benchmark(folder / "gold.jsonl")
    assert [f.kind for f in audit(benchmark, judge=judge)] == [f.kind for f in audit(benchmark)]
    assert judge.unjudged == len(PAIRS)


def test_a_model_that_answers_nothing_at_all_ends_the_audit(folder: Path) -> None:
    judge = ModelJudge(scripted(**{"": ModelFailed("m", "quota", "no credit left")}))
    with pytest.raises(ModelFailed, match="no credit left"):
        list(audit(load_benchmark(folder / "gold.jsonl"), judge=judge))


def test_once_the_budget_is_spent_the_rules_go_on(folder: Path) -> None:
    model = scripted()
    judge = ModelJudge(model.within(Budget(calls=1)))
    found = {f.id: f.kind for f in audit(load_benchmark(folder / "gold.jsonl"), judge=judge)}
    assert found == {DOUBTED: "model_doubts", TRUSTED: "value_not_found"}
    assert (len(model.prompts), judge.unjudged) == (1, 2)
    assert "1 of 1 calls" in judge.stopped


def test_the_command_asks_a_model_that_is_named(folder: Path, fathom: Fathom) -> None:
    tape, pairs = folder / "tape.jsonl", folder / "pairs.jsonl"
    recording = Cassette(tape)
    model = Model("openai:judge", recording.record(scripted().exchange), tools=True)
    measure_trust(list(read_labelled(pairs)), PairSources(folder, judge=ModelJudge(model)))
    recording.close()
    asking = ("--model", "openai:judge", "--cassette", tape, "--replay")
    trusting = ("audit", "--labelled", pairs, "--data", folder, *asking)
    told = json.loads(fathom(*trusting, "--json").out)
    assert told["rates"]["accuracy"]["hits"] == told["without_model"]["rates"]["accuracy"]["hits"] + 1
    assert told["at_precision"]["precision"]["hits"] == told["at_precision"]["precision"]["n"]
    out = fathom(*trusting).out
    assert "Without the model:" in out
    assert out.count("at precision >= 80%: accuracy") + out.count("no threshold reaches") == 2
    stopped = fathom(*trusting, "--max-tokens", 1)
    assert "gave no verdict on 2 queries" in stopped.err
    found = json.loads(fathom("audit", folder / "gold.jsonl", *asking, "--json").out)
    assert "model_doubts" in {f["kind"] for f in found}


def test_the_best_point_is_the_most_accurate_with_enough_precision() -> None:
    scored = [(0.9, False), (0.8, False), (0.7, True), (0.6, False), (0.5, False), (0.4, True), (0.3, False)]
    point = best_point(scored, 0.8)
    assert point is not None
    assert point.threshold == 0.5  # four of five suspects are wrong; at 0.3 five of seven
    assert (point.accuracy.hits, point.accuracy.trials) == (5, 7)
    assert (point.precision.hits, point.precision.trials) == (4, 5)
    assert (point.recall.hits, point.recall.trials) == (4, 5)
    strict = best_point(scored, 0.9)
    assert strict is not None
    assert strict.threshold == 0.8
    assert best_point([(0.9, True), (0.1, False)]) is None


@pytest.mark.parametrize(
    ("scored", "value", "met"),
    [
        ([(0.9, False)] * 3 + [(0.1, True)], "accuracy 100.0%, recall 100.0%", True),
        ([(0.9, False), *[(0.1, False), (0.1, True)] * 2], "accuracy 60.0%, recall 33.3%", False),
        ([(0.9, True), (0.1, False)], "no threshold reaches 80%", False),
    ],
)
def test_the_bench_tells_accuracy_where_precision_is_enough(
    scored: list[tuple[float, bool]], value: str, met: bool
) -> None:
    trust = Trust(0, 0, 0, 0, {}, {}, 0, best=best_point(scored))
    figure = at_precision("so", trust, "N = 4", marked=True)
    assert (figure.what, figure.value) == ("audit so: at precision >= 80%", value)
    assert (figure.mark, figure.ok) == ("accuracy >= 75%", met)
    assert at_precision("so", trust, "N = 4", marked=False).ok is None
