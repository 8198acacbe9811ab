"""How replies are drawn, against servers that take some parameters and not others."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from fathom.errors import ModelFailed
from fathom.llm import Model, Pace, Reply, Sampling, Script, ScriptedModel, open_model
from fathom.llm.exchange import Message, Request
from fathom.llm.parameters import LONGEST, Parameters
from fathom.records import Usage
from tests.llm.hostile import Books, Server, _ordinary, asked_for_openai
from tests.llm.spoken import Answer, Asked, error_answer, json_answer

PACE = Pace(attempts=6, seconds=20, first_wait=0.01)
FULL = Sampling(temperature=1.0, top_p=0.9, seed=7, max_tokens=50, json_mode=True)


class Choosy:
    """The hostile server with rules of its own: parameters that it refuses, and whether it heeds `n`."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.refused: dict[str, str] = {}
        self.tells = True
        self.most = 128
        self.blank = False
        self.bodies: list[dict[str, Any]] = []

    @property
    def model(self) -> str:
        return f"{self.server.openai}#own"

    def answer(self, asked: Asked, books: Books) -> Answer:
        self.bodies.append(asked.body)
        for name, words in self.refused.items():
            if name in asked.body:
                told = {"message": words, "type": "invalid_request_error"}
                named = {"param": name} if self.tells else {}
                return json_answer({"error": told | named}, 400)
        if self.blank:
            return _ordinary(asked, books, message={"content": None})
        count = min(asked.body.get("n", 1), self.most)
        texts = [f"<think>hm {i}</think>Choice {i}" if i == 1 else f"Choice {i}" for i in range(count)]
        choices = [
            {"index": i, "message": {"role": "assistant", "content": t}, "finish_reason": "stop"}
            for i, t in enumerate(texts)
        ]
        return _ordinary(asked, books, choices=choices)


@pytest.fixture
def choosy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Choosy]:
    with asked_for_openai(monkeypatch) as server:
        rules = Choosy(server)

        async def reply(asked: Asked, books: Books, reader: Any, writer: asyncio.StreamWriter) -> bool:
            status, headers, body = rules.answer(asked, books)
            head = "".join(f"{k}: {v}\r\n" for k, v in {"content-length": len(body), **headers}.items())
            writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
            await writer.drain()
            return True

        monkeypatch.setattr(server, "_reply", reply)
        yield rules


def ask(model: Model, words: str = "Say it as JSON.", sampling: Sampling = FULL) -> Reply:
    return asyncio.run(model.ask(words, sampling=sampling))


WORDS = {
    "temperature": "Unsupported value: 'temperature' does not support 1.0 with this model.",
    "top_p": "`temperature` and `top_p` cannot both be specified for this model.",
    "seed": "Extra inputs are not permitted: seed",
    "response_format": "'response_format.type' must be 'json_schema' or 'text'",
}


@pytest.mark.parametrize("tells", [True, False])
def test_what_a_server_refuses_is_left_out_once_and_for_all(choosy: Choosy, tells: bool) -> None:
    choosy.refused, choosy.tells = WORDS, tells
    with open_model(choosy.model, pace=PACE) as model:
        first = ask(model)
        sent = len(choosy.bodies)
        second = ask(model, "Say it again as JSON.")
    assert first.dropped == second.dropped == ("json_mode", "seed", "temperature", "top_p")
    assert (sent, len(choosy.bodies)) == (5, 6)  # each is refused once
    assert (first.attempts, first.usage.calls) == (1, 1)
    assert choosy.bodies[-1].get("max_tokens", choosy.bodies[-1].get("max_completion_tokens")) == 50


def test_a_parameter_that_is_taken_stays(choosy: Choosy) -> None:
    choosy.refused = {"top_p": WORDS["top_p"]}
    choosy.tells = False
    with open_model(choosy.model, pace=PACE) as model:
        assert ask(model).dropped == ("top_p",)  # though the words name the temperature as well
    kept = choosy.bodies[-1]
    assert (kept["temperature"], kept["seed"]) == (1.0, 7)
    assert kept["response_format"] == {"type": "json_object"}


def test_what_names_no_parameter_given_is_an_error_as_before(choosy: Choosy) -> None:
    choosy.refused = {"messages": "The seed of this conversation can't be told."}
    with open_model(choosy.model, pace=PACE) as model, pytest.raises(ModelFailed, match="can't be told") as e:
        ask(model)
    assert (e.value.reason, e.value.attempts, len(choosy.bodies)) == ("rejected", 1, 1)


