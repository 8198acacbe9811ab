"""Holding a proposed call against gold: the arguments as the API takes them, then what both calls observe."""

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from fathom.benchmarks.calls import ToolCall, gold_call
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
from fathom.evaluation.runs.judging import Exam, Marks
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
        """What is called."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """With what."""
        ...


class Tools(Protocol):
    """The APIs that calls are for: what they take, and what they say. Safe from several threads."""

    @property
    def about(self) -> str:
        """What figures should say of the services, if anything."""
        ...

    def endpoint(self, name: str) -> KnownEndpoint:
        """The endpoint of a name. Raises `UnknownName`."""
        ...

    def check(self, name: str, arguments: Mapping[str, Any]) -> CheckedCall:
        """Arguments in the API's form. Raises `UnknownName` and `CallRefused`."""
        ...

    def observe(self, call: Any) -> Any:
        """What a checked call gives, as JSON values. Raises `CallFailed`."""
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
        gold, call, guess = gold_call(exam.question), exam.response.call, exam.response.guess
        base = self._placed(gold, guess)
        try:
            wanted = self._tools.check(gold.endpoint, gold.arguments)
        except FathomError as error:
            made = _form(call.endpoint, call.arguments) if call is not None else None
            return _at_fault("gold", f"gold: {error}", replace(base, call=made))
        base = replace(base, gold=_form(wanted.endpoint.name, wanted.arguments))
        if call is None:
            told = exam.response.refusal or "there is no call"
            return _at_fault("missing" if exam.response.declined else "caller", told, base)
        return self._judged(wanted, call, base)

    def _placed(self, gold: ToolCall, guess: str) -> CallRecord:
        """What is known of a question by the names of endpoints alone."""
        try:
            endpoint = self._tools.endpoint(gold.endpoint)
        except UnknownName:
            return CallRecord("", "", _form(gold.endpoint, gold.arguments), guess=guess)
        return CallRecord(
            endpoint.provider,
            endpoint.tool,
            _form(endpoint.name, gold.arguments),
            guess=guess,
            right_endpoint=guess == endpoint.name,
            right_provider=self._provider(guess) == endpoint.provider,
        )

    def _judged(self, wanted: CheckedCall, call: ToolCall, base: CallRecord) -> Marks:
        try:
            made = self._tools.check(call.endpoint, call.arguments)
        except FathomError as error:
            marked = _compared(base, call.endpoint, call.arguments, wanted)
            return _at_fault(_class(error), str(error), marked)
        marked = _compared(base, made.endpoint.name, made.arguments, wanted)
        try:
            theirs = self._observed_gold(wanted)
        except CallFailed as error:
            return _at_fault("gold", f"gold: {error}", marked)
        try:
            ours = self._tools.observe(made)
        except CallFailed as error:
            return _at_fault(_class(error), str(error), marked)
        return self._similar(ours, theirs, marked)

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
                raise Unanswered(str(error)) from error
            raise
        self._unanswered = 0
        return found

    def _provider(self, endpoint: str) -> str:
        try:
            return self._tools.endpoint(endpoint).provider if endpoint else ""
        except UnknownName:
            return ""


class Unanswered(FathomError):
    """The services don't answer, so that nothing can be measured."""

    def __init__(self, told: str) -> None:
        super().__init__(
            f"{PATIENCE} gold calls in a row weren't answered: {told}\nWhat was measured is kept; run the "
            "same command again when the services can be reached. For made records: fathom tools serve"
        )


def _compared(base: CallRecord, name: str, arguments: Mapping[str, Any], wanted: CheckedCall) -> CallRecord:
    found = argument_errors(arguments, wanted.arguments)
    same = name == wanted.endpoint.name
    return replace(
        base,
        call=_form(name, arguments),
        right_arguments=same and not found,
        missing=found.missing,
        extra=found.extra,
        wrong=found.wrong,
    )


def _at_fault(error_class: str, told: str, record: CallRecord) -> Marks:
    executed = None if record.call is None or error_class == "gold" else False
    return Marks(
        JudgedQuery("", Outcome.ERROR, "error", 0.0, told, error_class),
        call=replace(record, executed=executed),
    )


def _class(error: FathomError) -> str:
    return _CLASSES.get(type(error), "other")


def _form(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "arguments": dict(arguments)}


def _text(observation: Any) -> str:
    """As the published protocol writes it: text as it is, everything else as JSON of two-space indent."""
    if isinstance(observation, str):
        return observation
    return json.dumps(observation, ensure_ascii=False, indent=2, default=str)
