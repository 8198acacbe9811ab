"""Questions for calls, and whether what a call observes answers them: both by a model, both checked.

What a call returned is put before the model as data; nothing in it is an instruction.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel

from fathom.authoring.journal import Item, rejected
from fathom.biotools.catalogue import endpoints
from fathom.errors import ReplyUnusable
from fathom.llm import Model
from fathom.llm.model import STEADY, VARIED
from fathom.llm.prompts import load

TRIES, JUDGING_TRIES = 5, 3
SHORTEST = 10
HEAD, TAIL = 11_800, 180
"""Characters of an observation that a model reads, from its beginning and its end."""

_IDENTIFIER = re.compile(
    r"\brs\d+\b|\b(?:DI|KW)-\d+\b|\b[A-Z]{2}_\d+(?:\.\d+)?\b|>?[A-Z]{40,}|\b[\w.]+:\d+(?:-|\.\.)\d+\b|\b[A-Z0-9]{6,}\b"
)


_SAID_IN_WORDS = {
    "species",
    "population",
    "assembly",
    "entrez_database",
    "blast_database",
    "blast_program",
    "taxon",
}
"""Kinds whose values people put into words of their own."""


class ArgumentUse(BaseModel):
    """The treatment of one argument in the questions."""

    name: str
    treatment: Literal["keep", "translate", "omit"]


class TwoQuestions(BaseModel):
    """A call weighed, and two questions that it answers."""

    arguments: list[ArgumentUse]
    fields: list[str]
    broad: str
    specific: str


class AnswerableVerdict(BaseModel):
    """A verdict on an observation: does it answer the question?"""

    informative: bool
    reason: str
    limitations: str


async def questions_for(call: Item, model: Model) -> list[dict[str, Any]]:
    """Two questions of a call, or the call rejected with what was wrong with the last of five attempts.

    Raises what the model's failing raises, so that the call is tried again another time.
    """
    needed = identifiers(call)
    prompt = load(__package__, "questions").render(
        endpoint=f"{call['endpoint']}: {endpoints()[call['endpoint']].summary}",
        call=json.dumps(call["arguments"], ensure_ascii=False),
        observation=shortened(call["observation"]),
        identifiers=", ".join(needed) or "(none)",
    )
    problem = ""
    for attempt in range(TRIES):
        try:
            made = await model.typed(prompt, TwoQuestions, sampling=VARIED, sample=attempt)
        except ReplyUnusable as error:
            problem = str(error)
            continue
        asked = {"broad": made.broad.strip(), "specific": made.specific.strip()}
        problem = next((p for text in asked.values() if (p := wrong_with(text, needed))), "")
        if not problem and asked["broad"].casefold() == asked["specific"].casefold():
            problem = "the two questions are the same"
        if not problem:
            analysis = {a.name: a.treatment for a in made.arguments}
            return [
                {**call, "id": f"{call['id']}-{kind}", "kind": kind, "question": text, "analysis": analysis}
                for kind, text in asked.items()
            ]
    return [rejected(call, f"no usable questions: {problem}")]


def identifiers(call: Item) -> list[str]:
    """List the texts that must stand word for word in a question: identifiers, coordinates, sequences; no
    names."""
    held = endpoints()[call["endpoint"]].parameters
    texts = [
        str(value)
        for name, value in call["arguments"].items()
        if not isinstance(value, bool) and held[name].kind not in _SAID_IN_WORDS and not held[name].enum
    ]
    return list(dict.fromkeys(found for text in texts for found in _IDENTIFIER.findall(text)))


def wrong_with(question: str, needed: Iterable[str]) -> str:
    """Why a question can't stand; empty where it can."""
    if len(question) <= SHORTEST:
        return f"shorter than {SHORTEST} characters"
    if re.search(r"[\[\]{}<>]", question) and not re.search(r"^>|\d[<>]|[ACGT]>[ACGT]", question):
        return "brackets in the question"
    folded = question.casefold()
    if name := next((n for n in endpoints() if "_" in n and n in folded), None):
        return f"names the endpoint {name}"
    if re.search(r"\b(api|endpoint|e-?utilities)\b", folded):
        return "names an API"
    missing = [one for one in needed if one.casefold() not in folded]
    return f"lacks {', '.join(missing)}" if missing else ""


async def judged(asked: Item, model: Model) -> dict[str, Any]:
    """A question with the verdict on its observation; unusable replies count as a negative one."""
    prompt = load(__package__, "informative").render(
        question=asked["question"], observation=shortened(asked["observation"])
    )
    for attempt in range(JUDGING_TRIES):
        try:
            found = await model.typed(prompt, AnswerableVerdict, sampling=STEADY, repairs=0, sample=attempt)
        except ReplyUnusable:
            continue
        told = {**asked, "verdict": found.model_dump()}
        return told if found.informative else rejected(told, f"not informative: {found.reason}")
    return rejected(asked, "not informative: no usable verdict")


def shortened(observation: Any) -> str:
    """An observation as text, its middle left out where it is long."""
    text = json.dumps(observation, ensure_ascii=False)
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} ... {text[-TAIL:]}"
