"""An answer as JSON that can be read back as it was, by this version or a later one.

`as_json` tells people and programs what an answer says; this form keeps it: cells with their types, the whole
trace, everything that the record holds. A field that a later version adds is read as its default.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fathom.errors import InputError
from fathom.records import Answer, Interval

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION = 1
"""To be raised where an older version would misread what is written; older forms are read for ever."""
_TYPE, _VALUE = "$type", "value"
"""A value that JSON has no form for: its type's name, and the value as text."""

_READ: Mapping[str, Callable[[Any], Any]] = {
    "decimal": Decimal,
    "float": float,
    "bytes": bytes.fromhex,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda seconds: timedelta(seconds=float(seconds)),
    "interval": Interval,
    "uuid": UUID,
    "tuple": lambda items: tuple(map(_restored, items)),
    "mapping": lambda pairs: {_restored(k): _restored(v) for k, v in pairs},
}


def archived(answer: Answer) -> dict[str, Any]:
    """The whole answer as JSON values. What no JSON and no type here can hold becomes text."""
    return {"version": VERSION, "answer": _kept(_adapter().dump_python(answer, warnings=False))}


def answer_from_json(content: Any) -> Answer:
    """The answer that `archived` wrote, or `as_json`: of that its cells are as JSON has them, dates as text,
    and its trace is left out.

    Raises `InputError` for anything else, and for a later version's.
    """
    try:
        _check(content["version"])
        fields = _told(content) if "ending" in content else _restored(content["answer"])
        return _adapter().validate_python(fields)
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise InputError(f"this is no answer that Fathom wrote: {error}") from error


def _check(version: int) -> None:
    if version > VERSION:
        raise InputError(f"a later version of Fathom wrote this answer (form {version}); upgrade to read it")
    if version < 1:
        raise ValueError("it has no version")


def _told(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an answer from the form that `as_json` gives it."""
    return {
        "question": {"text": content["question"], "evidence": content["evidence"]},
        "text": content["answer"],
        **_evidence(content),
        "refusal": content["refusal"],
        "readings": [{"text": r["text"], "answer": r["answer"], **_evidence(r)} for r in content["readings"]],
        "method": content["method"],
    }


def _evidence(content: Mapping[str, Any]) -> dict[str, Any]:
    result = content["result"] and {**content["result"], "sql": content["sql"]}
    chart = content["chart"] and {"specification": content["chart"]}
    named = ("sql", "explanation", "assumptions", "confidence")
    known = {name: content[name] for name in named}
    return {**known, "result": result, "shown": content["shown"] or result, "chart": chart}


@cache
def _adapter() -> "TypeAdapter[Answer]":
    from pydantic import TypeAdapter  # noqa: PLC0415, where nothing is kept it isn't needed

    return TypeAdapter(Answer)


def _kept(value: Any) -> Any:  # noqa: PLR0911, a table of types reads best as one
    match value:
        case Interval() | UUID():
            return {_TYPE: type(value).__name__.casefold(), _VALUE: str(value)}
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {_TYPE: "float", _VALUE: repr(value)}
        case list():
            return [_kept(v) for v in value]
        case tuple():
            return {_TYPE: "tuple", _VALUE: [_kept(v) for v in value]}
        case Mapping():
            if all(isinstance(k, str) and k != _TYPE for k in value):
                return {k: _kept(v) for k, v in value.items()}
            return {_TYPE: "mapping", _VALUE: [[_kept(k), _kept(v)] for k, v in value.items()]}
        case Decimal():
            return {_TYPE: "decimal", _VALUE: str(value)}
        case bytes() | bytearray() | memoryview():
            return {_TYPE: "bytes", _VALUE: bytes(value).hex()}
        case datetime() | date() | time():
            return {_TYPE: type(value).__name__, _VALUE: value.isoformat()}
        case timedelta():
            return {_TYPE: "timedelta", _VALUE: value.total_seconds()}
        case _:
            return str(value)


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return [_restored(v) for v in value]
    if not isinstance(value, dict):
        return value
    if _TYPE in value:
        return _READ[value[_TYPE]](value[_VALUE])
    return {k: _restored(v) for k, v in value.items()}
