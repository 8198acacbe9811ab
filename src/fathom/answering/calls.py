"""From a question to what biomedical APIs say: calls, their observations in words, and where each is from."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from fathom.answering.facts import MOST_FACTS, Fact, facts_of, untraced
from fathom.answering.sync import wait
from fathom.biotools.callers import Caller, Chain, MadeCall, follow, open_caller
from fathom.biotools.callers.chain import MOST_CALLS
from fathom.biotools.catalogue import request_for
from fathom.biotools.client import Client
from fathom.biotools.observations import Observation
from fathom.llm import Model, opened_model
from fathom.records import Question, Refusal, Usage

CITATIONS = {
    "eutils": "Sayers EW et al. Database resources of the National Center for Biotechnology Information. "
    "Nucleic Acids Res. (annual database issue).",
    "blast": "Altschul SF et al. Basic local alignment search tool. J Mol Biol. 1990;215:403-410.",
    "uniprot": "The UniProt Consortium. UniProt: the Universal Protein Knowledgebase. Nucleic Acids Res. "
    "(annual database issue).",
    "ensembl": "Yates A et al. The Ensembl REST API: Ensembl data for any language. "
    "Bioinformatics. 2015;31:143-145.",
}
"""How the resources ask to be cited, by service."""


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """One call that was made for an answer. `url` is to be looked at by hand.

    `observation` is None, and `problem` says why, where the service gave no answer; `assumed` arguments
    weren't in the question.
    """

    endpoint: str
    arguments: Mapping[str, Any]
    url: str
    citation: str
    observation: Observation | None
    facts: tuple[Fact, ...] = ()
    assumed: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer from the APIs, or a refusal. `calls` are all that were made, in order.

    The first line of `text` says who was asked, or is a model's reading of the observations; each line below
    is one of the last call's `facts`, and each of those stands in its observation. `notes` say what was left
    out, why the calls ended early, and where another address answered than the public service's. `endpoint`
    is that of the last call, or the one thought of without one.
    """

    question: str
    text: str
    confidence: float
    calls: tuple[AnswerCall, ...] = ()
    refusal: Refusal | None = None
    endpoint: str = ""
    caller: str = ""
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()


def call(
    question: str,
    *,
    caller: str | Caller | None = None,
    model: str | Model | None = None,
    client: Client | None = None,
    limit: int = MOST_CALLS,
    progress: Callable[[str], None] = lambda _: None,
) -> ToolAnswer:
    """Answer a question by calls of NCBI, UniProt or Ensembl, at most `limit` in a row.

    `caller` finds the calls: one registered under a name, or your own; without it, the offline one, or the
    one that asks a model where a `model` is given, as `provider:name` or opened. A `model` or `client` given
    opened isn't closed. `progress` is told how a BLAST search fares. Declines with a refusal when no call is
    clear enough. Raises `CallFailed` when no service gives an answer, `QuestionTooLong`,
    `ModelError`, `UnknownName`.
    """
    with opened_model(model) as asked, nullcontext(client) if client else Client() as used:
        chosen = open_caller(caller, model=asked) if caller is None or isinstance(caller, str) else caller
        return wait(answer_by_calls(question, chosen, used, limit=limit, progress=progress))


async def answer_by_calls(
    question: str,
    caller: Caller,
    client: Client,
    *,
    limit: int = MOST_CALLS,
    progress: Callable[[str], None] = lambda _: None,
) -> ToolAnswer:
    """The asynchronous form of `call`, for a caller and a client that are there. Raises the same."""
    Question(question).check_length()
    chain = await follow(question, caller, client, limit=limit, progress=progress)
    calls = tuple(_told(made, client) for made in chain.calls)
    answered = [one for one in calls if one.observation is not None]
    asked = dict.fromkeys(client.stand_in(made.call.endpoint.service) for made in chain.calls)
    old = [made.observation.old.told for made in chain.answered if made.observation and made.observation.old]
    text = chain.refusal
    notes = tuple(filter(None, (*(told for told in old if told not in text), chain.stopped, *asked)))
    refused = bool(chain.refusal) or not answered
    if not refused:
        words, more = _traced(question, chain)
        text = "\n".join([words or _opening(chain.answered[-1]), *_lines(answered[-1])])
        notes += more
    return ToolAnswer(
        question,
        text,
        chain.confidence,
        calls,
        Refusal(text) if refused else None,
        chain.endpoint,
        caller.name,
        notes,
        chain.usage,
    )


def _told(made: MadeCall, client: Client) -> AnswerCall:
    observation, service = made.observation, made.call.endpoint.service
    return AnswerCall(
        made.call.endpoint.name,
        made.call.arguments,
        observation.response.url if observation else request_for(made.call).url(),
        "" if client.stand_in(service) else CITATIONS[service],  # what stands in for it isn't its work
        observation,
        tuple(facts_of(observation.content))[:MOST_FACTS] if observation else (),
        made.assumed or {},
        made.problem,
    )


def _opening(made: MadeCall) -> str:
    return f"{made.call.endpoint.provider} was asked: {made.call.endpoint.summary}"


def _lines(told: AnswerCall) -> list[str]:
    return [fact.text for fact in told.facts] or ["It has nothing on this."]


def _traced(question: str, chain: Chain) -> tuple[str, tuple[str, ...]]:
    """A model's words if the observations or the question hold all that they name; else why they go."""
    if not chain.words:
        return "", ()
    seen = [made.observation for made in chain.answered if made.observation]
    sources = [question, *(str(one.content) for one in seen), *(one.response.text for one in seen)]
    if strange := untraced(chain.words, sources):
        told = ", ".join(strange[:5])
        return "", (f"The model's own words are left out: no observation holds {told}.",)
    return chain.words, ()
