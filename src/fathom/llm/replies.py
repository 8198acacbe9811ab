"""Reading values out of replies: strict about content, lenient about what models wrap it in."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from fathom.llm.exchange import Reply, Tool

T = TypeVar("T")
TOOL_NAME = "reply"
MOST_PROBLEMS = 5
_FENCE = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


def fenced(text: str, *languages: str) -> list[str]:
    """Give the text in fenced code blocks, in order: those of the given languages, or all.

    A last block that isn't closed counts as well.
    """
    wanted = {x.casefold() for x in languages}
    return [body.strip() for tag, body in _FENCE.findall(text) if not wanted or tag.casefold() in wanted]


def find_json(text: str) -> Any:
    """The first JSON object or list in a reply: alone, in a fence, or among other words.

    Python's way of writing one (single quotes, None, a comma too many) is read as well; anything cut off is
    not. Raises `ValueError`.
    """
    for part in (text.strip(), *fenced(text)):
        for found in _values(part):
            return found
    raise ValueError("there is no JSON object or list in it")


def _values(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
    except ValueError:
        pass
    else:
        return
    decoder = json.JSONDecoder(strict=False)
    position = 0
    while found := re.compile(r"[{\[]").search(text, position):
        try:
            value, position = decoder.raw_decode(text, found.start())
        except ValueError:
            value, position = _python_literal(text, found.start())
        if value is not None:
            yield value


def _python_literal(text: str, start: int) -> tuple[Any, int]:
    """A Python object or list that begins there and where it ends, or None and the next place to look."""
    closing = "}" if text[start] == "{" else "]"
    end = text.find(closing, start)
    tries = 0
    while end != -1 and tries < 50:  # nested brackets: try each place where it may end, within reason
        try:
            value = ast.literal_eval(text[start : end + 1])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            end, tries = text.find(closing, end + 1), tries + 1
        else:
            return (value, end + 1) if isinstance(value, dict | list) else (None, start + 1)
    return None, start + 1


class Shape(Generic[T]):
    """The form that a typed reply has: its JSON schema, and how a reply is read into the type."""

    def __init__(self, kind: type[T] | TypeAdapter[T]) -> None:
        self._adapter: TypeAdapter[T] = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
        self.schema = self._adapter.json_schema()
        self._wrapped = self.schema.get("type") != "object"

    @property
    def tool(self) -> Tool:
        """The tool whose arguments are the value. Providers take objects only: other values are wrapped."""
        parameters = self.schema
        if self._wrapped:
            inner = {k: v for k, v in self.schema.items() if k != "$defs"}
            parameters = {"type": "object", "properties": {"value": inner}, "required": ["value"]}
            if "$defs" in self.schema:
                parameters["$defs"] = self.schema["$defs"]
        return Tool(TOOL_NAME, "Give the reply.", parameters)

    def read(self, reply: Reply) -> T:
        """The value in a reply. Raises `ValueError` that says what is wrong, for the model to mend."""
        if reply.finish == "length":
            raise ValueError("it was cut off at the limit on its length; make it shorter")
        problem: ValueError | None = None
        for call in reply.calls:
            try:
                return self._validate(find_json(call.arguments), unwrap=self._wrapped)
            except ValueError as error:
                name = (
                    "" if call.name == TOOL_NAME else f"there is no tool {call.name!r}, only {TOOL_NAME!r}; "
                )
                problem = ValueError(f"{name}{error}")
        if problem is not None:
            raise problem
        return self._validate(find_json(reply.text), unwrap=False)

    def _validate(self, value: Any, *, unwrap: bool) -> T:
        if unwrap and isinstance(value, dict) and set(value) == {"value"}:
            value = value["value"]
        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            lines = [
                f"{'.'.join(map(str, e['loc'])) or 'the value'}: {e['msg']}"
                for e in error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
            ]
            raise ValueError("\n".join(lines)) from None
