"""Google, Azure and Bedrock, each spoken to over HTTP in its own protocol, as its users would set it up."""

import asyncio
import logging
import traceback
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from fathom.errors import ModelFailed, ModelNotConfigured
from fathom.llm import Model, Pace, Reply, Tool, open_model
from fathom.llm.providers import LOCAL_ONLY
from fathom.llm.replies import find_json
from fathom.llm.sender import UNHEARD_ATTEMPTS
from tests.llm.hostile import TROUBLES, Server
from tests.llm.spoken import CACHED_TOKENS, COMPLETION_TOKENS, KEY_REFUSED, PROMPT_TOKENS

PACE = Pace(concurrency=8, attempts=4, seconds=3.0, first_wait=0.02, longest_wait=2.0)
MODELS = {
    "google": "google:gemini-2.5-flash",
    "azure": "azure:gpt-4o-mini",
    "converse": "bedrock:eu.amazon.nova-lite-v1:0",
    "converse-stream": "bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0",
}
AWS_KEYS = {
    "AWS_ACCESS_KEY_ID": "AKIATEST0123456789AB",
    "AWS_SECRET_ACCESS_KEY": "test0123456789test0123456789test01234567",
}
KEYS = {
    "google": {"GOOGLE_API_KEY": "AIza-test-abcdef-0123456789"},
    "azure": {"AZURE_OPENAI_API_KEY": "0123456789abcdef0123456789abcdef"},
    "converse": AWS_KEYS,
    "converse-stream": AWS_KEYS,
}
ADDRESSES = {
    "google": "GOOGLE_GEMINI_BASE_URL",
    "azure": "AZURE_OPENAI_ENDPOINT",
    "converse": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "converse-stream": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
}
COSTS = {
    # dollars a million tokens: new in the prompt, cached, written
    "google": (Decimal("0.30"), Decimal("0.03"), Decimal("2.50")),
    "azure": (Decimal("0.15"), Decimal("0.075"), Decimal("0.60")),
    "converse": (Decimal("0.06"), Decimal("0.015"), Decimal("0.24")),
    "converse-stream": (Decimal("1.10"), Decimal("0.11"), Decimal("5.50")),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    for key in KEYS.values():
        for name, value in key.items():
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with Server() as running:
        for name in ADDRESSES.values():
            monkeypatch.setenv(name, running.bare)
        yield running


@pytest.mark.parametrize("protocol", MODELS)
def test_a_reply_is_counted_recorded_and_replayed(
    server: Server, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = tmp_path / "tape.jsonl"
    with open_model(MODELS[protocol], pace=PACE, cassette=tape) as model:
        asked = asyncio.run(model.ask("Question 7", system="Be brief."))
    assert (asked.text, asked.finish, asked.attempts) == ("Answer 7", "stop", 1)
    used = asked.usage
    assert (used.calls, used.unmeasured_calls) == (1, 0)
    assert (used.prompt_tokens, used.completion_tokens) == (PROMPT_TOKENS, COMPLETION_TOKENS)
    assert used.cached_tokens == CACHED_TOKENS
    new, cached, written = COSTS[protocol]
    tokens = (PROMPT_TOKENS - CACHED_TOKENS) * new + CACHED_TOKENS * cached + COMPLETION_TOKENS * written
    assert used.cost_usd == tokens / 1_000_000
    assert server.books[protocol].requests == 1

    for name in [ADDRESSES[protocol], *KEYS[protocol]]:
        monkeypatch.delenv(name)
    with open_model(MODELS[protocol], cassette=tape, replay=True) as model:
        assert asyncio.run(model.ask("Question 7", system="Be brief.")) == asked
    assert server.books[protocol].requests == 1
    assert not [key for key in KEYS[protocol].values() if key in tape.read_text()]


@pytest.mark.parametrize("protocol", MODELS)
def test_every_trouble_ends_as_it_should(server: Server, protocol: str) -> None:
    """Each attempt is one request: none of the libraries asks again by itself."""
    last = {"none", "filtered", "refused", "wrong_tool", "telltale"}
    if protocol != "converse":  # whose replies can't be read without their usage
        last.add("no_usage")
    final = {
        "bad_key": ("authentication", KEY_REFUSED.get(protocol, 401)),
        "bad_request": ("rejected", 400),
        "no_model": ("no_such_model", 404),
        "too_large": ("http_error", 413),
        "limit_day": ("rate_limit", 429),
    }

    async def ask_all(model: Model) -> list[Reply | BaseException]:
        asked = [model.ask(f"Question {i} [trouble {t}]") for i, t in enumerate(TROUBLES)]
        return await asyncio.gather(*asked, return_exceptions=True)

    with open_model(MODELS[protocol], pace=PACE) as model:
        found = dict(zip(TROUBLES, asyncio.run(ask_all(model)), strict=True))
    for trouble, reply in found.items():
        if trouble in final:
            assert isinstance(reply, ModelFailed), trouble
            assert (reply.reason, reply.status, reply.attempts) == (*final[trouble], 1)
        elif isinstance(reply, Reply):
            assert reply.attempts == (1 if trouble in last else 2), trouble
            assert reply.withheld == (trouble in {"filtered", "refused"})
        else:
            raise reply
    assert server.books[protocol].requests == sum(2 - (t in last or t in final) for t in TROUBLES)


@pytest.mark.parametrize("protocol", MODELS)
def test_a_pause_is_kept_before_asking_again(server: Server, protocol: str) -> None:
    with open_model(MODELS[protocol], pace=PACE) as model:
        reply = asyncio.run(model.ask("Question 7 [trouble limit limit_second]"))
    books = server.books[protocol]
    assert (reply.text, reply.attempts) == ("Answer 7", 3)
    assert (books.requests, books.pauses, books.during_pause) == (3, 1, 0)
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (1, PROMPT_TOKENS)


@pytest.mark.parametrize("protocol", MODELS)
def test_a_refused_key_says_which_and_never_shows_it(
    server: Server, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with open_model(MODELS[protocol], pace=PACE) as model, pytest.raises(ModelFailed) as caught:
        asyncio.run(model.ask("Question 7 [trouble bad_key]"))
    told = str(caught.value)
    assert "Incorrect API key provided: [key removed]" in told
    assert next(iter(KEYS[protocol])) in told
    assert "HTTPHeaders" not in told
    assert server.books[protocol].keys == {next(iter(KEYS[protocol].values())): 1}
    printed = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value)) + caplog.text
    assert not [key for key in KEYS[protocol].values() if key in printed]


@pytest.mark.parametrize("protocol", MODELS)
def test_a_model_calls_a_tool_and_gives_a_typed_value(server: Server, protocol: str) -> None:
    schema = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
    with open_model(MODELS[protocol], pace=PACE) as model:
        tool = Tool("esearch", "Search a database.", schema)
        for must_call in (False, True):
            reply = asyncio.run(model.ask("Question 7", tools=[tool], must_call=must_call))
            assert [(c.name, find_json(c.arguments)) for c in reply.calls] == [
                ("esearch", {"said": "Answer 7"})
            ]


@pytest.mark.parametrize("protocol", MODELS)
def test_where_nothing_answers_is_told_soon(
    server: Server, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server() as stopped:
        monkeypatch.setenv(ADDRESSES[protocol], stopped.bare)
    with open_model(MODELS[protocol], pace=PACE) as model, pytest.raises(ModelFailed) as caught:
        asyncio.run(model.ask("Question 7"))
    assert (caught.value.reason, caught.value.attempts) == ("unreachable", UNHEARD_ATTEMPTS)


@pytest.mark.parametrize(
    ("version", "path", "asked"),
    [
        ("2024-10-21", "", "/openai/deployments/gpt-4o-mini/chat/completions?api-version=2024-10-21"),
        ("", "", "/openai/v1/chat/completions"),
        ("", "/openai/v1/", "/openai/v1/chat/completions"),
    ],
)
def test_azure_is_asked_with_a_version_or_without(
    server: Server, monkeypatch: pytest.MonkeyPatch, version: str, path: str, asked: str
) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", version)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.bare + path)
    with open_model(MODELS["azure"], pace=PACE) as model:
        assert asyncio.run(model.ask("Question 7")).text == "Answer 7"
    assert server.books["azure"].targets == {asked: 1}


def test_bedrock_sends_no_bearer_token_unencrypted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-test-0123456789")
    with open_model(MODELS["converse"], pace=PACE) as model, pytest.raises(ModelFailed) as caught:
        asyncio.run(model.ask("Question 7"))
    assert caught.value.attempts == 1
    assert "requires an HTTPS endpoint" in str(caught.value)
    assert server.books["converse"].requests == 0


def test_bedrock_without_credentials_is_told_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in AWS_KEYS:
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with open_model(MODELS["converse"], pace=PACE) as model, pytest.raises(ModelFailed) as caught:
        asyncio.run(model.ask("Question 7"))
    assert (caught.value.reason, caught.value.attempts) == ("authentication", 1)
    assert "Unable to locate credentials" in str(caught.value)
    assert "AWS_ACCESS_KEY_ID" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "variable", "value", "told"),
    [
        ("azure", "AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:9/gateway", "set OPENAI_API_VERSION"),
        ("converse", "AWS_PROFILE", "a-profile-that-nobody-made", "a-profile-that-nobody-made"),
        ("converse", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "localhost", "Invalid endpoint"),
    ],
)
@pytest.mark.usefixtures("server")
def test_what_cannot_be_used_is_told_on_opening(
    monkeypatch: pytest.MonkeyPatch, model: str, variable: str, value: str, told: str
) -> None:
    for name in (LOCAL_ONLY, *AWS_KEYS):
        monkeypatch.delenv(name)
    monkeypatch.delenv("OPENAI_API_VERSION")
    monkeypatch.setenv(variable, value)
    with pytest.raises(ModelNotConfigured, match=told):
        open_model(MODELS[model])
