"""A model on loopback for the commands of the page "What is covered": it errs as the simulated one does.

It knows the questions of BIRD's one database that is at hand, and the pairs that the page shows.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from bench.simulated import Gold, Simulated

from fathom.benchmarks import load_benchmark
from fathom.databases import connect
from fathom.llm import Message, Request
from tests.data import needed
from tests.llm.hostile import Books, Server, _ordinary
from tests.llm.spoken import Asked

DATABASE, CHANCE = "financial", 0.6
_JUDGED = {
    "which is to be judged": {"match": "close", "irrelevance": "none", "reason": "as it says"},
    "The answer on the left": {"verdict": "left", "reason": "as it stands"},
    "Judge the two against each other": {"verdict": "different", "reason": "another condition"},
    "enough to begin": {"informative": True, "reason": "it says so", "limitations": "none"},
}
"""By words of a prompt, the verdict on any of them."""


class CoverageModel:
    """Replies to each request of the page's commands; `pairs` are the page's questions with their calls."""

    def __init__(self, pairs: Sequence[dict[str, Any]]) -> None:
        bird = load_benchmark("bird", data=needed("bird").parent)
        asked = [q for q in bird if q.database_name == DATABASE]
        with connect(asked[0].database) as database:
            golds = [Gold(q.text, q.gold[0], database.schema) for q in asked]
        self._simulated = Simulated(CHANCE, golds)
        self._pairs = pairs

    def reply(self, asked: Asked) -> dict[str, Any]:
        """The changes that make an ordinary reply this model's."""
        if asked.protocol == "embeddings":
            return {}
        messages = [Message(m["role"], str(m.get("content") or "")) for m in asked.body["messages"]]
        words = "\n".join(m.text for m in messages)
        call = next((p for p in self._pairs if p["query"] in words), None)
        told = _verdict(words)
        if told is None and asked.body.get("tools"):
            return _called(asked, call)
        if told is None and call is not None:
            told = json.dumps({"name": call["endpoint"], "arguments": call["arguments"]})
        return {"text": told or self._simulated(Request("own", tuple(messages)))}


def _verdict(words: str) -> str | None:
    """What is said to prompts of judging and of making questions; None for others."""
    for said, verdict in _JUDGED.items():
        if said in words:
            return json.dumps(verdict)
    if "First weigh the call" in words:
        return json.dumps(_questions(words))
    return "It lies on chromosome 13." if "Answer a biologist's question" in words else None


def _called(asked: Asked, call: dict[str, Any] | None) -> dict[str, Any]:
    """The one call that answers the question, then words."""
    if call is None or any(m["role"] != "user" for m in asked.body["messages"][1:]):
        asked.body.pop("tools")  # it has seen enough, and answers
        return {"text": "It is told in the observation."}
    return {"tool": call["endpoint"], "arguments": call["arguments"]}


def _questions(words: str) -> dict[str, Any]:
    needed_words = re.search(r"in both questions: (.*)", words)
    told = needed_words[1] if needed_words and "(none)" not in needed_words[1] else "it"
    made = {"broad": f"What is known about {told}?", "specific": f"Where exactly does {told} lie?"}
    return {"arguments": [], "fields": ["id"], **made}


@contextmanager
def served(pairs: Sequence[dict[str, Any]], patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the model; gives the name by which a command asks it."""
    model = CoverageModel(pairs)
    with Server() as server:

        async def answer(asked: Asked, books: Books, reader: Any, writer: asyncio.StreamWriter) -> bool:
            status, headers, body = _ordinary(asked, books, **model.reply(asked))
            head = "".join(f"{k}: {v}\r\n" for k, v in {"content-length": len(body), **headers}.items())
            writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
            await writer.drain()
            return True

        patch.setattr(server, "_reply", answer)
        yield f"{server.openai}#own"
