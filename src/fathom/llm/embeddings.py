"""Embeddings: texts as vectors whose nearness is nearness in meaning. Always optional; nothing needs them.

They come from a provider's model, or from one of sentence-transformers that runs on this machine.
"""

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fathom.errors import ReplyUnusable
from fathom.llm.budget import Budget
from fathom.llm.by_name import Opened, open_exchange, provided
from fathom.llm.exchange import Message, Request
from fathom.llm.metered import Metered
from fathom.llm.sender import PACE, Pace

Vectors = NDArray[np.float32]
LOCAL = "sentence-transformers:"
"""The prefix in the names of models that run on this machine."""
BATCH = 64
"""Texts in one request; servers of one's own take fewer at a time than providers do."""


@dataclass(frozen=True)
class Embedder(Metered):
    """An embedding model; a batch of texts is one exchange, recorded like any other."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 per text, in order: shape (texts, dimensions). The same text is sent once.

        Raises `ModelFailed`, `BudgetExceeded`, `CassetteMiss`, and `ReplyUnusable` where a vector is missing
        or has no length.
        """
        known: dict[str, NDArray[np.float32]] = {}
        fresh = list(dict.fromkeys(texts))
        for start in range(0, len(fresh), BATCH):
            batch = fresh[start : start + BATCH]
            known |= zip(batch, await self._ask(batch), strict=True)
        return np.stack([known[t] for t in texts]) if texts else np.zeros((0, 0), dtype=np.float32)

    async def _ask(self, batch: list[str]) -> Vectors:
        request = Request(f"embeddings of {self.name}", tuple(Message("user", t) for t in batch))
        reply = await self._send(request)
        try:
            vectors = unpack(reply.text)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            if len(vectors) == len(batch) and np.all(np.isfinite(lengths) & (lengths > 0)):
                return np.asarray(vectors / lengths, dtype=np.float32)
        except (ValueError, TypeError, binascii.Error):
            pass
        raise ReplyUnusable(self.name, f"it gave no vector, or an empty one, to some of {len(batch)} texts")


def open_embedder(
    name: str, *, pace: Pace = PACE, cassette: Path | str | None = None, replay: bool = False
) -> Embedder:
    """The embedding model `provider:name` of OpenAI, Azure or any OpenAI-compatible server, or
    `sentence-transformers:NAME`, the name or folder of a model that is run on this machine.

    Cassettes work as for `open_model`. Raises `ModelNotConfigured`, `MissingExtra`, `CassetteError`.
    """

    def connect() -> Opened:
        if not name.startswith(LOCAL):
            return provided(name, pace, embeddings=True)
        from fathom.llm.local_embeddings import load  # noqa: PLC0415 - an extra, and seconds to import

        return Opened(load(name.removeprefix(LOCAL)), lambda: None)

    opened = open_exchange(connect, cassette=cassette, replay=replay)
    return Embedder(name, opened.exchange, closing=opened.close)


@contextmanager
def opened_embedder(
    embeddings: str | Embedder | None,
    *,
    cassette: Path | str | None = None,
    replay: bool = False,
    budget: Budget | None = None,
    pace: Pace = PACE,
) -> Iterator[Embedder | None]:
    """The embedder given by its name, closed at the end; one given opened stays open, and None stays None.

    What is given counts against `budget` where there is one. Raises as `open_embedder`.
    """
    with ExitStack() as closing:
        if isinstance(embeddings, str):
            embeddings = closing.enter_context(
                open_embedder(embeddings, pace=pace, cassette=cassette, replay=replay)
            )
        yield embeddings.within(budget) if embeddings is not None and budget is not None else embeddings


def pack(vectors: Sequence[Sequence[float]]) -> str:
    """Vectors as the text of a reply: the number of them, then single-precision numbers in Base64."""
    made = np.asarray(vectors, dtype="<f4")
    return json.dumps([len(made), base64.b64encode(made.tobytes()).decode("ascii")])


def unpack(text: str) -> Vectors:
    """Read the output of `pack`. Raises `ValueError` for anything else."""
    count, numbers = json.loads(text)
    return np.frombuffer(base64.b64decode(numbers), dtype="<f4").reshape(count, -1)
