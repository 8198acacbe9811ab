"""From a question to what a biomedical API says: the call, its observation in words, and where it is from."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fathom.biotools.callers import Caller, OfflineCaller, Proposal
from fathom.biotools.client import Client
from fathom.biotools.observations import Observation, observe
from fathom.records import Refusal

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

MOST_FACTS, MOST_EXAMPLES, LONGEST = 14, 3, 300


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an observation says. `place` leads to it there, as keys and positions."""

    place: tuple[str | int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What an API says to a question, or a refusal. `url` is to be looked at by hand.

    Each line of `text` below its first is one of the `facts`, and each of those stands in the observation.
    """

    question: str
    text: str
    confidence: float
    endpoint: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    assumed: Mapping[str, Any] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    observation: Observation | None = None
    url: str = ""
    citation: str = ""
    refusal: Refusal | None = None


def call(
    question: str,
    *,
    caller: Caller | None = None,
    client: Client | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ToolAnswer:
    """Answer a question by one call of NCBI, UniProt or Ensembl; no model is needed.

    `caller` finds the call (the offline one unless told); a `client` given isn't closed; `progress` is told
    how a BLAST search fares. Declines with a refusal when no call is clear enough. Raises `CallFailed` when
    the service gives no answer.
    """
    proposal = asyncio.run((caller or OfflineCaller()).propose(question))
    if proposal.call is None:
        refusal = Refusal(proposal.refusal)
        return ToolAnswer(question, proposal.refusal, proposal.confidence, proposal.endpoint, refusal=refusal)
    if client is not None:
        return _answered(proposal, client, progress)
    with Client() as opened:
        return _answered(proposal, opened, progress)


def _answered(proposal: Proposal, client: Client, progress: Callable[[str], None]) -> ToolAnswer:
    made = proposal.call
    assert made is not None
    observation = observe(client.make(made, progress=progress))
    facts = tuple(facts_of(observation.content))[:MOST_FACTS]
    opening = f"{made.endpoint.provider} was asked: {made.endpoint.summary}"
    lines = [opening, *(fact.text for fact in facts)] if facts else [opening, "It has nothing on this."]
    return ToolAnswer(
        proposal.question,
        "\n".join(lines),
        proposal.confidence,
        made.endpoint.name,
        made.arguments,
        proposal.assumed or {},
        facts,
        observation,
        observation.response.url,
        CITATIONS[made.endpoint.service],
    )


def facts_of(content: Any, place: tuple[str | int, ...] = ()) -> Iterator[Fact]:
    """What an observation says, line by line: its plain fields, its counts, its first examples."""
    if isinstance(content, list):
        content = {"total": len(content), "shown": min(len(content), MOST_EXAMPLES), "examples": content}
        yield from _examples(content, place, ())
        return
    if not isinstance(content, dict):
        if content not in (None, ""):
            yield Fact(place, _short(content))
        return
    if "examples" in content and "total" in content:
        yield from _examples(content, place, (*place, "examples"))
    for name, value in content.items():
        if name in {"total", "shown", "examples"} and "examples" in content:
            continue
        if isinstance(value, dict) and "examples" in value:
            yield from facts_of(value, (*place, name))
        elif value not in (None, "", [], {}):
            yield Fact((*place, name), f"{_said(name)}: {_short(value)}")


def _examples(
    content: Mapping[str, Any], place: tuple[str | int, ...], held: tuple[str | int, ...]
) -> Iterator[Fact]:
    label = f"{_said(str(place[-1]))}: " if place else ""
    yield Fact(place, f"{label}{content['total']} in all, {content['shown']} shown")
    for number, example in enumerate(content["examples"][:MOST_EXAMPLES]):
        yield Fact((*held, number), f"  {number + 1}. {_short(example)}")


def _said(name: str) -> str:
    return name.replace("_", " ")


def _short(value: Any) -> str:
    """A value on one line; what is cut says so."""
    text = _line(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … (cut; the observation has all)"


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{_said(str(k))} {_line(v)}" for k, v in value.items() if v not in (None, "", [], {})
        )
    if isinstance(value, list):
        return "; ".join(_line(v) for v in value)
    return str(value).replace("\n", " ")
