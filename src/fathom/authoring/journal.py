"""A step's file: a line of JSON for each item that went in, with what came out; safe against kills."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.errors import FathomError, InputError
from fathom.files import LineFile, whole_lines

Item = Mapping[str, Any]
"""An item of any step: its `id` and content; `by` says who or which rule made it, `reason` why, and
`rejected` why it goes no further."""


class InUse(FathomError):
    """Another process is working in the folder."""

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"Another process is writing {file}. Wait for it, or choose another folder.")


class Journal:
    """The results of a step, an entry for each item that went in: its id, and the items made of it.

    A context manager for writing. An entry is one write, so that a kill never leaves a part of one; at most
    a torn last line, which opening cuts off. Only ids are held in memory.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.done: set[str] = set()

    def add(self, done: str, items: Sequence[Item]) -> None:
        """Write what came of an item; of one that is there already nothing is written."""
        if done in self.done:
            return
        self._written.append(_encoded(done, items))
        self.done.add(done)

    def __enter__(self) -> "Journal":
        self._lock = lock(self.file)
        try:
            self.done.clear()
            self._written = LineFile(self.file, lambda n, line: self.done.add(_entry(self.file, n, line)[0]))
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._written.close()
        finally:
            self._lock.release()


def entries(file: Path, among: Container[str] | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The entries of a journal, one at a time: the id that went in, and what came out.

    Nothing where there is no file; `among` leaves out what came of other items. Raises `InputError`.
    """
    if file.exists():
        for number, line in whole_lines(file):
            done, items = _entry(file, number, line)
            if among is None or done in among:
                yield done, items


def _entry(file: Path, number: int, line: bytes) -> tuple[str, list[dict[str, Any]]]:
    try:
        found = json.loads(line)
        items = found["items"]
        if all(isinstance(item["id"], str) for item in items):
            return str(found["id"]), items
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError("is not an entry; repair or delete the line", file=file, line=number)


def rewrite(file: Path, made: Iterable[tuple[str, Sequence[Item]]]) -> None:
    """Write a journal anew, whole or not at all. Raises `InUse`."""
    partial = file.with_name(f".{file.name}.partial")
    with lock(file):
        try:
            with partial.open("wb") as stream:
                stream.writelines(_encoded(done, items) for done, items in made)
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)


def _encoded(done: str, items: Sequence[Item]) -> bytes:
    line = json.dumps({"id": done, "items": items}, ensure_ascii=False, default=str)
    return line.encode("utf-8", "replace") + b"\n"


def lock(file: Path) -> FileLock:
    """A lock on a file, taken; its folder is made. Raises `InUse` where another process holds it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    found = FileLock(file.with_name(f".{file.name}.lock"), timeout=0)
    try:
        found.acquire()
    except Timeout:
        raise InUse(file) from None
    return found


def rejected(item: Item, reason: str) -> dict[str, Any]:
    """The item with the reason why it goes no further."""
    return {**item, "rejected": reason}
