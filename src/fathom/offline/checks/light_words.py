"""Words that say how something is asked, and name nothing that is asked for."""

from functools import cache
from importlib import resources

from fathom.offline.linking.text import stem


def names_something(word: str) -> bool:
    """True if a word asks for something, so that an answer without it is one to another question."""
    return stem(word.casefold().removesuffix("'s")) not in _stems()


@cache
def _stems() -> frozenset[str]:
    file = resources.files("fathom.offline") / "light_words.txt"
    return frozenset(stem(w) for w in file.read_text(encoding="utf-8").split())
