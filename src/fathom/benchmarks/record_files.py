"""Reading other people's files as streams of records; what is wrong is told by file, line and field."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.errors import InputError

_CHUNK = 1 << 20
_BLANK = " \t\r\n"
csv.field_size_limit(1 << 30)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file and the line it begins on (1-based)."""

    file: Path
    line: int
    content: Mapping[str, Any]

    def wrong(self, problem: str, field: str) -> InputError:
        """The error to raise about one field of this record."""
        return InputError(problem, file=self.file, line=self.line, field=field)

    def text(self, *names: str) -> str:
        """The text in the first of these fields that is there. Raises `InputError` where none is."""
        for name in names:
            value = self.content.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
            if value is not None and not isinstance(value, str):
                raise self.wrong(f"must be text, not {_kind(value)}", name)
        raise self.wrong("is missing or empty", names[0])

    def optional(self, *names: str) -> str:
        """The text in the first of these fields that is there, or the empty text; numbers become text."""
        for name in names:
            value = self.content.get(name)
            if isinstance(value, str):
                return value.strip()
            if isinstance(value, (int, float)):
                return str(value)
            if value is not None:
                raise self.wrong(f"must be text, not {_kind(value)}", name)
        return ""

    def texts(self, name: str, *, required: bool = False) -> tuple[str, ...]:
        """The texts of a list; a single text counts as a list of one."""
        value = self.content.get(name)
        if value is None and not required:
            return ()
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            what = "is missing" if value is None else f"must be a list of texts, not {_kind(value)}"
            raise self.wrong(what, name)
        return tuple(value)


def json_records(file: Path) -> Iterator[Record]:
    """The objects of a JSON array, decoded one by one. Raises `InputError` with file and line."""
    decode = json.JSONDecoder().raw_decode
    with _open(file) as stream:
        buffer, line = _fill(stream, file), 1
        at = _skip(buffer, 0)
        if buffer[at : at + 1] != "[":
            raise InputError("is not a JSON array of objects", file=file, line=1)
        line, at, ended = line + buffer.count("\n", 0, at), at + 1, False
        while True:
            start = _skip(buffer, at, ",")
            if buffer[start : start + 1] == "]":
                return
            try:
                item, end = decode(buffer, start)
            except ValueError as error:
                more = "" if ended else _fill(stream, file)
                if more:
                    line += buffer.count("\n", 0, at)
                    buffer, at = buffer[at:] + more, 0
                    continue
                position = getattr(error, "pos", start)
                where = line + buffer.count("\n", 0, position)
                raise InputError(
                    f"is not valid JSON: {getattr(error, 'msg', error)}", file=file, line=where
                ) from None
            line += buffer.count("\n", at, start)
            if not isinstance(item, dict):
                raise InputError(f"holds {_kind(item)} where an object should be", file=file, line=line)
            yield Record(file, line, item)
            line, at = line + buffer.count("\n", start, end), end


def records(file: Path) -> Iterator[Record]:
    """The objects of a JSONL file by its ending, else of a JSON array. Raises `InputError`, as both do."""
    return json_lines(file) if file.suffix in {".jsonl", ".ndjson"} else json_records(file)


def json_lines(file: Path) -> Iterator[Record]:
    """The objects of a JSONL file, blank lines skipped. Raises `InputError` with file and line."""
    with _open(file) as stream:
        for number, text in enumerate(_decoded(stream, file), start=1):
            if text.strip():
                yield Record(file, number, json_object(text, file, number))


def json_object(text: str, file: Path, line: int) -> dict[str, Any]:
    """The JSON object of one line. Raises `InputError` where it is anything else."""
    try:
        item = json.loads(text)
    except ValueError as error:
        raise InputError(f"is not valid JSON: {error}", file=file, line=line) from None
    if not isinstance(item, dict):
        raise InputError(f"holds {_kind(item)} where an object should be", file=file, line=line)
    return item


def csv_records(file: Path, required: Sequence[str]) -> Iterator[Record]:
    """The rows of a CSV file with a header. Raises `InputError` where a required column is missing."""
    with _open(file, newline="") as stream:
        rows = csv.DictReader(_decoded(stream, file))
        try:
            header = rows.fieldnames or ()
            if missing := [name for name in required if name not in header]:
                raise InputError(
                    f"has no such column; there is: {', '.join(header) or 'nothing'}",
                    file=file, line=1, field=missing[0],
                )  # fmt: skip
            line = rows.line_num + 1
            for row in rows:
                if None in row:
                    raise InputError("has more values than the header has columns", file=file, line=line)
                yield Record(file, line, row)
                line = rows.line_num + 1
        except csv.Error as error:
            raise InputError(f"is not valid CSV: {error}", file=file, line=rows.line_num) from None


def text_lines(file: Path) -> Iterator[str]:
    """The lines of a text file without their ends. Raises `InputError` where it is not UTF-8."""
    with _open(file) as stream:
        for line in _decoded(stream, file):
            yield line.rstrip("\r\n")


def _open(file: Path, newline: str | None = "\n") -> Any:
    try:
        return file.open(encoding="utf-8-sig", newline=newline)
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}", file=file) from None


def _decoded(stream: Any, file: Path) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(stream, start=1):  # noqa: B007 - told in the error
            yield line
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8: {error.reason}", file=file, line=number + 1) from None


def _fill(stream: Any, file: Path) -> str:
    try:
        return str(stream.read(_CHUNK))
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8: {error.reason}", file=file) from None


def _skip(text: str, at: int, also: str = "") -> int:
    skipped = _BLANK + also
    while at < len(text) and text[at] in skipped:
        at += 1
    return at


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number"}
    return names.get(type(value), "null" if value is None else "a number")
