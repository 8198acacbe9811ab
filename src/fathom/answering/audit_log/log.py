"""The file of the log: one JSON object a line, each with the hash of the line before."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from fathom.answering.audit_log.entries import LogEntry
from fathom.errors import ConfigError, InputError
from fathom.files import private_folder, written_whole

BEGIN = "0" * 64
"""The hash that stands before the first line."""
_PURGED = "purged"
_TAIL = 1 << 16
"""Bytes read at the end to find the last line; a longer one is looked for in the whole file."""
_WAIT = 10.0
"""Seconds to wait for another process that writes, which takes it a millisecond."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of checking each line's hash against the line before: `problem` is empty where the chain is
    whole.

    `line` is the first that doesn't fit, counted from 1; `last` the hash that the log ends with. Who keeps
    that hash elsewhere sees from it also whether lines were cut off at the end.
    """

    lines: int
    last: str
    line: int | None = None
    problem: str = ""


class AuditLog:
    """The log in one file, which its owner alone may read. Several processes may write to it at once.

    It is never changed but at its end; `purge` alone takes lines away, all those before a time, and leaves a
    line that says so. Raises `ConfigError` where the file can't be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, entry: LogEntry) -> None:
        """Add a line, and return once the system has it."""
        try:
            with self._locked():
                self._add(entry.as_json())
        except OSError as error:
            raise ConfigError(
                f"The audit log in {self.path} can't be written: {error}. Nothing is answered without it."
            ) from error

    def _locked(self) -> FileLock:
        private_folder(self.path.parent)
        return FileLock(f"{self.path}.lock", timeout=_WAIT, mode=0o600)

    def _add(self, content: dict[str, Any]) -> None:
        last, torn = self._end()
        line = _line(content, last)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as stream:
            # A line that a killed process began is ended, so that it harms no other line; `verify` tells of
            # it.
            stream.write(b"\n" + line if torn else line)

    def _end(self) -> tuple[str, bool]:
        """The hash that the next line follows, and whether the last line was never finished."""
        if not self.path.is_file() or not (size := self.path.stat().st_size):
            return BEGIN, False
        with self.path.open("rb") as stream:
            stream.seek(max(0, size - _TAIL))
            tail = stream.read()
            if b"\n" not in tail[:-1] and size > _TAIL:
                stream.seek(0)
                tail = stream.read()
        lines = tail.splitlines()
        torn = not tail.endswith(b"\n")
        for line in reversed(lines[:-1] if torn else lines):
            if (found := _hash_in(line)) is not None:
                return found, torn
        return BEGIN, torn

    def lines(self) -> Iterator[dict[str, Any]]:
        """Each line as JSON values, the oldest first, with `before` and `hash`. Raises `InputError`."""
        for number, line in self._raw():
            content = _content(line)
            if content is None:
                raise InputError("is no line of an audit log", file=self.path, line=number)
            yield content

    def entries(self) -> Iterator[LogEntry]:
        """Each entry, the oldest first. Raises `InputError`."""
        for content in self.lines():
            if _PURGED not in content:
                yield LogEntry.read(content)

    def _raw(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self.path.open("rb") as stream:
                yield from enumerate(stream, 1)
        except FileNotFoundError:
            return
        except OSError as error:
            raise InputError(f"can't be read: {error.strerror}", file=self.path) from error

    def verify(self) -> Verified:
        """Hold each line against its own hash and that of the line before."""
        before, count = "", 0
        for number, line in self._raw():
            count = number
            content = _content(line)
            if content is None:
                return Verified(number, before, number, "it is no line of an audit log")
            purged = number == 1 and _PURGED in content
            if not purged and content["before"] != (before or BEGIN):
                return Verified(number, before, number, "lines before it are missing, or were changed")
            if _line(content, content["before"]) != line:
                return Verified(number, before, number, "it was changed")
            # After a purge the next line follows the last one that is gone: the log ends with the hash it
            # had.
            before = content["before"] if purged else content["hash"]
        return Verified(count, before or BEGIN)

    def purge(self, before: datetime) -> int:
        """Take away the first lines, those from before a time, and say so in their place; how many they were.

        Raises `InputError` for a log whose chain is broken: purging would hide that.
        """
        with self._locked():
            if problem := self.verify().problem:
                raise InputError(f"the chain is broken ({problem}), so nothing was purged", file=self.path)
            lines = list(self.lines())
            earlier = [lines.pop(0)] if lines and _PURGED in lines[0] else []
            at = next((i for i, content in enumerate(lines) if _time(content) >= before), len(lines))
            gone, kept = lines[:at], lines[at:]
            if not gone:
                return 0
            many = len(gone) + sum(content[_PURGED] for content in earlier)
            first = {_PURGED: many, "until": before.astimezone(UTC).isoformat()}
            with written_whole(self.path) as stream:
                stream.write(_line(first, gone[-1]["hash"]).decode())
                stream.writelines(_line(content, content["before"]).decode() for content in kept)
            return len(gone)


def _line(content: dict[str, Any], before: str) -> bytes:
    """A line of the file: the content, the hash it follows, and its own."""
    plain = {k: v for k, v in content.items() if k not in ("before", "hash")} | {"before": before}
    own = hashlib.sha256(_text(plain).encode()).hexdigest()
    return _text(plain | {"hash": own}).encode() + b"\n"


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=True, separators=(",", ":"))


def _content(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(found, dict) and all(isinstance(found.get(k), str) for k in ("before", "hash"))
    return found if whole else None


def _hash_in(line: bytes) -> str | None:
    """The hash that a line after this one follows."""
    found = _content(line)
    return None if found is None else found["before" if _PURGED in found else "hash"]


def _time(content: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(LogEntry.read(content).time)
