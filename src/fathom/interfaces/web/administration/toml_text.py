"""A file of TOML that is changed at single places, so that its comments and its order stay."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, Comment, Item, Table, Whitespace

from fathom.errors import InputError

Path_ = Sequence[str | int]
"""Where something stands: names of tables and keys, and numbers of tables in a list, from 0."""


class TomlText:
    """The text of a file; each change gives another one, and is held against what it has to come to.

    Raises `InputError` for a text that can't be read, and where a change can't be made in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"the file can't be read: {error}. Mend it by hand first") from error

    def get(self, *path: str | int) -> Any:
        """The value at a place; None where there is none."""
        found: Any = self.data
        for step in path:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    def with_value(self, path: Path_, value: Any) -> "TomlText":
        """The text with a value at a place, in the tables above it that aren't there yet."""
        if self.get(*path) == value:
            return self
        if len(path) == 1:
            return self._with_top(str(path[0]), value)
        if self.get(*path[:-1]) is None:
            return self._with_table(path[:-1], {str(path[-1]): value})

        def put(place: Any) -> None:
            for step in path[:-1]:
                place = place[step]
            known = place.get(path[-1])
            if isinstance(known, Array) and isinstance(value, list):
                _become(known, value)
            else:
                place[path[-1]] = value

        return self._changed(put)

    def without(self, path: Path_) -> "TomlText":
        """The text without what stands at a place; a table that is left empty goes as well."""
        if self.get(*path) is None:
            return self

        def take(place: Any) -> None:
            above = [place]
            for step in path[:-1]:
                above.append(above[-1][step])
            del above[-1][path[-1]]
            for depth in range(len(above) - 1, 1, -1):
                if not above[depth]:
                    del above[depth - 1][path[depth - 1]]

        return self._changed(take)

    def with_section(self, path: Sequence[str], content: Mapping[str, Any], *, of_list: bool) -> "TomlText":
        """The text with one more table, behind the last that begins alike; `of_list` adds one to a list."""
        header = _header_of(path)
        lines = [f"[[{header}]]" if of_list else f"[{header}]", *_lines_of(path, content)]
        expected = deepcopy(self.data)
        place = expected
        for step in path[:-1]:
            place = place.setdefault(step, {})
        if of_list:
            place.setdefault(path[-1], []).append(dict(content))
        else:
            place[path[-1]] = dict(content)
        parts = _sections(self.text)
        alike = [at for at, (found, _, _) in enumerate(parts) if found[:1] == (path[0],)]
        return _held(_inserted(parts, alike[-1] + 1 if alike else len(parts), lines), expected)

    def _with_table(self, path: Path_, content: Mapping[str, Any]) -> "TomlText":
        """The text with a table that isn't there yet, behind the others of the one that it is in."""
        names, expected = [step for step in path if isinstance(step, str)], deepcopy(self.data)
        place: Any = expected
        for step in path:
            place = place[step] if isinstance(step, int) else place.setdefault(step, {})
        place.update(content)
        parts, number, at = _sections(self.text), -1, None
        wanted = next((step for step in path if isinstance(step, int)), None)
        for index, (found, is_list, _) in enumerate(parts):
            number += is_list and found == (names[0],)
            if found[:1] == (names[0],) and (wanted is None or number == wanted):
                at = index + 1
        lines = [f"[{_header_of(names)}]", *(f"{_key(k)} = {_value(v)}" for k, v in content.items())]
        return _held(_inserted(parts, len(parts) if at is None else at, lines), expected)

    def without_section(self, path: Sequence[str], number: int | None = None) -> "TomlText":
        """The text without a table, those within it, and the comments right above it.

        `number` is that of a table in a list, from 0.
        """
        wanted, seen, inside, kept = tuple(path), -1, False, []
        for found, is_list, part in _sections(self.text):
            if found == wanted and (is_list or number is None):
                seen += 1
                inside = number is None or seen == number
            elif inside:
                inside = found[: len(wanted)] == wanted
            if not inside:
                kept.append(part)
        expected = deepcopy(self.data)
        place: Any = expected
        for step in path[:-1]:
            place = place[step]
        del (place if number is None else place[path[-1]])[path[-1] if number is None else number]
        for candidate in (expected, {k: v for k, v in expected.items() if v not in ({}, [])}):
            try:
                return _held("".join(kept), candidate)
            except InputError:
                continue
        return self.without([*path] if number is None else [*path, number])

    def comments_lost(self, after: "TomlText") -> list[str]:
        """The comments that another text has no more."""
        return list((Counter(_comments(self.text)) - Counter(_comments(after.text))).elements())

    def _with_top(self, key: str, value: Any) -> "TomlText":
        """The text with a value before its first table."""
        if key in self.data:
            return self._changed(lambda place: place.__setitem__(key, value))
        parts = _sections(self.text)
        first, rest = parts[0][2], "".join(part for _, _, part in parts[1:])
        line = f"{_key(key)} = {_value(value)}\n"
        stem = first.rstrip("\n") + "\n" if first.strip() else ""
        return _held(stem + line + ("\n" if rest.strip() else "") + rest, {**self.data, key: value})

    def _changed(self, change: Callable[[Any], None]) -> "TomlText":
        expected, document = deepcopy(self.data), tomlkit.parse(self.text)
        change(expected)
        change(document)
        return _held(tomlkit.dumps(document), expected)


