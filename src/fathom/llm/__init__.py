"""Language models: requests, usage, budgets, recording and replay; prompts; a scripted model.

`open_model("provider:name")` gives a `Model`: `ask` for text, `samples` for several replies, `typed` for
values. `open_embedder` gives an `Embedder`: texts as vectors. The libraries of providers are imported only
when one is opened.
"""

from fathom.llm.budget import Budget
from fathom.llm.cassette import Cassette
from fathom.llm.embeddings import Embedder, open_embedder, opened_embedder
from fathom.llm.exchange import Call, Exchange, Message, Reply, Request, Sampling, Tool
from fathom.llm.model import Model
from fathom.llm.opening import open_model, opened_model
from fathom.llm.scripted import Script, ScriptedModel
from fathom.llm.sending import Pace

__all__ = [
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
