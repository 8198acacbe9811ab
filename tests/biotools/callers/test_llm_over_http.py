"""The caller that asks a model, over real sockets on both sides: a hostile server, the loopback APIs."""

import asyncio
from functools import partial

import pytest

from fathom.biotools.callers import follow, open_caller
from fathom.biotools.client import Client
from fathom.llm import Pace, open_model
from tests.llm.hostile import TROUBLES, Server, _ordinary

PACE = Pace(attempts=4, seconds=3.0, first_wait=0.02, longest_wait=1.0)
QUESTION = "Question 7: what is known about the variant rs699? [trouble {}]"


@pytest.fixture
def good_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what goes wrong, the server can call a tool rightly, and answer in words."""
    call = partial(_ordinary, tool="get_variation", arguments={"species": "human", "id": "rs699"})
    words = partial(_ordinary, message={"content": "It is rs699, a known variant.", "tool_calls": None})
    monkeypatch.setitem(TROUBLES, "call", call)
    monkeypatch.setitem(TROUBLES, "words", words)


@pytest.mark.usefixtures("good_replies")
def test_a_chain_survives_what_goes_wrong_on_the_way(client: Client) -> None:
    """The rate, a cut reply, a tool that is not there; then the call, an error, and the words."""
    troubles = "limit truncated wrong_tool call broken words"
    with Server() as server, open_model(f"{server.openai}#any", pace=PACE) as model:
        caller = open_caller("llm", model=model)
        chain = asyncio.run(follow(QUESTION.format(troubles), caller, client))
        books = server.books["openai"]
    assert [made.call.endpoint.name for made in chain.calls] == ["get_variation"]
    assert (chain.refusal, chain.words) == ("", "It is rs699, a known variant.")
    assert {name: books.troubles[name] for name in troubles.split()} == dict.fromkeys(troubles.split(), 1)
    # The reply that was cut off reported its usage as well, and that is counted.
    assert chain.usage.prompt_tokens == books.prompt_tokens
    assert chain.usage.calls >= 3


def test_a_model_that_only_calls_wrongly_is_refused_and_nothing_is_sent(client: Client) -> None:
    with Server() as server, open_model(f"{server.openai}#any", pace=PACE) as model:
        caller = open_caller("llm", model=model)
        chain = asyncio.run(follow(QUESTION.format("wrong_tool wrong_tool"), caller, client))
        assert server.books["openai"].requests == 2
    assert chain.calls == ()
    assert "there is no tool 'no_such_tool'" in chain.refusal
