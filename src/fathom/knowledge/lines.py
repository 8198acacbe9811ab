"""Read YAML, TOML and JSON as plain data, remembering the line of every field.

YAML is read as version 1.2 reads it: `no` and `12:30` are text, and keys are always text, because codes
are what packs are full of. Anchors and aliases are refused: a few lines of them can stand for gigabytes.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
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


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases, and with the plain types of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, Any]]] = {}  # noqa: RUF012 - the shape yaml asks for

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(
                problem="anchors (&) and aliases (*) are not used in packs; write the text out, or quote it",
                problem_mark=event.start_mark,
            )
        return super().compose_node(parent, index)


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+0123456789."),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def read_yaml(text: str, file: object) -> Document:
    """Read YAML, of which JSON is a part. Raises `InputError` with the line."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines: dict[Path, int] = {}
        repeated: list[Path] = []
        content = _plain(loader, node, (), lines, repeated) if node else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(p for p in (error.context, error.problem) if p)
        raise InputError(
            f"not valid YAML: {problem}", file=file, line=mark.line + 1 if mark else None
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"not valid YAML: {error}", file=file) from None
    except RecursionError:
        raise InputError("nested too deeply", file=file) from None
    finally:
        loader.dispose()
    return Document(content, lines, tuple(repeated))


def _plain(loader: _Loader, node: yaml.Node, path: Path, lines: dict[Path, int], repeated: list[Path]) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key must be text", problem_mark=key.start_mark)
            here = (*path, key.value)
            if key.value in result:
                repeated.append(here)
            lines[here] = key.start_mark.line + 1
            result[key.value] = _plain(loader, value, here, lines, repeated)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, n, (*path, i), lines, repeated) for i, n in enumerate(node.value)]
    return loader.construct_object(node)


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
