"""English words: which there are, which are common, and which are one slip of a finger away."""

import gzip
import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import resources

from rapidfuzz.distance import OSA

SHORTEST = 4
"""Letters of the shortest word that is looked at: shorter ones have too many neighbours to guess among."""
_COMMON = 10_000
"""The commonest words are what a misspelt one is taken for. Of 185 misspelt words of our own questions 110
had one such neighbour and 39 several; with 20,000 words 116 had one and 53 several."""


def is_english(word: str) -> bool:
    """True for an English word in small letters. The first call takes 0.1 s."""
    return word in _frequencies()


@cache
def common_words() -> tuple[str, ...]:
    """The commonest English words, without those that hold an apostrophe, the commonest first."""
    known = _frequencies()
    ordered = sorted(known, key=lambda w: (-known[w], w))[:_COMMON]
    return tuple(w for w in ordered if w.isalpha())


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
def _frequencies() -> Mapping[str, int]:
    # The dictionary of `spellchecker` alone: its checker takes a second to start.
    file = resources.files("spellchecker").joinpath("resources", "en.json.gz")
    found: dict[str, int] = json.loads(gzip.decompress(file.read_bytes()))
    return found
