import json
from pathlib import Path
from typing import Any

import pytest

from fathom.benchmarks import load_benchmark
from fathom.benchmarks.calls import ToolCall, found_before, gold_call, kin, solved
from fathom.errors import InputError, UnknownName

PAIR = {"query": "Where is BRCA2?", "endpoint": "lookup_by_symbol", "arguments": {"symbol": "BRCA2"}}
RAW = {
    "user_query": "Where is BRCA2?",
    "function_calling": {"name": "lookup_by_symbol", "arguments": {"symbol": "BRCA2", "expand": None}},
    "observation": {"id": "ENSG00000139618"},
    "database": "ensembl",
    "tool": "lookup",
}
TURNS = {
    "conversations": [
        {"from": "system", "value": "Call one tool."},
        {"from": "human", "value": "Where is BRCA2?"},
        {"from": "function_call", "value": json.dumps(RAW["function_calling"])},
    ],
    "tools": "[]",
}


def written(file: Path, records: list[Any]) -> str:
    lines = file.suffix == ".jsonl"
    text = "\n".join(json.dumps(r) for r in records) if lines else json.dumps(records, indent=1)
    file.write_text(text, encoding="utf-8")
    return f"biotool:{file}"


@pytest.mark.parametrize("record", [PAIR, RAW, TURNS], ids=["pair", "raw", "training"])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_every_published_form_gives_the_same_call(tmp_path: Path, record: Any, ending: str) -> None:
    (question,) = load_benchmark(written(tmp_path / f"q.{ending}", [record]))
    assert question.text == "Where is BRCA2?"
    assert question.gold == ('{"arguments": {"symbol": "BRCA2"}, "name": "lookup_by_symbol"}',)
    assert solved([question])[0].endpoint == "lookup_by_symbol"


@pytest.mark.parametrize(
    ("record", "line", "field", "problem"),
    [
        ({"query": "x", "endpoint": "blast"}, 2, "arguments", "must be an object"),
        ({"query": "", "endpoint": "blast", "arguments": {}}, 2, "query", "missing or empty"),
        ({"query": "x", "arguments": {}}, 2, "endpoint", "missing or empty"),
        ({"user_query": "x", "function_calling": "blast()"}, 2, "function_calling", "name and arguments"),
        (
            {"user_query": "x", "function_calling": {"name": "a", "arguments": []}},
            2,
            "function_calling.arguments",
            "object",
        ),
        (
            {"conversations": [{"from": "human", "value": "x"}]},
            2,
            "conversations",
            "no turn from 'function_call'",
        ),
        ({**PAIR, "step": "second"}, 2, "step", "number"),
    ],
)
def test_what_is_wrong_is_told_by_file_line_and_field(
    tmp_path: Path, record: Any, line: int, field: str, problem: str
) -> None:
    benchmark = load_benchmark(written(tmp_path / "q.jsonl", [PAIR, record]))
    with pytest.raises(InputError, match=problem) as told:
        list(benchmark)
    assert (told.value.line, told.value.field) == (line, field)
    assert str(tmp_path / "q.jsonl") in str(told.value)


def test_a_missing_file_and_another_split_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_benchmark(f"biotool:{tmp_path / 'nothing.json'}")
    with pytest.raises(UnknownName, match="unseen"):
        load_benchmark(written(tmp_path / "q.json", [PAIR]), "unsen")


def test_a_later_step_is_given_what_the_one_before_found(tmp_path: Path) -> None:
    search = {"query": "Q?", "endpoint": "esearch", "arguments": {"db": "gene", "term": "x"}, "step": 1,
              "observation": '{"idlist": ["672", "675"]}'}  # fmt: skip
    fetch = {"query": "Q?", "endpoint": "esummary", "arguments": {"db": "gene", "id": "672"}, "step": 2}
    first, second = load_benchmark(written(tmp_path / "q.json", [search, fetch]))
    assert first.evidence == ""
    assert found_before(second.evidence) == ("672", "675")
    assert solved([second])[0].step == 2


def many(calls: int) -> list[Any]:
    """Two questions a call over ten endpoints, as the published set has them."""
    return [
        {"query": f"{words} {n}?", "endpoint": f"endpoint{n % 10}", "arguments": {"id": n}}
        for n in range(calls)
        for words in ("What is", "Tell me of")
    ]


def test_sister_questions_stay_on_one_side_of_the_random_split(tmp_path: Path) -> None:
    name = written(tmp_path / "q.json", many(50))
    tested = load_benchmark(name, "random")
    assert tested.read_training is not None
    training = list(tested.read_training())
    assert len(list(tested)) == 20
    assert len(training) == 80
    assert not {q.gold for q in tested} & {q.gold for q in training}


def test_no_endpoint_of_the_unseen_split_is_in_its_training(tmp_path: Path) -> None:
    tested = load_benchmark(written(tmp_path / "q.json", many(50)), "unseen")
    assert tested.read_training is not None
    unseen = {gold_call(q).endpoint for q in tested}
    assert len(unseen) == 2
    assert not unseen & {gold_call(q).endpoint for q in tested.read_training()}


def test_kin_are_questions_of_one_text_or_one_call(tmp_path: Path) -> None:
    def record(query: str, **arguments: Any) -> Any:
        return {"query": query, "endpoint": "e", "arguments": arguments}

    rows = [record("One", a=1), record("one?", b=2), record("Other", a=1), record("Apart", c=3)]
    assert kin(list(load_benchmark(written(tmp_path / "q.json", rows)))) == [0, 0, 0, 1]


def test_a_call_has_one_text_whatever_the_order() -> None:
    call = ToolCall("e", {"b": 1, "a": [2], "c": None})
    assert call.text() == ToolCall("e", {"a": [2], "b": 1}).text()
    assert ToolCall.read(call.text()) == ToolCall("e", {"a": [2], "b": 1})
    with pytest.raises(ValueError, match="not a call"):
        ToolCall.read("[]")


def test_a_large_group_of_kin_does_not_swell_the_tested_fifth(tmp_path: Path) -> None:
    kin = [{"query": "What is it?", "endpoint": "blast", "arguments": {"id": n}} for n in range(60)]
    apart = [{"query": f"What is {n}?", "endpoint": "efetch", "arguments": {"id": -n}} for n in range(40)]
    benchmark = load_benchmark(written(tmp_path / "q.json", kin + apart), "random")
    assert len(list(benchmark)) == 20
    assert {gold_call(q).endpoint for q in benchmark} == {"efetch"}
    only = load_benchmark(written(tmp_path / "few.json", kin), "random")
    assert len(list(only)) == 60
