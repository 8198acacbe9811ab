"""The file of the log: one JSON object a line, each with the hash of the line before."""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from fathom.answering.audit_log.entries import LogEntry
from fathom.answering.audit_log.log_end import BEGIN, LogEnd, end_file, read_end, write_end
from fathom.errors import ConfigError, InputError
from fathom.files import private_folder, write_whole

_PURGED = "purged"
_TAIL = 1 << 16
"""Bytes read at the end to find the last line; a longer one is looked for in the whole file."""
_WAIT = 10.0
"""Seconds to wait for another process that writes, which takes it a millisecond."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a log that doesn't fit: the line, counted from 1, or None for the log as a whole."""

    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of checking each line's hash against the line before, and the end against what was noted.

    `problems` is empty where the chain is whole. `last` is the hash that the log ends with; `held` is the
    line with the hash that was asked for, counted from 1, 0 for one that the log ended with when all of it
    was purged, and None where no line has it. `purged` are the lines that were purged, by what the log says.
    `end_noted` is False where no end is noted beside the log, as for those of older versions.
    """

    lines: int
    last: str
    problems: tuple[Problem, ...] = ()
    held: int | None = None
    purged: int = 0
    end_noted: bool = True


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
        last, torn = self._last_hash()
        end = self._followed(last)
        if torn:
            _LOG.warning(
                "The last line of the audit log %s was never finished. The log goes on behind it.", self.path
            )
        line = _line(content, end.hash)
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as stream:
            # A line that a killed process began is ended, so that it harms no other line; `verify` tells of
            # it.
            stream.write(b"\n" + line if torn else line)
        write_end(self.path, replace(end, lines=end.lines + 1, hash=_own_hash(line)))

    def _followed(self, last: str) -> LogEnd:
        """The end that the next line follows, where the last line in the file has this hash.

        Where lines are missing at the end, it is the one that was noted, so that `verify` finds the gap for
        ever.
        """
        try:
            noted = read_end(self.path)
        except InputError as broken:
            _LOG.warning("%s It is written anew.", broken)
            noted = None
        if noted is None:  # a new log, or one of an older version
            lines = list(self._readable())
            purged = _purged_in(lines)
            written = len(lines) - bool(lines and _PURGED in lines[0]) + purged
            end = LogEnd(written, last, purged, purged)
            # Before the line, so that a disk without room for it takes neither.
            write_end(self.path, end)
            return end
        if last == noted.hash:
            return noted
        # A process may have been killed after its line, before it noted the new end.
        hashes = [_followed_hash(content) for content in self._readable()]
        if noted.hash in hashes:
            return replace(noted, lines=noted.lines + len(hashes) - 1 - hashes.index(noted.hash), hash=last)
        if noted.hash == BEGIN:
            return replace(noted, lines=len(hashes), hash=last)
        _LOG.warning(
            "Lines are missing at the end of the audit log %s. Run `fathom audit-log verify`.", self.path
        )
        return noted

    def _last_hash(self) -> tuple[str, bool]:
        """The hash that the file ends with, and whether the last line was never finished."""
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
            if (content := _content(line)) is not None:
                return _followed_hash(content), torn
        return BEGIN, torn

    def lines(self, torn: Callable[[int], object] | None = None) -> Iterator[dict[str, Any]]:
        """Each line as JSON values, the oldest first, with `before` and `hash`.

        `torn` is called with the numbers of lines that can't be read; without it they are an error, as they
        are where no line can be read. Raises `InputError`.
        """
        unread = read = 0
        for number, line in self._raw():
            content = _content(line)
            if content is not None:
                read += 1
                yield content
                continue
            unread = unread or number
            if torn is None:
                break
            torn(number)
        if unread and (torn is None or not (read or end_file(self.path).is_file())):
            raise InputError("is no line of an audit log", file=self.path, line=unread)

    def entries(self, torn: Callable[[int], object] | None = None) -> Iterator[LogEntry]:
        """Each entry, the oldest first; `torn` as in `lines`. Raises `InputError`."""
        for content in self.lines(torn):
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

    def _readable(self) -> Iterator[dict[str, Any]]:
        return (content for _, line in self._raw() if (content := _content(line)) is not None)

    def was_begun(self) -> bool:
        """Tell whether the log is there, or was: the file itself, or the end that is noted beside it."""
        beside = end_file(self.path)
        return self.path.is_file() or (beside.is_file() and beside.stat().st_size > 0)

    def verify(self, holds: str = "") -> Verified:
        """Check each line against its own hash and the line before, and the end against what was noted.

        `holds` is a hash of a line to look for.
        """
        problems: list[Problem] = []
        try:
            # Before the lines: another process may add some meanwhile.
            noted = read_end(self.path)
        except InputError as broken:
            noted = None
            problems.append(Problem(None, str(broken)))
        before, number, hashes, purged = BEGIN, 0, list[str](), 0
        unknown = False  # the hash before, after a line that can't be read
        for number, line in self._raw():
            content = _content(line)
            if content is None:
                problems.append(Problem(number, _unread(line)))
                unknown = True
                continue
            starts_purged = number == 1 and _PURGED in content
            if starts_purged:
                purged = _purged_in([content])
            elif content["before"] != before and not unknown:
                problems.append(Problem(number, "lines before it are missing, or were changed"))
            if _line(content, content["before"]) != line:
                problems.append(Problem(number, "it was changed"))
            unknown = False
            before = _followed_hash(content)
            hashes.append(before)
        if noted is not None:
            problems.extend(_end_problems(noted, hashes, purged, there=self.path.is_file()))
        held = hashes.index(holds) + 1 if holds in hashes else None
        if held == 1 and purged:
            held = 0
        return Verified(number, before, tuple(problems), held, purged, noted is not None)

    def purge(self, before: datetime) -> int:
        """Take away the first lines, those from before a time, and say so in their place; how many they were.

        Raises `InputError` for a log whose chain is broken: purging would hide that.
        """
        with self._locked():
            if problems := self.verify().problems:
                reason = problems[0].text
                raise InputError(f"the chain is broken ({reason}), so nothing was purged", file=self.path)
            lines = list(self.lines())
            last = _followed_hash(lines[-1]) if lines else BEGIN
            earlier = [lines.pop(0)] if lines and _PURGED in lines[0] else []
            at = next((i for i, content in enumerate(lines) if _time(content) >= before), len(lines))
            gone, kept = lines[:at], lines[at:]
            if not gone:
                return 0
            before_this = _purged_in(earlier)
            many = len(gone) + before_this
            end = LogEnd(before_this + len(lines), last, before_this, many)
            write_end(self.path, end)
            first = {_PURGED: many, "until": before.astimezone(UTC).isoformat()}
            left = [_line(content, content["before"]) for content in kept]
            write_whole(self.path, b"".join([_line(first, gone[-1]["hash"]), *left]), sync=True)
            write_end(self.path, replace(end, purged=many))
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


def _own_hash(line: bytes) -> str:
    return str(json.loads(line)["hash"])


def _followed_hash(content: dict[str, Any]) -> str:
    """The hash that a line after this one follows: after a purge, that of the last line that is gone."""
    return str(content["before" if _PURGED in content else "hash"])


def _purged_in(lines: list[dict[str, Any]]) -> int:
    """How many lines were purged, by the first line that is left."""
    many = lines[0].get(_PURGED, 0) if lines else 0
    return many if type(many) is int else 0


def _unread(line: bytes) -> str:
    if not line.endswith(b"\n"):
        return "it was never finished, as on a full disk, or was cut"
    return "it is no line of an audit log: it was never finished, or was changed"


def _end_problems(end: LogEnd, hashes: list[str], purged: int, *, there: bool) -> Iterator[Problem]:
    """Find where the lines of a log differ from the end that was noted when it was last written."""
    if hashes and purged not in (end.purged, end.purging):
        yield Problem(1, f"by this line {purged:,} lines were purged, but `purge` took {end.purged:,}")
    if end.hash in (BEGIN, *hashes):
        return
    left = end.lines - end.purged
    many = f"it had {left:,} line{'' if left == 1 else 's'}, ending with {end.hash}"
    if not there:
        yield Problem(None, f"the log was removed: {many}")
    elif not hashes:
        yield Problem(None, f"the log was emptied: {many}")
    else:
        yield Problem(None, f"it doesn't end as it was left: {many}")


def _time(content: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(LogEntry.read(content).time)
