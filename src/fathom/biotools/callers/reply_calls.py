"""Reading the call out of a model's reply: a tool call, or whatever it wrote that amounts to one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fathom.llm import Reply
from fathom.llm.replies import find_json

_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<(tool_call|function_call)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_ACTION = re.compile(r"^\s*Action\s*:\s*`?([\w.]+)`?\s*\n\s*Action Input\s*:(.*)", re.MULTILINE | re.DOTALL)
_NAMES = ("name", "endpoint", "tool", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


@dataclass(frozen=True, slots=True)
class WantedCall:
    """The call that a model wants: unchecked."""

    name: str
    arguments: Mapping[str, Any]


def read_call(reply: Reply) -> WantedCall | None:
    """The first call in a reply, or None when it holds none and so is words alone.

    Understood are tool calls, and in text: tagged JSON, Action and Action Input, a JSON object with a name
    and arguments. Raises `ValueError` for what is meant as a call and can't be read, for the model to mend.
    """
    if reply.calls:
        wanted = reply.calls[0]
        return WantedCall(wanted.name, _object(wanted.arguments))
    text = words_of(reply)
    if tagged := _TAGGED.search(text):
        return _named(find_json(tagged[2]))
    if action := _ACTION.search(text):
        return WantedCall(action[1], _object(action[2]))
    if not re.search(r"[\"'](?:" + "|".join((*_NAMES, *_ARGUMENTS)) + r")[\"']\s*:", text):
        return None
    return _named(find_json(text))


def words_of(reply: Reply) -> str:
    """A reply's text without the thoughts that some models put before it."""
    return _THOUGHT.sub("", reply.text).strip()


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object of arguments in a text; nothing at all stands for none."""
    found = find_json(text) if text.strip() else {}
    if not isinstance(found, dict):
        raise ValueError(f"the arguments must be a JSON object, not a {type(found).__name__}")  # noqa: TRY004
    return {str(k): v for k, v in found.items()}


def _named(found: Any) -> WantedCall:
    """A call written as JSON, in one of the forms that models use; of several the first."""
    if isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict) and isinstance(found.get("function"), dict):
        found = found["function"]
    if not isinstance(found, dict):
        raise ValueError('write the call as a JSON object with "name" and "arguments"')  # noqa: TRY004
    name = next((found[k] for k in _NAMES if isinstance(found.get(k), str)), None)
    if name is None:
        raise ValueError('the call has no "name"')
    arguments: Any = next((found[k] for k in _ARGUMENTS if k in found), {})
    if isinstance(arguments, str):
        arguments = _object(arguments)
    if not isinstance(arguments, dict):
        raise ValueError('"arguments" must be a JSON object')  # noqa: TRY004
    return WantedCall(name, arguments)
