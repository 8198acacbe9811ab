import json
from pathlib import Path

import pytest

from fathom.benchmarks import Benchmark, QuestionSelection, load_benchmark
from fathom.benchmarks.choice import read_ids
from fathom.errors import ConfigError, FathomError, InputError


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    lines = [
        {"id": f"q{i}", "question": "?", "database": "ab"[i % 2] + ".sqlite", "gold": ["SELECT 1"]}
        for i in range(200)
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return load_benchmark(tmp_path / "own.jsonl")


def ids(bench: Benchmark, choice: QuestionSelection) -> list[str]:
    return [q.id for q in bench.only(choice)]


def test_a_sample_repeats_and_grows(bench: Benchmark) -> None:
    few, more = (ids(bench, QuestionSelection(sample=n, seed=3)) for n in (10, 50))
    assert (len(few), len(more)) == (10, 50)
    assert set(few) < set(more)
    assert few == sorted(few, key=lambda i: int(i[1:]))
    assert (
        few
        == ids(bench, QuestionSelection(sample=10, seed=3))
        != ids(bench, QuestionSelection(sample=10, seed=4))
    )
    assert len(ids(bench, QuestionSelection(sample=500))) == 200


def test_a_sample_is_drawn_from_all_alike(bench: Benchmark) -> None:
    """Over many seeds each question comes about as often as any other."""
    counts = dict.fromkeys((q.id for q in bench), 0)
    for seed in range(200):
        for one in ids(bench, QuestionSelection(sample=20, seed=seed)):
            counts[one] += 1
    assert 5 <= min(counts.values()) <= 20 <= max(counts.values()) <= 40


def test_conditions_narrow_each_other(bench: Benchmark) -> None:
    assert ids(bench, QuestionSelection(databases=("b",), limit=2)) == ["q1", "q3"]
    assert ids(bench, QuestionSelection(databases=("b",), ids=("q2", "q5", "q7"))) == ["q5", "q7"]
    numbered = list(bench.only(QuestionSelection(ids=("q150", "q2"))).numbered())
    assert [(i, q.id) for i, q in numbered] == [(2, "q2"), (150, "q150")]
    assert bench.only(QuestionSelection(ids=("q2",))).digest == bench.digest


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (QuestionSelection(databases=("c",)), "no database 'c'"),
        (QuestionSelection(ids=("q200",)), "no question 'q200'"),
        (QuestionSelection(databases=("a",), ids=("q1",)), "None of the questions"),
    ],
)
def test_what_no_question_has_is_told(bench: Benchmark, choice: QuestionSelection, told: str) -> None:
    with pytest.raises(FathomError, match=told):
        list(bench.only(choice))


def test_there_is_no_sample_of_nothing() -> None:
    with pytest.raises(ConfigError, match="--sample takes a number"):
        QuestionSelection(sample=0)


def test_ids_come_with_commas_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ids"
    file.write_text('7\n\n{"id": 8, "question": "?"}\n', encoding="utf-8")
    assert list(read_ids(["1, 2", "3", str(file)])) == ["1", "2", "3", "7", "8"]
    file.write_text('{"question": "?"}', encoding="utf-8")
    with pytest.raises(InputError, match="has no id"):
        list(read_ids([str(file)]))
