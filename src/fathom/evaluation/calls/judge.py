"""Holding a proposed call against gold: the arguments as the API takes them, then what both calls observe."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from fathom.benchmarks.calls import ToolCall, gold_calls
from fathom.errors import (
    CallFailed,
    CallRefused,
    FathomError,
    RateLimited,
    RecordNotFound,
    RequestRejected,
    ResponseTooLarge,
    ServiceDown,
    UnknownName,
)
from fathom.evaluation.calls.encoders import Encoder
from fathom.evaluation.metrics import argument_errors
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.exams import Exam, Marks, failed
from fathom.evaluation.runs.record import CallRecord, JudgedQuery

PATIENCE = 3
"""Gold calls in a row that the services don't answer, after which a run stops rather than count them."""

_CLASSES = {
    UnknownName: "no_such_endpoint",
    CallRefused: "refused",
    RecordNotFound: "not_found",
    RequestRejected: "rejected",
    ResponseTooLarge: "too_large",
    RateLimited: "down",
    ServiceDown: "down",
}


class KnownEndpoint(Protocol):
    """An endpoint of a catalogue."""

    @property
    def name(self) -> str:
        """Its name in calls."""
        ...

    @property
    def provider(self) -> str:
        """Who serves it."""
        ...

    @property
    def tool(self) -> str:
        """The tool that it belongs to."""
        ...


class CheckedCall(Protocol):
    """A call whose arguments are in the API's form."""

    @property
    def endpoint(self) -> KnownEndpoint:
        """The endpoint of the call."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """With what."""
        ...


class Tools(Protocol):
    """The APIs that calls are for: what they take, and what they say. Safe from several threads."""

    @property
    def about(self) -> str:
        """A remark on the services that belongs beside figures, if there is any."""
        ...

    def endpoint(self, name: str) -> KnownEndpoint:
        """The endpoint of a name. Raises `UnknownName`."""
        ...

    def check(self, name: str, arguments: Mapping[str, Any]) -> CheckedCall:
        """Arguments in the API's form. Raises `UnknownName` and `CallRefused`."""
        ...

    def observe(self, call: Any) -> Any:
        """Make a checked call; gives its result as JSON values. Raises `CallFailed`."""
        ...

    async def follow(self, question: str, caller: Any) -> Any:
        """The calls that a caller makes for a question, one after the other. Raises `CallFailed`."""
        ...

    def close(self) -> None:
        """Give back connections."""
        ...


class CallJudge:
    """Judges proposed calls by what they observe. Safe from several threads."""

    def __init__(self, tools: Tools, encoder: Encoder) -> None:
        self._tools, self._encoder = tools, encoder
        self._unanswered = 0
        self._lock = threading.Lock()

    def __call__(self, exam: Exam) -> Marks:
        """Judge one response. Raises what the encoder raises, and `ServiceDown` where nothing answers."""
        gold, response = gold_calls(exam.question), exam.response
        call, base = response.call, self._placed(gold, response.guess)
        made = (*response.earlier, call) if call is not None else ()
        try:
            wanted = [self._tools.check(one.endpoint, one.arguments) for one in gold]
            observed = self._observed_gold(wanted[-1])
        except CallUnanswered:
            raise
        except FathomError as error:
            return _without_gold(error, _with(base, [_plain(one) for one in made]))
        if exam.error:
            return failed(exam.error, error_class=exam.error_class)
        forms = [_form(one.endpoint.name, one.arguments) for one in wanted]
        base = replace(base, gold=forms[-1], gold_earlier=tuple(forms[:-1]))
        if not made:
            told = response.refusal or "there is no call"
            return _at_fault("missing" if response.declined else "caller", told, base)
        return self._judged(wanted, observed, made, base)

    def _placed(self, gold: Sequence[ToolCall], guess: str) -> CallRecord:
        """Compare the names of endpoints alone, for a guess without arguments."""
        last, before = gold[-1], tuple(map(_plain, gold[:-1]))
        try:
            endpoint = self._tools.endpoint(last.endpoint)
        except UnknownName:
            return CallRecord("", "", _plain(last), guess=guess, gold_earlier=before)
        return CallRecord(
            endpoint.provider,
            endpoint.tool,
            _form(endpoint.name, last.arguments),
            guess=guess,
            right_endpoint=not before and guess == endpoint.name,
            right_provider=self._provider(guess) == endpoint.provider,
            gold_earlier=before,
        )

    def _judged(
        self, wanted: Sequence[CheckedCall], observed: Any, made: Sequence[ToolCall], base: CallRecord
    ) -> Marks:
        try:
            calls = [self._tools.check(one.endpoint, one.arguments) for one in made]
        except FathomError as error:
            marked = _compared(base, [_plain(one) for one in made], wanted)
            return _at_fault(_class(error), str(error), marked)
        marked = _compared(base, [_form(one.endpoint.name, one.arguments) for one in calls], wanted)
        try:
            ours = self._tools.observe(calls[-1])
        except CallFailed as error:
            return _at_fault(_class(error), str(error), marked)
        return self._similar(ours, observed, marked)

    def _similar(self, ours: Any, theirs: Any, marked: CallRecord) -> Marks:
        same = bool(ours == theirs)
        empty = any(side in (None, "", [], {}) for side in (ours, theirs))
        similarity = 1.0 if same else 0.0 if empty else self._encoder.similarity(_text(ours), _text(theirs))
        outcome = Outcome.CORRECT if same else Outcome.INCORRECT
        return Marks(
            JudgedQuery("", outcome, "same" if same else "different", similarity),
            call=replace(marked, executed=True, similarity=similarity),
        )

    def _observed_gold(self, wanted: CheckedCall) -> Any:
        """Raises `CallFailed`; when a service is down for the `PATIENCE`th time in a row, the run ends."""
        try:
            found = self._tools.observe(wanted)
        except CallFailed as error:
            with self._lock:
                self._unanswered = self._unanswered + 1 if error.retryable else 0
                stop = self._unanswered >= PATIENCE
            if stop:
                raise CallUnanswered(str(error)) from error
            raise
        self._unanswered = 0
        return found

    def _provider(self, endpoint: str) -> str:
        try:
            return self._tools.endpoint(endpoint).provider if endpoint else ""
        except UnknownName:
            return ""


