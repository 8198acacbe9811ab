"""The interface of callers: each proposes a call, goes on from its answer, or declines.

A caller is registered by entry point in the group `fathom.callers`; `open_caller` makes one by its name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fathom import registry
from fathom.biotools.catalogue import EndpointCall
from fathom.biotools.observations import Observation
from fathom.errors import InputError
from fathom.records import SolvedCall, Usage

if TYPE_CHECKING:
    from fathom.llm import Model

WITHOUT_MODEL, WITH_MODEL = "offline", "llm"
"""The callers taken when none is named."""


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that was made: what it gave, or the `problem` that the service told of.

    `confidence` and `assumed` are those of the proposal that it came from.
    """

    call: EndpointCall
    observation: Observation | None
    problem: str = ""
    confidence: float = 1.0
    assumed: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class CallProposal:
    """A caller's proposal: the next call with a confidence, the reason for none, or the end.

    It is done when there is neither a call nor a refusal: the calls made so far answer the question, `words`
    is what a model says about them (never more than a reading of their observations). `alternatives` are
    other endpoints with their scores, best first; `assumed` arguments weren't in the question; `more` says
    that the caller means to go on from this call's observation.
    """

    question: str
    call: EndpointCall | None
    confidence: float
    refusal: str = ""
    alternatives: tuple[tuple[str, float], ...] = ()
    assumed: Mapping[str, Any] | None = None
    more: bool = False
    words: str = ""
    usage: Usage = Usage()

    @property
    def endpoint(self) -> str:
        """The endpoint of the call, or the one thought of first when it is declined."""
        if self.call is not None:
            return self.call.endpoint.name
        return self.alternatives[0][0] if self.alternatives else ""


class Caller(Protocol):
    """A caller: it turns a question into calls, one at a time, or declines."""

    @property
    def name(self) -> str:
        """The name that it is registered under."""
        ...

    async def propose(self, question: str, *, earlier: Sequence[MadeCall] = ()) -> CallProposal:
        """The next call for a question after the `earlier` ones, which were made for it in this order.

        Nothing is sent to any of the APIs. Raises `ModelError` when a model is asked and fails.
        """
        ...


CallerFactory = Callable[["Model | None", Sequence[SolvedCall]], Caller]
"""A factory in the group `fathom.callers`: it makes a caller of a model, if there is one, and solved
examples."""


def open_caller(
    name: str | None = None, *, model: "Model | None" = None, solved: Sequence[SolvedCall] = ()
) -> Caller:
    """The caller of a name; without one, `llm` where there is a model and `offline` where there is none.

    `solved` examples teach the retrieval that callers find endpoints by. The model isn't closed by the
    caller. Raises `UnknownName`, and `InputError` when the caller needs a model and there is none.
    """
    chosen = name or (WITHOUT_MODEL if model is None else WITH_MODEL)
    make: CallerFactory = registry.load("callers", chosen)
    return make(model, solved)


def needs_model(caller: str) -> InputError:
    """The error to raise when a caller that asks a model isn't given one."""
    return InputError(f"The caller {caller!r} asks a language model: name one, such as --model openai:NAME.")
