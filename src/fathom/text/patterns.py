"""Regular expressions that are compiled when they are first used, so that an import costs nothing."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any


class Pattern:
    """A regular expression with the methods of `re.Pattern` that are used; bad ones fail at first use."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled once."""
        return re.compile(self._source, self._flags)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first match from a character on."""
        return self.compiled.search(text, start)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at a character."""
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self.compiled.finditer(text)

    def findall(self, text: str) -> list[Any]:
        """Give the text of all matches, or a tuple of their groups."""
        return self.compiled.findall(text)

    def split(self, text: str) -> list[str]:
        """The pieces between the matches."""
        return self.compiled.split(text)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with matches exchanged."""
        return self.compiled.sub(by, text, count)

    def subn(self, by: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> tuple[str, int]:
        """The text with matches exchanged, and how many these were."""
        return self.compiled.subn(by, text, count)
