"""English words: which there are, which are common, and which are one slip of a finger away."""

import gzip
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources

from rapidfuzz.distance import OSA

SHORTEST = 4
"""Letters of the shortest word that is looked at: shorter ones have too many neighbours to guess among."""


def is_english(word: str) -> bool:
    """True for an English word in small letters. The first call takes 0.1 s."""
    return word in _all_words()


@cache
def common_words() -> tuple[str, ...]:
    """The commonest English words, without those that hold an apostrophe, the commonest first."""
    return tuple(_text().partition("\n\n")[0].split())


def one_slip_away(word: str, words: Iterable[str]) -> list[str]:
    """Those of some words that differ by one letter: wrong, missing, too many, or two of them swapped."""
    length = len(word)
    near = (w for w in words if abs(len(w) - length) <= 1)
    return [w for w in near if OSA.distance(word, w, score_cutoff=1) == 1]


def likeliest(word: str, near: Collection[str]) -> str | None:
    """The word that a misspelt one is meant to be, of those one slip away; None where it may be several.

    Where letters were swapped or typed twice, all letters are there: that is likelier than another word's.
    """
    kept = [w for w in near if sorted(w) == sorted(word) or set(w) == set(word)]
    chosen = kept if len(kept) == 1 else near
    return next(iter(chosen)) if len(chosen) == 1 else None


@cache
def _all_words() -> frozenset[str]:
    return frozenset(_text().split())


def _text() -> str:
    """The words as `training/english_words.py` writes them: the commonest first, then the others."""
    return gzip.decompress(
        resources.files(__package__).joinpath("english_words.txt.gz").read_bytes()
    ).decode()
