import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fathom.errors import BudgetExceeded, CassetteMiss, ModelFailed, ModelNotConfigured, ReplyUnusable
from fathom.llm import Budget, Pace, Script
from fathom.llm.embeddings import Embedder, open_embedder, pack
from fathom.records import Usage
from tests.llm.hostile import Server, asked_for_openai
from tests.llm.spoken import PROMPT_TOKENS

PACE = Pace(attempts=3, seconds=2.0, first_wait=0.01, longest_wait=1.0)
TEXTS = ["gene", "variant", "gene", "disease", "x" * 10]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with asked_for_openai(monkeypatch) as running:
        yield running


def test_vectors_come_in_order_with_length_one_and_their_usage(server: Server) -> None:
    told: list[Usage] = []
    with open_embedder("openai:text-embedding-3-small", pace=PACE) as embedder:
        found = asyncio.run(embedder.metered(told.append).embed(TEXTS))
    assert found.shape == (5, 3)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0)
    assert np.allclose(found[:, 0] / found[:, 1], [len(t) / ord(t[0]) for t in TEXTS])
    assert np.array_equal(found[0], found[2])
    assert (told[0].calls, told[0].prompt_tokens, told[0].completion_tokens) == (1, PROMPT_TOKENS, 0)
    assert told[0].cost_usd is not None
    assert told[0].cost_usd > 0


def test_many_texts_are_sent_in_batches(server: Server) -> None:
    with open_embedder(f"{server.openai}#bge", pace=PACE) as embedder:
        assert asyncio.run(embedder.embed([f"text {i}" for i in range(150)])).shape == (150, 3)
        assert asyncio.run(embedder.embed([])).shape == (0, 0)
    assert server.books["embeddings"].requests == 3


@pytest.mark.parametrize("trouble", ["limit", "broken", "reset", "truncated", "garbage", "slam"])
def test_passing_troubles_pass(server: Server, trouble: str) -> None:
    with open_embedder("openai:text-embedding-3-small", pace=PACE) as embedder:
        assert asyncio.run(embedder.embed([f"Question 1 [trouble {trouble}]"])).shape == (1, 3)
    assert server.books["embeddings"].requests == 2


def test_lasting_troubles_are_told(server: Server) -> None:
    with open_embedder("openai:text-embedding-3-small", pace=PACE) as embedder:
        with pytest.raises(ModelFailed, match="key removed"):
            asyncio.run(embedder.embed(["Question 1 [trouble bad_key]"]))
        with pytest.raises(ModelFailed, match="3 attempts"):
            asyncio.run(embedder.embed([f"Question 2 [trouble {'no_choices ' * 3}]"]))
    with pytest.raises(ModelNotConfigured, match="not from Anthropic"):
        open_embedder_of_anthropic()


def open_embedder_of_anthropic() -> Embedder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
        patch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        return open_embedder("anthropic:claude-haiku-4-5")


@pytest.mark.parametrize(
    "said", [pack([[1.0, 2.0]]), pack([[1.0], [0.0]]), pack([[1.0], [np.nan]]), "{}", "?"]
)
def test_vectors_that_are_none_are_refused(said: str) -> None:
    with pytest.raises(ReplyUnusable, match="no vector"):
        asyncio.run(Embedder("scripted", Script([said])).embed(["a", "b"]))


def test_embeddings_are_recorded_and_replayed(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "embeddings.jsonl"
    with open_embedder("openai:text-embedding-3-small", pace=PACE, cassette=file) as embedder:
        first = asyncio.run(embedder.embed(TEXTS))
    with open_embedder("openai:text-embedding-3-small", cassette=file, replay=True) as embedder:
        assert np.array_equal(asyncio.run(embedder.embed(TEXTS)), first)
        with pytest.raises(CassetteMiss):
            asyncio.run(embedder.embed(["another"]))
    assert server.books["embeddings"].requests == 1


def test_a_budget_that_is_spent_stops_embeddings(server: Server) -> None:
    budget = Budget(tokens=1)
    with open_embedder("openai:text-embedding-3-small", pace=PACE) as opened:
        embedder = opened.within(budget)
        asyncio.run(embedder.embed(["one"]))
        assert budget.spent.prompt_tokens == PROMPT_TOKENS
        with pytest.raises(BudgetExceeded):
            asyncio.run(embedder.embed(["two"]))
