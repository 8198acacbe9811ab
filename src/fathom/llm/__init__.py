"""Language models: requests, usage, budgets, recording and replay; prompts; a scripted model.

`open_model("provider:name")` gives a `Model`: `ask` for text, `samples` for several replies, `typed` for
values. `open_embedder` gives an `Embedder`: texts as vectors. The libraries of providers are imported only
when one is opened.
"""

from typing import TYPE_CHECKING, Any

from fathom.llm.budget import Budget
from fathom.llm.by_name import open_model, opened_model
from fathom.llm.cassette import Cassette
from fathom.llm.exchange import Call, Exchange, Message, Reply, Request, Sampling, Tool
from fathom.llm.model import Model
from fathom.llm.scripted import Script, ScriptedModel
from fathom.llm.sender import PACE, Pace

if TYPE_CHECKING:
    from fathom.llm.embeddings import Embedder, open_embedder, opened_embedder

__all__ = [
    "PACE",
    "Budget",
    "Call",
    "Cassette",
    "Embedder",
    "Exchange",
    "Message",
    "Model",
    "Pace",
    "Reply",
    "Request",
    "Sampling",
    "Script",
    "ScriptedModel",
    "Tool",
    "open_embedder",
    "open_model",
    "opened_embedder",
    "opened_model",
]

_EMBEDDING = ("Embedder", "open_embedder", "opened_embedder")


def __getattr__(name: str) -> Any:
    """Import embeddings on demand: they need NumPy, and most who ask models need none."""
    if name not in _EMBEDDING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fathom.llm import embeddings

    return getattr(embeddings, name)
