"""A model on loopback for the commands of the page "What is covered": it errs as the simulated one does.

It knows the questions of BIRD's one database that is at hand, and the pairs that the page shows.
"""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from bench.simulated import Gold, Simulated

from fathom.benchmarks import load_benchmark
from fathom.databases import connect
from fathom.llm import Message, Request
from tests.data import needed
from tests.llm.hostile import Books, Server, _ordinary
from tests.llm.spoken import Asked

DATABASE, CHANCE = "financial", 0.6
_RATED = {"right": "partly", "wrong": "fully", "conflict": "partial", "reason": "as they stand"}
_MATCHES = ("exact", "close", "partial", "none", "abstains")
_JUDGED = {
    "The answer on the left": {"verdict": "left", "reason": "as it stands"},
    "Judge the two against each other": {"verdict": "different", "reason": "another condition"},
    "enough to begin": {"informative": True, "reason": "it says so", "limitations": "none"},
}
"""By words of a prompt, the verdict on any of them."""
_BUSINESS = {
    "Which tables of the schema below": ["Invoice"],
    "are enough, and all needed": {"reasons": "customers too", "tables": ["Invoice", "Customer"]},
    "Questions were put to a database": {"inference": "false", "reason": "they say otherwise"},
    "Say each of these questions once more": ["How much is the total of invoices?"],
    "is to be checked against a database": ["What is the total of invoices?"],
    "Rate how the answer is written": {"clarity": 3, "coherence": 2, "narrative": 1, "reason": "as it reads"},
    "supported sentences by": _RATED,
    "Relevance is whether": _RATED,
}
"""The same for BI-Bench's makers and judges."""
_LEADS = {
    "descriptive": "What was the total of {} in each month?",
    "diagnostic": "Why do people differ so much in {}?",
    "predictive": "How is our {} going to develop next spring?",
    "prescriptive": "Where should we begin in order to improve {}?",
}
_SUBJECTS = "turnover weather loyalty spending demand returns complaints discounts stock".split()
_UNANSWERABLE = "weather"
"""Business questions, of each kind one about each of these."""


class CoverageModel:
    """Replies to each request of the page's commands; `pairs` are the page's questions with their calls.

    It reads the triples that the commands made, once it is asked one of their questions.
    """

    def __init__(self, pairs: Sequence[dict[str, Any]]) -> None:
        bird = load_benchmark("bird", data=needed("bird").parent)
        asked = [q for q in bird if q.database_name == DATABASE]
        with connect(asked[0].database) as database:
            golds = [Gold(q.text, q.gold[0], database.schema) for q in asked]
        self._golds = golds
        self._simulated = Simulated(CHANCE, golds)
        self._pairs = pairs
        self.prompts: list[str] = []

    def reply(self, asked: Asked) -> dict[str, Any]:
        """The changes that make an ordinary reply this model's."""
        if asked.protocol == "embeddings":
            return {}
        messages = [Message(m["role"], str(m.get("content") or "")) for m in asked.body["messages"]]
        words = "\n".join(m.text for m in messages)
        self.prompts.append(words)
        call = next((p for p in self._pairs if p["query"] in words), None)
        told = _verdict(words)
        if told is None and asked.body.get("tools"):
            return _called(asked, call)
        if told is None and call is not None:
            told = json.dumps({"name": call["endpoint"], "arguments": call["arguments"]})
        return {"text": told or self._said(Request("own", tuple(messages)))}

    def _said(self, request: Request) -> str:
        try:
            return self._simulated(request)
        except LookupError:
            triples = [json.loads(line) for line in Path("triples/questions.jsonl").read_text().splitlines()]
            with connect("kb.duckdb") as database:
                made = [Gold(t["question"], t["sql"], database.schema) for t in triples]
            self._simulated = Simulated(CHANCE, [*self._golds, *made])
            return self._simulated(request)


def _verdict(words: str) -> str | None:
    """What is said to prompts of judging and of making questions; None for others."""
    for said, verdict in (*_JUDGED.items(), *_BUSINESS.items()):
        if said in words:
            return json.dumps(verdict)
    if "Answer a biologist's question" in words:
        return f"It lies on chromosome 13, at {crc32(words.encode()):,}."
    told: Any = None
    if "You write questions that business people ask" in words:
        lead = next(lead for kind, lead in _LEADS.items() if f" {kind} questions" in words)
        levels = ("basic", "intermediate", "advanced") * 3
        told = [{"question": lead.format(s), "complexity": c} for s, c in zip(_SUBJECTS, levels, strict=True)]
    elif "which is to be judged" in words:
        match = _MATCHES[crc32(words.encode()) % len(_MATCHES)]
        told = {"match": match, "irrelevance": "none", "reason": "as it says"}
    elif "Can this question be answered from the database" in words:
        told = {"reasoning": "as it stands", "answerable": _UNANSWERABLE not in words}
    elif "First weigh the call" in words:
        told = _questions(words)
    return json.dumps(told) if told else None


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
