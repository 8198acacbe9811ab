"""Words that say how something is asked, and name nothing that is asked for."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from fathom.offline.linking.text import stem


def names_something(word: str) -> bool:
    """True if a word asks for something, so that an answer without it is one to another question."""
    return _stem(word) not in _stems()["words"]


def restricts_ahead(word: str) -> bool:
    """True if a word leaves rows out where it stands ahead of a noun: "old" of customers, but not "show"."""
    return _stem(word) in _stems()["restricting"] or names_something(word)


def _stem(word: str) -> str:
    return stem(word.casefold().removesuffix("'s"))


@cache
def _stems() -> Mapping[str, frozenset[str]]:
    file = resources.files("fathom.offline") / "light_words.toml"
    lists = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: frozenset(map(stem, words.split())) for name, words in lists.items()}
