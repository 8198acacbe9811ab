"""The caller that asks a language model: it is offered the endpoints that fit, and its call is checked.

Nothing a model or a service says is trusted: arguments pass the catalogue's checker before any request, and
questions, observations and errors stand in prompts as fenced data.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fathom.biotools.callers.caller import Caller, CallProposal, MadeCall, needs_model
from fathom.biotools.callers.offline import OfflineCaller
from fathom.biotools.callers.reply_calls import read_call, words_of
from fathom.biotools.catalogue import EndpointCall, check, endpoints, function_schema
from fathom.errors import CallRefused, UnknownName, did_you_mean
from fathom.llm import Message, Model, Reply, Sampling, Tool
from fathom.llm.prompts import fence, load
from fathom.records import SolvedCall, Usage

OFFERED = 10
"""Endpoints offered as tools. Beyond these, a model that names another endpoint of the catalogue is understood."""

ALWAYS_OFFERED = (
    "lookup_by_symbol",
    "get_xrefs_by_id",
    "search_uniprotkb",
    "esearch",
    "esummary",
    "efetch",
    "elink",
)
"""They lead from names to identifiers and on, whatever a question is about."""

REPAIRS = 1
MOST_FAILED = 1
"""How many calls the service may refuse before there is no further try."""

SHOWN_CHARACTERS = 6_000
"""How much of each observation a model sees; what is cut says so."""

STEADY = Sampling(temperature=0.0)
_AGREED, _SAME_ENDPOINT, _OFFERED, _ELSEWHERE, _REPAIRED = 0.95, 0.85, 0.7, 0.5, 0.8
"""Confidences by how far the offline caller agrees, and the factor of a repaired call: a rule, not measured."""

_LONGEST_WORDS = 2_000


def llm(model: Model | None, solved: Sequence[SolvedCall]) -> Caller:
    """The caller registered as `llm`. Raises `InputError` without a model."""
    if model is None:
        raise needs_model("llm")
    return LlmCaller(model, solved)


class LlmCaller:
    """Asks a model for one call at a time, until it answers. `offered` is how many endpoints it may see."""

    name = "llm"

    def __init__(self, model: Model, solved: Iterable[SolvedCall] = (), *, offered: int = OFFERED) -> None:
        self.model, self.offered = model, offered
        self._retrieval = OfflineCaller(solved)

    async def propose(self, question: str, *, earlier: Sequence[MadeCall] = ()) -> CallProposal:
        """The model's next call, its refusal, or its words once it has what it needs.

        A call that can't be made is shown to it once with what is wrong, before anything is sent; so is one
        that the service refused. Raises what `Model.ask` raises.
        """
        if sum(bool(made.problem) for made in earlier) > MOST_FAILED:
            return CallProposal(question, None, 0.0, f"The service refused twice: {earlier[-1].problem}")
        offered = tuple(
            dict.fromkeys((*self._retrieval.likely(question, most=self.offered), *ALWAYS_OFFERED))
        )
        prompt = load(__package__, "calling").render(question=question, earlier=told_earlier(earlier))
        turns: tuple[Message, ...] = (Message("user", prompt),)
        tools = tuple(_tool(name) for name in offered)
        used = Usage()
        for repaired in range(REPAIRS + 1):
            reply = await self.model.ask(turns, sampling=STEADY, tools=tools)
            used += reply.usage
            try:
                call = _read(reply, offered, earlier)
            except ValueError as error:
                problem = str(error)
                turns = _mending(turns, reply, problem)
                continue
            proposal = (
                self._proposed(question, call, offered, earlier)
                if call is not None
                else _closing(question, reply, earlier)
            )
            confidence = proposal.confidence * (_REPAIRED if repaired else 1.0)
            return replace(proposal, confidence=round(confidence, 3), usage=used)
        refusal = f"The model made no call that can be made. The last one: {problem}"
        return CallProposal(question, None, 0.0, refusal, usage=used)

    def _proposed(
        self, question: str, call: EndpointCall, offered: Sequence[str], earlier: Sequence[MadeCall]
    ) -> CallProposal:
        name = call.endpoint.name
        own = self._retrieval.read(question)
        if not earlier and own.call == call:
            confidence = _AGREED
        elif own.endpoint == name:
            confidence = _SAME_ENDPOINT
        else:
            confidence = _OFFERED if name in offered else _ELSEWHERE
        return CallProposal(question, call, confidence, alternatives=own.alternatives, more=True)


def _tool(name: str) -> Tool:
    schema = function_schema(endpoints()[name])["function"]
    return Tool(name, schema["description"], schema["parameters"])


def told_earlier(earlier: Sequence[MadeCall]) -> str:
    """The calls made so far and what they gave, each fenced as data; "" when there is none."""
    if not earlier:
        return ""
    told = ["Calls made so far, in order:"]
    for made in earlier:
        arguments = json.dumps({"name": made.call.endpoint.name, "arguments": dict(made.call.arguments)})
        told.append(fence("call", arguments))
        told.append(fence("error", made.problem) if made.problem else fence("observation", _shown(made)))
    return "\n".join(told)


def _shown(made: MadeCall) -> str:
    content = made.observation.content if made.observation else None
    text = json.dumps(content, ensure_ascii=False, default=str)
    cut = len(text) - SHOWN_CHARACTERS
    return text if cut <= 0 else f"{text[:SHOWN_CHARACTERS]} … ({cut} more characters)"


def _read(reply: Reply, offered: Sequence[str], earlier: Sequence[MadeCall]) -> EndpointCall | None:
    """The checked call of a reply, None for words alone. Raises `ValueError` with what the model must mend."""
    if reply.finish == "length" and not reply.calls:
        raise ValueError("it was cut off at the limit on its length; make it shorter")
    wanted = read_call(reply)
    if wanted is None:
        return None
    try:
        call = check(wanted.name, wanted.arguments)
    except UnknownName:
        raise ValueError(f"there is no tool {wanted.name!r}.{did_you_mean(wanted.name, offered)}") from None
    except CallRefused as error:
        raise ValueError(str(error)) from None
    if any(made.call == call for made in earlier):
        raise ValueError(f"{call} was made already; what it gave is above")
    return call


def _mending(turns: tuple[Message, ...], reply: Reply, problem: str) -> tuple[Message, ...]:
    said = "\n".join((reply.text, *(f"{c.name} {c.arguments}" for c in reply.calls))).strip()
    mend = load(__package__, "mending").render(problem=problem)
    return (*turns, Message("assistant", said or "(nothing)"), Message("user", mend))


def _closing(question: str, reply: Reply, earlier: Sequence[MadeCall]) -> CallProposal:
    """Read a reply without a call: the end after an observation, a refusal otherwise."""
    words = " ".join(words_of(reply).split())[:_LONGEST_WORDS]
    if reply.withheld:
        return CallProposal(question, None, 0.0, "The model's provider withheld the reply.")
    if any(made.observation is not None for made in earlier):
        return CallProposal(question, None, 1.0, words=words)
    return CallProposal(question, None, 0.0, f"The model finds no call that fits. {words}".strip())
