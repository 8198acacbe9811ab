"""How alike two observations are: a cosine under an encoder, whose name every figure bears."""

import asyncio
import re
import threading
from collections import Counter
from collections.abc import Callable
from math import log, sqrt
from typing import Any, Protocol

import numpy as np

from fathom.errors import InputError, MissingExtra, ModelNotConfigured

LEXICAL, MEDCPT = "lexical", "medcpt"
MEDCPT_MODEL = "ncbi/MedCPT-Query-Encoder"
MOST_TOKENS = 512
"""How much of an observation `medcpt` reads, as the published protocol does."""

LONGEST = 6_000
"""Characters of an observation that go to an embedding endpoint."""

_TOKEN = re.compile(r"\w+")


class Encoder(Protocol):
    """Measures how alike two texts are."""

    @property
    def name(self) -> str:
        """The name that is printed with its figures."""
        ...

    def similarity(self, first: str, second: str) -> float:
        """The cosine of two texts, from -1 to 1; safe from several threads."""
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class Lexical:
    """Words and their counts, without any model: the cosine of (1 + log count) of each word."""

    name = LEXICAL

    def similarity(self, first: str, second: str) -> float:
        """From 0, no word shared, to 1."""
        ours, theirs = _weights(first), _weights(second)
        shared = sum(weight * theirs.get(word, 0.0) for word, weight in ours.items())
        length = sqrt(sum(w * w for w in ours.values()) * sum(w * w for w in theirs.values()))
        return min(1.0, shared / length) if length else 0.0

    def close(self) -> None:
        """Nothing is held."""


def _weights(text: str) -> dict[str, float]:
    return {word: 1 + log(n) for word, n in Counter(_TOKEN.findall(text.casefold())).items()}


class Vectors:
    """An encoder over a function from texts to vectors, one row a text."""

    def __init__(
        self, name: str, encode: Callable[[list[str]], Any], close: Callable[[], None] = lambda: None
    ) -> None:
        self.name, self._encode, self._close = name, encode, close
        self._lock = threading.Lock()

    def similarity(self, first: str, second: str) -> float:
        """The cosine of the two vectors. Raises what encoding raises."""
        with self._lock:
            ours, theirs = np.asarray(self._encode([first, second]), dtype=np.float64)
        length = float(np.linalg.norm(ours) * np.linalg.norm(theirs))
        return float(np.clip(ours @ theirs / length, -1.0, 1.0)) if length else 0.0

    def close(self) -> None:
        """Give back what encoding holds."""
        self._close()


def open_encoder(name: str = LEXICAL) -> Encoder:
    """The encoder of a name: lexical, medcpt, sentence-transformers:MODEL, or provider:MODEL of embeddings.

    MODEL is a name at Hugging Face or a folder; `medcpt:FOLDER` reads a copy of MedCPT without a network.
    Raises `MissingExtra`, `ModelNotConfigured` for a model that can't be asked or loaded, and `InputError`
    for a name that is none of these.
    """
    if name == LEXICAL:
        return Lexical()
    kind, colon, model = name.partition(":")
    if kind == MEDCPT and bool(colon) == bool(model):
        return Vectors(name, _loaded(name, model or MEDCPT_MODEL))
    if not model:
        raise InputError(
            f"There is no encoder {name!r}. There is: {LEXICAL}, {MEDCPT}, sentence-transformers:MODEL, and "
            "models of embeddings such as openai:text-embedding-3-small."
        )
    return _endpoint(name)


def _loaded(name: str, model: str) -> Callable[[list[str]], Any]:
    """Load MedCPT, and say what to do where that fails."""
    try:
        from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

        disable_progress_bar()
        return _first_token(model)
    except ImportError:
        raise MissingExtra(f"The encoder {name!r}", "sentence-transformers", "encoders") from None
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())[:300]
        raise ModelNotConfigured(
            f"The encoder {name!r} can't be loaded: {told} Give the folder of a model on this machine, or a "
            "name at Hugging Face and a network."
        ) from error


def _first_token(model: str) -> Callable[[list[str]], Any]:
    """The published protocol: the first token's vector of the last layer, texts cut at 512 tokens."""
    import torch  # noqa: PLC0415
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415

    words, layers = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()

    def encode(texts: list[str]) -> Any:
        read = words(texts, truncation=True, max_length=MOST_TOKENS, padding=True, return_tensors="pt")
        with torch.inference_mode():
            return layers(**read).last_hidden_state[:, 0].numpy()

    return encode


def _endpoint(name: str) -> Encoder:
    from fathom.llm.embeddings import open_embedder  # noqa: PLC0415, most runs need none

    embedder = open_embedder(name)
    runner = asyncio.Runner()

    def close() -> None:
        embedder.close()
        runner.close()

    return Vectors(name, lambda texts: runner.run(embedder.embed([t[:LONGEST] for t in texts])), close)
