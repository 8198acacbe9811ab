"""A step's file: one line of JSON for each item, kept or rejected with its reason; safe against kills."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from fathom.errors import FathomError, InputError

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
        found._load()
        return found

    def _load(self) -> int:
        """Read the whole lines; their bytes."""
        if not self.file.exists():
            return 0
        size = 0
        with self.file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    item = json.loads(line)
                    self.items[str(item["id"])] = item
                except (ValueError, KeyError, TypeError):
                    raise InputError(
                        "is not an item; repair or delete the line", file=self.file, line=number
                    ) from None
                size += len(line)
        return size

    @property
    def kept(self) -> Iterator[Item]:
        """The items that go on to the next step."""
        return (item for item in self.items.values() if not item.get("rejected"))

    def add(self, item: Item) -> None:
        """Keep one item more; one whose id is there already isn't added."""
        if item["id"] in self.items:
            return
        line = json.dumps(item, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        os.write(self._handle, line)
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
            size = self._load()
            self._handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(self._handle, size)
            os.lseek(self._handle, size, os.SEEK_SET)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._handle)
        os.close(self._handle)
        self._lock.release()


def rejected(item: Item, reason: str) -> dict[str, Any]:
    """The item with the reason why it goes no further."""
    return {**item, "rejected": reason}
