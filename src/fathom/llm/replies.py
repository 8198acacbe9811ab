"""Reading values out of replies: strict about content, lenient about what models wrap it in."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from fathom.llm.exchange import Reply, Tool

T = TypeVar("T")
TOOL_NAME = "reply"
MOST_PROBLEMS = 5
_MARK = re.compile(r"(`{3,}|~{3,})")
_BARE_LIST = re.compile(r"\[\s*((?:[A-Za-z_][\w.]*)(?:\s*,\s*[A-Za-z_][\w.]*)*)\s*\]")
_LANGUAGES = frozenset(
    "sql sqlite sqlite3 postgresql postgres mysql mariadb tsql plsql plpgsql duckdb bigquery snowflake"
    " json python text txt markdown md bash sh xml html yaml".split()
)
"""Words that may follow a fence's signs with content on its line; on a line of its own it may be any word."""
_CONTENT = re.compile(r"\b(?:SELECT|WITH)\b|[{\[;]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its language, and where its content begins and ends in the text."""

    language: str
    start: int
    end: int


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a text, of backticks or tildes, on lines of their own or all on one.

    A last block that isn't closed counts as well; of one inside another only the inner one does.
    """
    found: list[Fence] = []
    opened: tuple[str, str, int] | None = None
    for mark in _MARK.finditer(text):
        language, start = _opening(text, mark.end())
        if opened is None or (language and opened[0] == mark.group()[0]):
            opened = (mark.group()[0], language, start)
        elif opened[0] == mark.group()[0]:
            found.append(Fence(opened[1], opened[2], mark.start()))
            opened = None
    if opened is not None:
        found.append(Fence(opened[1], opened[2], len(text)))
    return found


def _opening(text: str, at: int) -> tuple[str, int]:
    """The language behind a fence's signs and where the content begins; "" where there is none."""
    line = text[at : text.find("\n", at) if "\n" in text[at:] else len(text)]
    tag = re.match(r"[ \t]*([\w+#.-]+)", line)
    if tag is None:
        return "", at
    rest = line[tag.end() :]
    if tag.group(1).casefold() in _LANGUAGES:
        has_content = _MARK.search(rest) or _CONTENT.search(rest)
        return tag.group(1), at + (tag.end() if has_content else len(line))
    if _MARK.search(line) or _CONTENT.search(line):
        return "", at
    return tag.group(1), at + len(line)


def fenced(text: str, *languages: str) -> list[str]:
    """Give the text in fenced code blocks, in order: those of the given languages, or all."""
    wanted = {x.casefold() for x in languages}
    return [
        text[f.start : f.end].strip() for f in fences(text) if not wanted or f.language.casefold() in wanted
    ]


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
            value, position = _bare_list(text, found.start()) or _python_literal(text, found.start())
        if value is not None:
            yield value


def _bare_list(text: str, start: int) -> tuple[Any, int] | None:
    """A list of names without quotes that begins there, as small models write one, and where it ends."""
    found = _BARE_LIST.match(text, start)
    return ([name.strip() for name in found.group(1).split(",")], found.end()) if found else None


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
