"""The caller that asks a model tuned on `fathom tools export-training`: the very prompt that it learned from.

Prompts hold a short description of each endpoint rather than its whole schema, so that one fits the window of
a small model: 2,048 tokens were used where this was published (arXiv 2605.05758).
"""

import json
from collections.abc import Sequence

from fathom.biotools.callers.caller import Caller, CallProposal, MadeCall, needs_model
from fathom.biotools.callers.offline import OfflineCaller
from fathom.biotools.callers.reply_calls import read_call
from fathom.biotools.catalogue import Endpoint, EndpointCall, Parameter, check, endpoints
from fathom.errors import CallRefused, UnknownName
from fathom.llm import Message, Model, Sampling
from fathom.llm.prompts import load
from fathom.records import SolvedCall

OFFERED = 6
"""Endpoints described in a prompt."""

MOST_OPTIONAL = 8
MOST_CHOICES = 8
STEADY = Sampling(temperature=0.0)
CONFIDENCE, UNEXPECTED = 0.8, 0.6
"""How sure a valid call is, and one of an endpoint that wasn't described: a rule, not measured."""


def finetuned(model: Model | None, solved: Sequence[SolvedCall]) -> Caller:
    """The caller registered as `finetuned`. Raises `InputError` without a model.

    Solved examples don't change what it does: its prompts must be those that the model was tuned on.
    """
    if model is None:
        raise needs_model("finetuned")
    return FineTunedCaller(model)


class FineTunedCaller:
    """Asks a tuned model for the one call that answers a question."""

    name = "finetuned"

    def __init__(self, model: Model) -> None:
        self.model = model
        self._retrieval = OfflineCaller()

    async def propose(self, question: str, *, earlier: Sequence[MadeCall] = ()) -> CallProposal:
        """The model's call, or why it can't be made; done once it was. Raises what `Model.ask` raises."""
        if earlier:
            return CallProposal(question, None, 1.0, earlier[-1].problem)
        described = self._retrieval.likely(question, most=OFFERED)
        system, user = prompt_for(question, described)
        reply = await self.model.ask((Message("user", user),), system=system, sampling=STEADY)
        refusal = "The model made no call."
        try:
            wanted = read_call(reply)
            if wanted is not None:
                call = check(wanted.name, wanted.arguments)
                sure = CONFIDENCE if wanted.name in described else UNEXPECTED
                return CallProposal(question, call, sure, usage=reply.usage)
        except (ValueError, UnknownName, CallRefused) as error:
            refusal = f"The model's call can't be made: {error}"
        return CallProposal(question, None, 0.0, refusal, usage=reply.usage)


def prompt_for(question: str, described: Sequence[str]) -> tuple[str, str]:
    """The system and the user turn, for asking and for training alike; endpoints stand by name.

    By name rather than by rank: in training the right one is always there, and mustn't be told by its place.
    """
    tools = "\n".join(_described(endpoints()[name]) for name in sorted(described))
    return load(__package__, "finetuned").render(tools=tools), question


def target_of(call: EndpointCall) -> str:
    """The reply that a model is tuned to give: the checked call, in the API's form, as one line of JSON."""
    return json.dumps({"name": call.endpoint.name, "arguments": dict(call.arguments)}, ensure_ascii=False)


def _described(endpoint: Endpoint) -> str:
    held = endpoint.callable_parameters.values()
    needed = ", ".join(_told(p) for p in held if p.required)
    optional = [_told(p) for p in held if not p.required][:MOST_OPTIONAL]
    takes = "; ".join(filter(None, (needed, f"optional: {', '.join(optional)}" if optional else "")))
    return f"{endpoint.name}({takes}): {endpoint.summary}"


def _told(parameter: Parameter) -> str:
    if parameter.enum:
        more = "|..." if len(parameter.enum) > MOST_CHOICES else ""
        return f"{parameter.name} {'|'.join(map(str, parameter.enum[:MOST_CHOICES]))}{more}"
    return parameter.name if parameter.type == "string" else f"{parameter.name} {parameter.type}"
