import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from bench.questions.calls import generated

from fathom.biotools.callers import SolvedCall, open_caller
from fathom.biotools.callers.finetuned import OFFERED, FineTunedCaller
from fathom.biotools.callers.training_files import LAYOUTS, write_training
from fathom.biotools.catalogue import check
from fathom.llm import Call, Reply, ScriptedModel

PAIR = SolvedCall(
    "What is known about the variant RS699?", "get_variation", {"species": "human", "id": "RS699"}
)
BROKEN = SolvedCall("What is it?", "get_variation", {"species": "human"})


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def turns(layout: str, row: dict[str, Any]) -> list[str]:
    if layout == "chat":
        return [m["content"] for m in row["messages"]]
    if layout == "sharegpt":
        return [t["value"] for t in row["conversations"]]
    return [row["system"], row["instruction"], row["output"]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_asked_is_what_was_trained(tmp_path: Path, layout: str) -> None:
    write_training({"train": [PAIR]}, tmp_path, about={})
    (row,) = lines(tmp_path / f"train.{layout}.jsonl")
    system, user, target = turns(layout, row)
    model = ScriptedModel.of(target)
    proposal = asyncio.run(FineTunedCaller(model).propose(PAIR.question))
    (request,) = model.script.requests
    assert [m.text for m in request.messages] == [system, user]
    assert not request.tools
    assert proposal.call == check(PAIR.endpoint, PAIR.arguments)
    assert json.loads(target)["arguments"] == {"species": "homo_sapiens", "id": "rs699"}


def test_a_call_that_can_not_be_made_is_left_out_with_the_reason(tmp_path: Path) -> None:
    written = write_training({"train": [PAIR, BROKEN], "test": []}, tmp_path, about={"seed": 7})
    assert written.counts == {"train": 1, "test": 0}
    about = json.loads((tmp_path / "about.json").read_text(encoding="utf-8"))
    assert about["seed"] == 7
    assert "id: is needed" in about["left_out"][0]["reason"]
    assert lines(tmp_path / "test.chat.jsonl") == []


def test_the_right_endpoint_stands_in_every_prompt_and_prompts_stay_short(tmp_path: Path) -> None:
    questions = generated()[::10]
    written = write_training({"train": questions}, tmp_path, about={})
    assert not written.left_out
    places = []
    for gold, row in zip(questions, lines(tmp_path / "train.alpaca.jsonl"), strict=True):
        described = [line.partition("(")[0] for line in row["system"].splitlines() if "(" in line]
        places.append(described.index(gold.endpoint))
        assert len(row["system"]) < 6_000  # about 1,500 tokens of the 2,048 that were used
    assert len(set(places)) >= OFFERED - 1


@pytest.mark.parametrize(
    "said",
    [
        '```json\n{"name": "get_variation", "parameters": {"species": "human", "id": "rs699"}}\n```',
        "Action: get_variation\nAction Input: {'species': 'human', 'id': 'rs699'}",
        Reply("", (Call("get_variation", '{"species": "human", "id": "rs699"}'),)),
    ],
)
def test_replies_are_read_tolerantly(said: str | Reply) -> None:
    proposal = asyncio.run(open_caller("finetuned", model=ScriptedModel.of(said)).propose("rs699?"))
    assert proposal.call == check("get_variation", {"species": "human", "id": "rs699"})
    assert proposal.usage.calls == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I can't.", "made no call"),
        ('{"name": "get_variants", "arguments": {}}', "Did you mean 'get_variation'"),
        ('{"name": "get_variation", "arguments": {"id": "rs699; DROP"}}', "species: is needed"),
        ('{"name": "get_variation", "arguments": {"id":', "can't be made"),
    ],
)
def test_what_is_no_call_is_refused_without_another_request(said: str, told: str) -> None:
    model = ScriptedModel.of(said)
    proposal = asyncio.run(FineTunedCaller(model).propose("rs699?"))
    assert proposal.call is None
    assert told in proposal.refusal
    assert len(model.prompts) == 1
