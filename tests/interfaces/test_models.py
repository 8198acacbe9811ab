import json
from collections.abc import Iterator

import pytest
from tests.command import Fathom
from tests.llm.hostile import OPENAI_KEY, Server, asked_for_openai


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with asked_for_openai(monkeypatch) as running:
        yield running


def test_shows_what_is_configured_and_what_to_set(fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    done = fathom("models")
    assert done.code == 0
    assert "key in OPENAI_API_KEY" in done.out
    assert "set ANTHROPIC_API_KEY" in done.out
    assert "http://localhost:11434/v1" in done.out
    assert OPENAI_KEY not in done.out


def test_json_tells_no_key_and_no_password(fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    monkeypatch.setenv("VLLM_BASE_URL", "https://me:hunter22secret@example.org/v1")
    out = fathom("models", "--json").out
    found = {p["name"]: p for p in json.loads(out)["providers"]}
    assert found["openai"]["key"] == "OPENAI_API_KEY"
    assert found["google"]["missing"] == ["GOOGLE_API_KEY or GEMINI_API_KEY"]
    assert OPENAI_KEY not in out
    assert "hunter22secret" not in out


def test_checks_a_model_with_one_request(fathom: Fathom, server: Server) -> None:
    done = fathom("models", "--check", "openai:gpt-4o-mini")
    assert done.code == 0
    assert "answered 'ready'" in done.out
    assert "120 + 8 tokens" in done.out
    assert server.books["openai"].requests == 1
    found = json.loads(fathom("models", "--json", "--check", f"{server.openai}#own").out)["checks"][0]
    assert found["calls_itself"] == "own"
    assert found["cost_usd"] is None


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("openai:trouble-bad_key", "doesn't take the key in OPENAI_API_KEY"),
        ("openai:trouble-no_model", "has no model of that name"),
        ("openai:trouble-silence", "It took too long"),
        ("http://127.0.0.1:9/v1#none", "Is the server running"),
        ("anthropic:claude", "set ANTHROPIC_API_KEY"),
        ("openia:gpt-4o", "Did you mean 'openai'"),
    ],
)
def test_a_model_that_does_not_answer_says_why(fathom: Fathom, server: Server, model: str, told: str) -> None:
    done = fathom("models", "--check", model, "--seconds", 0.5)
    assert done.code == 1
    assert told in done.err
    assert OPENAI_KEY not in done.err + done.out
    assert "Traceback" not in done.err
