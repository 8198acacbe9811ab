"""A method's result, brought into one shape: methods may return a draft, an answer or plain SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fathom.benchmarks.calls import ToolCall
from fathom.errors import FathomError
from fathom.records import MOST_READINGS, Answer, Draft, Selection, Trace


class UnusableAnswer(FathomError):
    """A method returned something that is no answer."""

    def __init__(self, returned: object) -> None:
        self.returned = returned
        super().__init__(
            f"The method returned a {type(returned).__name__}; it should return a Draft, an Answer, SQL as "
            "text, or None where it declines."
        )


@dataclass(frozen=True, slots=True)
class Response:
    """One answer, whatever the method. `sql` is the best guess, also where it `declined`,
    and `words` the answer in words, where the method gives one.

    `shown` are the queries of the readings to choose among, where it declined and gave some.
    `measured` says that its usage is known, and `timed` that its seconds are; prediction files tell neither,
    or usage alone. Of a tool question,
    `call` is the call proposed, after the `earlier` ones that fed it, and `guess` the endpoint thought of
    first, also where it `declined`. `price_range` is what it cost at least and at most in dollars, where
    its tokens are known as a total alone. `fault` is the traceback of an error inside the program that
    answers.
    """

    sql: str | None
    declined: bool = False
    refusal: str = ""
    confidence: float | None = None
    candidates: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    before_revision: str | None = None
    revised: bool = False
    selection: Selection | None = None
    trace: Trace = Trace()
    measured: bool = True
    timed: bool = True
    call: ToolCall | None = None
    earlier: tuple[ToolCall, ...] = ()
    guess: str = ""
    words: str = ""
    fault: str = ""
    price_range: tuple[float, float] | None = None


def respond(returned: object) -> Response:
    """Read what a method returned. Raises `UnusableAnswer`."""
    if isinstance(returned, Response):
        return returned
    if returned is None:
        return Response(None, declined=True)
    if isinstance(returned, str):
        return Response(returned.strip() or None)
    if isinstance(returned, ToolCall):
        return in_a_row((returned,))
    if isinstance(returned, list | tuple) and all(isinstance(one, ToolCall) for one in returned):
        return in_a_row(returned)
    if isinstance(returned, Draft | Answer):
        return _from_trace(returned)
    raise UnusableAnswer(returned)


def in_a_row(calls: Sequence[ToolCall]) -> Response:
    """The response of calls made one after the other; none at all declines."""
    if not calls:
        return Response(None, declined=True)
    return Response(None, call=calls[-1], earlier=tuple(calls[:-1]), guess=calls[-1].endpoint)


def _from_trace(returned: Draft | Answer) -> Response:
    """A draft or an answer; what entered the revision module is read from the trace."""
    sql: str | None = None
    candidates: tuple[str, ...] = ()
    entered: str | None = None
    revised = False
    for step in returned.trace.steps:
        if step.module == "revision" and not revised:
            revised, entered = True, sql or (candidates[0] if candidates else None)
        sql = step.found.get("sql", sql)
        if step.module == "generation":
            candidates = _candidates(step.found) or candidates
    if isinstance(returned, Draft):
        # The candidates of the draft count also for methods that keep no trace of their steps.
        candidates = candidates or tuple(c.sql for c in returned.candidates)
    refusal = returned.refusal.reason if returned.refusal else ""
    return Response(
        sql=returned.sql or sql,
        declined=returned.refusal is not None or bool(returned.readings),
        refusal=refusal or ("asks back" if returned.readings else ""),
        shown=tuple(r.sql for r in returned.readings[:MOST_READINGS]),
        confidence=returned.confidence,
        candidates=candidates,
        before_revision=entered,
        revised=revised,
        selection=_selection(returned),
        trace=returned.trace,
        words=_words(returned),
    )


def _words(returned: Draft | Answer) -> str:
    """The answer in words; the steps of a method leave theirs in the draft's findings."""
    return returned.text if isinstance(returned, Answer) else str(returned.findings.get("answer", ""))


def _candidates(found: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(c["sql"] for c in found.get("candidates", ()) if isinstance(c, Mapping) and c.get("sql"))


def _selection(returned: Draft | Answer) -> Selection | None:
    if isinstance(returned, Draft) and returned.selection is not None:
        return returned.selection
    for step in reversed(returned.trace.steps):
        if step.found.get("selection"):
            return Selection({t: tuple(c) for t, c in step.found["selection"].items()})
    return None
