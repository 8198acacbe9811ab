"""The settings and the rights of a running server, read anew whenever their files have changed."""

import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from fathom.config import Settings, read_settings
from fathom.errors import ConfigError, FathomError
from fathom.interfaces.web.site import Site
from fathom.rights import Rights, read_rights

_NONE_LEFT = "The settings name no file of rights any more."
log = logging.getLogger("fathom.web")
T = TypeVar("T")


class FollowedFile(Generic[T]):
    """The content of a file as a running server uses it. Safe to use from several threads.

    Where the file can't be read, or what it says can't be used, what it said before goes on being used, and
    `problem` tells why.
    """

    def __init__(self, file: Path, read: Callable[[], T]) -> None:
        """Follow a file that `read` reads; raises what it raises the first time."""
        self.file, self.problem = file, ""
        self._read, self._lock = read, Lock()
        self._mark = _mark(file)
        self.content = read()

    @property
    def has_changed(self) -> bool:
        """True if there is something to read; asking takes one look at the folder."""
        return _mark(self.file) != self._mark

    def renew(self) -> bool:
        """Read the file where it has changed, and give back True if what it says is used from here on."""
        with self._lock:
            mark = _mark(self.file)  # before reading: a change meanwhile is seen the next time
            if mark == self._mark:
                return False
            self._mark = mark
            try:
                if mark is None:
                    raise ConfigError("it isn't there any more")
                self.content = self._read()
            except FathomError as error:
                self.problem = str(error)
                log.warning("%s has changed and can't be used; it goes on as before: %s", self.file, error)
                return False
            self.problem = ""
            return True


def _mark(file: Path) -> tuple[int, ...] | None:
    """Tell one state of a file from another; None where there is no file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class Following:
    """The settings and the rights as they are by now, for a server that goes on running.

    `named_rights` is the file of rights that the server was started with; without it the settings name one,
    or there are no users.
    """

    def __init__(self, site: Site, named_rights: Path | None) -> None:
        """Follow the files of a site. Raises `ConfigError`, `InputErrors`."""
        self._site, self._named = site, named_rights
        self.settings = FollowedFile(site.settings.file, self._read)
        self.rights_file = self._followed(None)

    @property
    def rights(self) -> Rights | None:
        """Who may see what; None where no file of rights is named, and all who are let in see all."""
        return None if self.rights_file is None else self.rights_file.content

    @property
    def has_changed(self) -> bool:
        """True if a file has changed since it was read."""
        return any(one is not None and one.has_changed for one in (self.settings, self.rights_file))

    def renew(self) -> set[str] | None:
        """Use what has changed; gives back the names of databases that were closed for it.

        None where nothing has changed that can be used.
        """
        closed = self._site.renew(self.settings.content) if self.settings.renew() else None
        if closed is not None:
            try:
                self.rights_file = self._followed(self.rights_file)
            except FathomError as error:
                self.settings.problem = str(error)
                log.warning("The rights that the settings name can't be used; those before hold: %s", error)
        if self.rights_file is not None and self.rights_file.renew():
            return closed or set()
        return closed

    def _read(self) -> Settings:
        return read_settings({**os.environ, "FATHOM_CONFIG": str(self._site.settings.file)})

    def _followed(self, known: FollowedFile[Rights] | None) -> FollowedFile[Rights] | None:
        """The file of rights that is named by now, read where it is another one than is known.

        Raises `ConfigError` where none is any more: a line that is lost must not show all to everybody.
        """
        file = self._named or self.settings.content.rights
        if file is None and known is not None:
            raise ConfigError(f"{_NONE_LEFT} Start the server anew to serve without rights.")
        if file is None or (known is not None and known.file == file):
            return known
        return FollowedFile(file, partial(read_rights, file))
