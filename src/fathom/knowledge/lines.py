"""Read YAML, TOML and JSON as plain data, remembering the line of every field.

YAML is read as version 1.2 reads it: `no` and `12:30` are text, and keys are always text, because codes
are what packs are full of. Anchors and aliases are refused: a few lines of them can stand for gigabytes.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from fathom.errors import InputError

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data, with the line (from 1) of each path into it; and the keys that stand there twice."""

    content: Any
    lines: Mapping[Path, int] = field(default_factory=dict)
    repeated: tuple[Path, ...] = ()

    def line(self, path: Path) -> int | None:
        """The line of a path, or of the nearest thing around it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None


# The parser in C is ten times faster; not every installation of PyYAML has it.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"~|null|Null|NULL|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,300}"), int),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
)


def read_yaml(text: str, file: object) -> Document:
    """Read YAML, of which JSON is a part. Raises `InputError` with the line."""
    reader = _LineReader()
    try:
        content = reader.read(yaml.parse(text, Loader=_PARSER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if "nesting depth" in str(error.problem):  # newer parsers count, others recurse
            raise InputError("nested too deeply", file=file, line=mark.line + 1 if mark else None) from None
        problem = " ".join(p for p in (error.context, error.problem) if p)
        raise InputError(
            f"not valid YAML: {problem}", file=file, line=mark.line + 1 if mark else None
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"not valid YAML: {error}", file=file) from None
    except RecursionError:
        raise InputError("nested too deeply", file=file) from None
    return Document(content, reader.lines, tuple(reader.repeated))


class _LineReader:
    """Builds plain data from the parser's events, and notes where each part stands."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.repeated: list[Path] = []

    def read(self, events: Iterator[Any]) -> Any:
        """The one document of these events; None without any."""
        content, documents = None, 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                _refuse(event, documents > 1, "a pack is one document; remove the second '---'")
                content = self._value(next(events), events, ())
        return content

    def _value(self, event: Any, events: Iterator[Any], path: Path) -> Any:
        anchored = isinstance(event, yaml.AliasEvent) or event.anchor is not None
        _refuse(event, anchored, "anchors (&) and aliases (*) are not used in packs; write the text out")
        _refuse(event, event.tag is not None, "tags (!) are not used in packs; quote the text")
        self.lines.setdefault(path, event.start_mark.line + 1)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(event := next(events), yaml.SequenceEndEvent):
                items.append(self._value(event, events, (*path, len(items))))
            return items
        return _scalar(event)

    def _mapping(self, events: Iterator[Any], path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            _refuse(event, not isinstance(event, yaml.ScalarEvent), "a key must be text")
            here = (*path, event.value)
            if event.value in result:
                self.repeated.append(here)
            self.lines[here] = event.start_mark.line + 1
            result[event.value] = self._value(next(events), events, here)
        return result


def _refuse(event: Any, wrong: bool, problem: str) -> None:
    if wrong:
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def _scalar(event: Any) -> Any:
    """A scalar's value: text where it is quoted, else what it reads as."""
    if event.implicit[0]:
        for pattern, made in _PLAIN:
            if pattern.fullmatch(event.value):
                return made(event.value)
    return event.value


def read_toml(text: str, file: object) -> Document:
    """Read TOML. Raises `InputError` with the line."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        problem = str(error)[: where.start()] if where else str(error)
        line = int(where[1]) if where and where[1] else len(text.splitlines())
        raise InputError(f"not valid TOML: {problem}", file=file, line=line) from None
    return Document(content, dict(_toml_lines(text)))


def _toml_lines(text: str) -> Iterator[tuple[Path, int]]:
    """The lines of tables and keys: tomllib doesn't tell, so lines that look like either are read alone."""
    counts: dict[Path, int] = {}
    header: Path = ()
    yield (), 1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            if keys := _keys(
                stripped.strip("[]") if "#" not in stripped else stripped.split("#")[0].strip(" []")
            ):
                header = _indexed(keys, counts)
                if stripped.startswith("[["):
                    counts[header] = counts.get(header, -1) + 1
                    header = (*header, counts[header])
                yield header, number
        elif "=" in stripped and (keys := _keys(stripped.split("=", 1)[0])):
            for end in range(1, len(keys) + 1):
                yield (*header, *keys[:end]), number


def _indexed(keys: Path, counts: Mapping[Path, int]) -> Path:
    """A header's path, with the index of the latest element wherever it passes through a list of tables."""
    path: Path = ()
    for position, key in enumerate(keys):
        path = (*path, key)
        if path in counts and position < len(keys) - 1:
            path = (*path, counts[path])
    return path


def _keys(dotted: str) -> Path:
    try:
        found = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    node: Any = found
    while isinstance(node, dict) and node:
        key, node = next(iter(node.items()))
        path.append(key)
    return tuple(path)