def _held(text: str, expected: Mapping[str, Any]) -> TomlText:
    """A changed text, where it says what it has to and nothing else. Raises `InputError`."""
    told = "the file is laid out so that this can't be changed here; change it by hand"
    try:
        made = TomlText(text)
    except InputError as error:
        raise InputError(told) from error
    if made.data != expected:
        raise InputError(told)
    return made


def _become(array: Array, value: Sequence[Any]) -> None:
    """Let an array hold other items; those that stay keep their place and their comments."""
    for at in range(len(array) - 1, -1, -1):
        if array[at] not in value:
            del array[at]
    for item in value:
        if item not in array:
            array.append(item)
    if list(array) != list(value):
        array.clear()
        array.extend(value)


def _sections(text: str) -> list[tuple[tuple[str, ...], bool, str]]:
    """The parts of a text, each a table with the comments right above it, and whether it is one of a list.

    The first part is what stands before the first table, under no name.
    """
    found: list[tuple[tuple[str, ...], bool, list[str]]] = [((), False, [])]
    for line in text.splitlines(keepends=True):
        if (header := _header(line)) is not None:
            above: list[str] = []
            before = found[-1][2]
            while before and before[-1].lstrip().startswith("#"):
                above.insert(0, before.pop())
            found.append((*header, above))
        found[-1][2].append(line)
    return [(path, is_list, "".join(lines)) for path, is_list, lines in found]


def _inserted(parts: Sequence[tuple[tuple[str, ...], bool, str]], at: int, lines: Sequence[str]) -> str:
    """The text of the parts with lines between two of them, set off by empty ones."""
    before, after = ("".join(part for _, _, part in some) for some in (parts[:at], parts[at:]))
    stem = before.rstrip("\n") + "\n\n" if before.strip() else ""
    return stem + "\n".join(lines) + "\n" + ("\n" if after.strip() else "") + after


def _lines_of(path: Sequence[str], content: Mapping[str, Any]) -> list[str]:
    """The lines of a table below its header, and the tables within it."""
    lines = [f"{_key(k)} = {_value(v)}" for k, v in content.items() if not isinstance(v, Mapping)]
    for name, table in content.items():
        if isinstance(table, Mapping):
            inner, below = [*path, name], _lines_of([*path, name], table)
            has_own = any(not isinstance(v, Mapping) for v in table.values()) or not table
            lines += ["", f"[{_header_of(inner)}]", *below] if has_own else below
    return lines


def _header_of(path: Sequence[str]) -> str:
    return ".".join(map(_key, path))


def _header(line: str) -> tuple[tuple[str, ...], bool] | None:
    """The names in a line that begins a table; None for another line."""
    if not line.lstrip().startswith("["):
        return None
    try:
        place: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:  # a line of a list
        return None
    path: list[str] = []
    while isinstance(place, dict) and place:
        ((name, place),) = place.items()
        path.append(name)
    return tuple(path), isinstance(place, list)


def _comments(text: str) -> Iterator[str]:
    def within(item: Any) -> Iterator[str]:
        if isinstance(item, Comment):
            yield item.trivia.comment
        elif isinstance(item, AoT):
            for table in item.body:
                yield from within(table)
        elif isinstance(item, Item) and not isinstance(item, Whitespace):
            if isinstance(item, Array):  # its own comments are no items
                yield from (f"#{tail}" for _, mark, tail in _partitions(item.as_string()) if mark)
            if item.trivia.comment:
                yield item.trivia.comment
            if isinstance(item, Table):
                for _, inner in item.value.body:
                    yield from within(inner)

    for _, item in tomlkit.parse(text).body:
        yield from within(item)


def _partitions(text: str) -> Iterator[tuple[str, str, str]]:
    return (line.partition("#") for line in text.splitlines())


def _key(name: str) -> str:
    return tomlkit.key(name).as_string()


def _value(value: Any) -> str:
    return str(tomlkit.item(value).as_string())