@pytest.mark.filterwarnings("ignore:Sampling parameters")
def test_what_the_library_leaves_out_is_told_too(choosy: Choosy) -> None:
    with open_model("openai:o3-mini", pace=PACE) as model:
        assert ask(model).dropped == ("temperature", "top_p")
    assert choosy.bodies[0]["seed"] == 7


def samples(model: Model, n: int) -> tuple[Reply, ...]:
    return asyncio.run(model.samples("Guess.", n))


def test_replies_asked_for_one_by_one_differ_under_one_seed(choosy: Choosy) -> None:
    choosy.most = 1
    with open_model(choosy.model, pace=PACE) as model:
        asyncio.run(model.samples("Guess.", 3, sampling=FULL))
    assert sorted(body["seed"] for body in choosy.bodies) == [7, 8, 9]


def test_one_request_brings_several_replies(choosy: Choosy) -> None:
    used: list[Usage] = []
    with open_model(choosy.model, pace=PACE) as model:
        replies = samples(model.metered(used.append), 4)
    assert [r.text for r in replies] == ["Choice 0", "Choice 1", "Choice 2", "Choice 3"]
    assert [b.get("n") for b in choosy.bodies] == [4]
    assert [u.calls for u in used] == [r.usage.calls for r in replies if r.usage.calls] == [1]


@pytest.mark.parametrize("refused", [True, False])
def test_servers_without_several_are_asked_again(choosy: Choosy, refused: bool) -> None:
    choosy.most = 1
    choosy.refused = {"n": "n must be 1"} if refused else {}
    with open_model(choosy.model, pace=PACE) as model:
        assert len(samples(model, 3)) == 3
        asked = len(choosy.bodies)
        replies = samples(model, 3)
    assert len(replies) == 3
    assert [b.get("n") for b in choosy.bodies[asked:]] == [None] * 3  # it isn't tried again
    assert replies[0].dropped == ("n",)


def test_an_empty_reply_is_asked_for_twice_at_most(choosy: Choosy) -> None:
    choosy.blank = True
    with open_model(choosy.model, pace=PACE) as model, pytest.raises(ModelFailed) as caught:
        ask(model)
    assert (caught.value.reason, caught.value.attempts, len(choosy.bodies)) == ("empty", 2, 2)


def test_fewer_replies_than_asked_for_are_filled_up() -> None:
    def said(request: Request) -> Reply:
        more = ("second",) if request.replies > 1 else ()
        return Reply(f"sample {request.sample}", more=more)

    model = ScriptedModel("scripted", Script(rules={".": said}), several=True)
    replies = asyncio.run(model.samples("Guess.", 4, first=10))
    assert [r.text for r in replies] == ["sample 10", "second", "sample 12", "sample 13"]
    assert [(r.sample, r.replies) for r in model.script.requests] == [(10, 4), (12, 1), (13, 1)]


def test_too_many_replies_are_cut() -> None:
    script = Script([Reply("a", more=("b", "c", "d"))])
    replies = asyncio.run(ScriptedModel("scripted", script, several=True).samples("Guess.", 2))
    assert [r.text for r in replies] == ["a", "b"]


def test_the_key_of_one_reply_is_as_it_was() -> None:
    plain = Request("m", ())
    assert "replies" not in json.dumps(plain.as_json())
    assert "json_mode" not in json.dumps(plain.as_json())
    assert replace(plain, replies=2).key != plain.key
    assert replace(plain, sampling=Sampling(json_mode=True)).key != plain.key


def test_an_error_of_another_kind_drops_nothing(choosy: Choosy, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(asked: Asked, books: Books) -> Answer:
        choosy.bodies.append(asked.body)
        return error_answer(asked, 429, "temperature too high: slow down")

    monkeypatch.setattr(choosy, "answer", limited)
    pace = replace(PACE, attempts=2)
    with open_model(choosy.model, pace=pace) as model, pytest.raises(ModelFailed, match="slow down"):
        ask(model)
    assert [b["temperature"] for b in choosy.bodies] == [1.0, 1.0]


def test_a_reply_from_a_server_of_ones_own_has_an_end() -> None:
    with_end, without = Parameters("compatible"), Parameters("openai")
    asked = Request("m", (Message("user", "Hi"),), Sampling())
    assert with_end.given(asked) == {"max_tokens": LONGEST}
    assert without.given(asked) == {}
    said = replace(asked, sampling=Sampling(max_tokens=9_000))
    assert with_end.given(said) == {"max_tokens": 9_000}
