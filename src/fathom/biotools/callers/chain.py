"""Calls in a row: each is made, shown to the caller, and followed by the next, up to a limit."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from fathom.biotools.callers.caller import Caller, CallProposal, MadeCall
from fathom.biotools.catalogue import check
from fathom.biotools.client import Client
from fathom.biotools.observations import observe
from fathom.errors import CallFailed, CallRefused
from fathom.records import Usage

MOST_CALLS = 4
"""Calls made for one question unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The calls made for a question, in order, and how they ended.

    `refusal` says why there is no (further) call where the caller wasn't done; `words` are a model's.
    `stopped` says that the calls ended before the caller was done: at the limit, or in a loop.
    """

    calls: tuple[MadeCall, ...]
    confidence: float
    endpoint: str = ""
    refusal: str = ""
    stopped: str = ""
    words: str = ""
    usage: Usage = Usage()

    @property
    def answered(self) -> tuple[MadeCall, ...]:
        """The calls that a service answered."""
        return tuple(made for made in self.calls if made.observation is not None)


async def follow(
    question: str,
    caller: Caller,
    client: Client,
    *,
    limit: int = MOST_CALLS,
    progress: Callable[[str], None] = lambda _: None,
) -> Chain:
    """Make the calls that a caller proposes until it is done, declines, repeats itself or has made `limit`.

    A call that the service finds wrong is shown to the caller, which may try another; when it has none, and
    for failures that no other call mends, `CallFailed` is raised. Where an accession was merged into another,
    that one's entry is asked for; where it has no single successor, the chain ends with a refusal.
    `progress` is told how BLAST searches fare.
    """
    made: list[MadeCall] = []
    used, failed = Usage(), None
    while True:
        proposal = _successor(question, made) or await caller.propose(question, earlier=tuple(made))
        used += proposal.usage
        if proposal.call is None:
            if failed is not None and all(one.problem for one in made):
                raise failed
            return _ended(made, proposal, used)
        if stopped := _stopping(proposal.call, made, limit):
            return replace(_ended(made, proposal, used), stopped=stopped)
        try:
            response = await asyncio.to_thread(client.make, proposal.call, progress=progress)
            observation, problem, failed = observe(response), "", None
        except CallFailed as error:
            if error.retryable:
                raise
            observation, problem, failed = None, str(error), error
        made.append(MadeCall(proposal.call, observation, problem, proposal.confidence, proposal.assumed))


def _successor(question: str, made: list[MadeCall]) -> CallProposal | None:
    """The next step after an accession that names no entry any more; None where the last call gave none."""
    old = made[-1].observation.old if made and made[-1].observation else None
    if old is None:
        return None
    if len(old.successors) != 1:
        hint = "Ask about one of them." if old.successors else "UniParc keeps its sequence."
        return CallProposal(question, None, 0.0, f"{old.told} {hint}")
    asked = made[-1].call
    (accession,) = old.successors
    try:
        call = check(asked.endpoint.name, {**asked.arguments, "accession": accession})
    except CallRefused:  # the service gave something that is no accession
        return CallProposal(question, None, 0.0, old.told)
    if any(one.call == call for one in made):
        return CallProposal(question, None, 0.0, f"{old.told} That one names no entry either.")
    return CallProposal(question, call, 1.0)


def _ended(made: list[MadeCall], last: CallProposal, used: Usage) -> Chain:
    """The chain that ends with a proposal: as sure as all that it rests on."""
    rested = prod(one.confidence for one in made if not one.problem)
    own = 1.0 if last.call else last.confidence
    endpoint = made[-1].call.endpoint.name if made else last.endpoint
    return Chain(tuple(made), round(rested * own, 3), endpoint, last.refusal, words=last.words, usage=used)


def _stopping(call: object, made: list[MadeCall], limit: int) -> str:
    """Why a proposed call isn't made, or ""."""
    if any(one.call == call for one in made):
        return f"The caller asked for {call} again, which was made already."
    if len(made) >= limit:
        return f"The limit of {limit} calls was reached; {call} would have been next."
    return ""
