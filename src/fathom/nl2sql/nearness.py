"""How near texts are in meaning, where the user has an embedding model; the trace says what compared them.

The published methods that embed texts do so here. Without a model each falls back to words or spelling.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fathom.methods import Context

Vectors = NDArray[np.float32]
COMPARED_BY = "compared by"
"""The key in the trace of a step."""


async def embedded(context: Context, texts: Sequence[str], *, kept_as: str = "") -> Vectors | None:
    """A vector of length 1 for each text, shape (texts, dimensions); None without an embedding model.

    `kept_as` names texts that stay the same for a database: they are embedded once and kept with it.
    Raises what `Embedder.embed` raises.
    """
    embedder = context.metered_embedder()
    if embedder is None:
        context.meter.notes[COMPARED_BY] = "words and spelling, for there are no embeddings"
        return None
    context.meter.notes[COMPARED_BY] = f"embeddings of {embedder.name}"
    key = ("vectors", embedder.name, kept_as)
    known: tuple[Sequence[str], Vectors] | None = context.database.kept.get(key) if kept_as else None
    if known is not None and (known[0] is texts or known[0] == texts):
        return known[1]
    vectors = await embedder.embed(texts)
    if kept_as:
        context.database.kept[key] = (texts, vectors)
    return vectors


async def nearness(context: Context, text: str, others: Sequence[str]) -> NDArray[np.float32] | None:
    """The cosine of a text with each of the others; None without an embedding model."""
    vectors = await embedded(context, [text, *others])
    return None if vectors is None else vectors[1:] @ vectors[0]
