"""Files of rows that people put on a page: kept in a folder of their own, each one a database."""

import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from fathom.databases.row_files.opening import forget
from fathom.databases.row_files.sources import KINDS
from fathom.errors import FathomError, InputError
from fathom.files import private_folder

FOLDER = "uploads"
"""The folder of the files, beside the store of answers."""
MOST_BYTES = 100_000_000
"""The largest file that is taken."""
MOST_FILES = 50
_LONGEST_NAME = 80


class Uploads:
    """The files of one site, by their names, which are those of the databases too."""

    def __init__(self, home: Path, cache: Path) -> None:
        self._folder, self._cache = home / FOLDER, cache

    def databases(self) -> dict[str, str]:
        """The paths of the files by their names."""
        try:
            inside = sorted(self._folder.iterdir())
        except OSError:  # nothing was ever put there
            return {}
        return {p.name: str(p) for p in inside if p.suffix in KINDS and not p.name.startswith(".")}

    def keep(self, called: str, content: BinaryIO, check: Callable[[str], object]) -> str:
        """Keep a file that somebody calls so, in place of an earlier one; gives its name.

        `check` is given the name, and tells by an error of ours that it can't be read: then all is as before.
        Raises `InputError`.
        """
        name = file_name(called)
        known = self.databases()
        if name not in known and len(known) >= MOST_FILES:
            raise InputError(f"there are {MOST_FILES} files already; remove one that isn't asked any more")
        try:
            private_folder(self._folder)
            new = self._written(content)
        except OSError as error:
            raise InputError(f"the file can't be kept: {error.strerror}") from error
        place, before = self._folder / name, self._folder / f".before-{uuid4().hex}"
        if place.exists():
            place.replace(before)
        new.replace(place)
        try:
            check(name)
        except FathomError as error:
            place.unlink(missing_ok=True)
            if before.exists():
                before.replace(place)
            raise InputError(str(error).replace(f"{self._folder}/", "")) from error
        finally:
            before.unlink(missing_ok=True)
        return name

    def _written(self, content: BinaryIO) -> Path:
        """A new file of the owner's alone with the content. Raises `InputError` for too much, `OSError`."""
        size = content.seek(0, os.SEEK_END)
        if size > MOST_BYTES:
            raise InputError(f"files of more than {MOST_BYTES // 1_000_000} MB aren't taken here")
        if shutil.disk_usage(self._folder).free < size + MOST_BYTES:
            raise InputError("the disk of this server is nearly full")
        content.seek(0)
        new = self._folder / f".new-{uuid4().hex}"
        new.touch(mode=0o600)
        try:
            with new.open("wb") as stream:
                shutil.copyfileobj(content, stream)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        return new

    def remove(self, name: str) -> None:
        """Remove a file, and the rows that were read from it."""
        place = self.databases().get(name)
        if place is not None:
            Path(place).unlink(missing_ok=True)
            with suppress(OSError):
                forget(Path(place), self._cache)


def file_name(called: str) -> str:
    """A name for a file, of what somebody calls it. Raises `InputError` where its kind isn't known."""
    bare = re.split(r"[/\\]", called)[-1]
    path = Path(bare)
    ending = path.suffix.casefold()
    if ending not in KINDS:
        raise InputError(f"{bare[:_LONGEST_NAME]!r} is no file of rows: it has to end in {', '.join(KINDS)}")
    stem = re.sub(r"[^\w-]+", "_", path.stem).strip("_-")[:_LONGEST_NAME]
    return f"{stem or 'rows'}{ending}"
