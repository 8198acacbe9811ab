"""A step's file: one line of JSON for each item, kept or rejected with its reason; safe against kills."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fathom.errors import FathomError, InputError
from fathom.files import LineFile, whole_lines

Item = Mapping[str, Any]
"""An item of any step: its `id` and content; `rejected` says why it goes no further."""


class InUse(FathomError):
    """Another process is working in the folder."""

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"Another process is writing {file}. Wait for it, or choose another folder.")


class Journal:
    """Items by id, in the order of their writing. A context manager while it is written to.

    A line is one write; a kill leaves at most a torn last line, which opening cuts off.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.items: dict[str, Item] = {}

    @classmethod
    def read(cls, file: Path) -> "Journal":
        """What a file holds, for reading alone; nothing where there is no file. Raises `InputError`."""
        found = cls(file)
        if file.exists():
            for number, line in whole_lines(file):
                found._seen(number, line)
        return found

    def _seen(self, number: int, line: bytes) -> None:
        try:
            item = json.loads(line)
            self.items[str(item["id"])] = item
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "is not an item; repair or delete the line", file=self.file, line=number
            ) from None

    @property
    def kept(self) -> Iterator[Item]:
        """The items that go on to the next step."""
        return (item for item in self.items.values() if not item.get("rejected"))

    def add(self, item: Item) -> None:
        """Keep one item more; one whose id is there already isn't added."""
        if item["id"] in self.items:
            return
        line = json.dumps(item, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        self._written.append(line)
        self.items[str(item["id"])] = item

    def __enter__(self) -> "Journal":
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.file.with_name(f".{self.file.name}.lock"), timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise InUse(self.file) from None
        try:
            self.items.clear()
            self._written = LineFile(self.file, self._seen)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._written.close()
        finally:
            self._lock.release()


def rejected(item: Item, reason: str) -> dict[str, Any]:
    """The item with the reason why it goes no further."""
    return {**item, "rejected": reason}
