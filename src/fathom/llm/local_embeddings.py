"""Embeddings of sentence-transformers: the model runs on this machine, and its texts never leave it."""

import asyncio
import os
import time
from threading import Lock

from fathom.errors import MissingExtra, ModelNotConfigured
from fathom.llm.embeddings import LOCAL, pack
from fathom.llm.exchange import Exchange, Reply, Request
from fathom.llm.providers import LOCAL_ONLY
from fathom.records import Usage


def load(model: str) -> Exchange:
    """A model by its name or folder; each request is encoded in a thread, one at a time.

    Where only local models may be used nothing is downloaded. Raises `MissingExtra`, and `ModelNotConfigured`
    where there is no such model.
    """
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - an extra
        from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(f"The embeddings {LOCAL}{model}", "sentence-transformers", "encoders") from None
    disable_progress_bar()
    try:
        loaded = SentenceTransformer(model, local_files_only=bool(os.environ.get(LOCAL_ONLY)))
    except Exception as error:  # the library meets a missing model with errors of every kind
        told = " ".join(str(error).split())[:300]
        raise ModelNotConfigured(
            f"sentence-transformers can't load {model!r}: {told} Give the folder of a model on this machine, "
            "or a name at Hugging Face and a network."
        ) from error
    lock = Lock()

    def encode(request: Request) -> Reply:
        started = time.perf_counter()
        with lock:
            vectors = loaded.encode([m.text for m in request.messages], show_progress_bar=False)
        usage = Usage(calls=1, model_seconds=time.perf_counter() - started)
        return Reply(pack(vectors), usage=usage, model=model)

    async def exchange(request: Request) -> Reply:
        return await asyncio.to_thread(encode, request)

    return exchange