class CallUnanswered(FathomError):
    """The services don't answer, so that nothing can be measured."""

    def __init__(self, told: str) -> None:
        super().__init__(
            f"{PATIENCE} gold calls in a row weren't answered: {told}\nWhat was measured is kept; run the "
            "same command again when the services can be reached. For made records: fathom tools serve"
        )


def _compared(
    base: CallRecord, made: Sequence[Mapping[str, Any]], wanted: Sequence[CheckedCall]
) -> CallRecord:
    """The calls made beside gold: the last with the last, and so on before them."""
    chained = len(made) > 1 or len(wanted) > 1
    same = [one["name"] for one in made] == [one.endpoint.name for one in wanted]
    missing: list[str] = []
    extra: list[str] = []
    wrong: list[str] = []
    for back, (one, gold) in enumerate(zip(reversed(made), reversed(wanted), strict=False)):
        found = argument_errors(one["arguments"], gold.arguments)
        number = f"{len(wanted) - back}." if chained else ""
        for names, more in ((missing, found.missing), (extra, found.extra), (wrong, found.wrong)):
            names += [f"{number}{name}" for name in more]
    return replace(
        _with(base, made),
        right_endpoint=same if chained else base.right_endpoint,
        right_arguments=same and not (missing or extra or wrong),
        missing=tuple(missing),
        extra=tuple(extra),
        wrong=tuple(wrong),
    )


def _with(base: CallRecord, made: Sequence[Mapping[str, Any]]) -> CallRecord:
    return replace(base, call=made[-1], earlier=tuple(made[:-1])) if made else base


def _without_gold(error: FathomError, record: CallRecord) -> Marks:
    """Nothing can be said about a call without what gold observes."""
    told = JudgedQuery("", Outcome.UNJUDGED, "unjudged", None, f"the gold call failed: {error}", "gold")
    return Marks(told, call=replace(record, executed=None))


def _at_fault(error_class: str, told: str, record: CallRecord) -> Marks:
    executed = None if record.call is None else False
    return Marks(
        JudgedQuery("", Outcome.ERROR, "error", 0.0, told, error_class),
        call=replace(record, executed=executed),
    )


def _class(error: FathomError) -> str:
    return _CLASSES.get(type(error), "other")


def _plain(call: ToolCall) -> dict[str, Any]:
    return _form(call.endpoint, call.arguments)


def _form(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "arguments": dict(arguments)}


def _text(observation: Any) -> str:
    """As the published protocol writes it: text as it is, everything else as JSON of two-space indent."""
    if isinstance(observation, str):
        return observation
    return json.dumps(observation, ensure_ascii=False, indent=2, default=str)
