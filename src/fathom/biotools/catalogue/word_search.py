"""Find endpoints by words, for people who browse the catalogue."""

import re
from collections import Counter
from functools import cache, lru_cache
from math import log

from fathom.biotools.catalogue.endpoints import Endpoint, endpoints
from fathom.text import stem_of

_WORD = re.compile(r"[a-z0-9]+")
_NAMED, _TOOL, _TOLD = 3.0, 2.0, 1.0


def stems(text: str) -> list[str]:
    """The stems of a text's words, in order; British and American spellings have the same ones."""
    return [_stem(word) for word in _WORD.findall(text.lower())]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    for written, folded in _SPELLINGS:
        word = written.sub(folded, word)
    return stem_of(word)


_SPELLINGS = tuple(
    (re.compile(written), folded)
    for written, folded in (
        (r"logue(s?)$", r"log\1"),
        (r"(?<=\w{4})is(e[sd]?|ing|ation)$", r"iz\1"),
        (r"(?<=analy)s(e[sd]?|ing)$", r"z\1"),
        (r"(?<=[lmnb])our(s?)$", r"or\1"),
        (r"(?<=\w)ae(?=\w)", "e"),
    )
)


@cache
def _weights() -> dict[str, Counter[str]]:
    """For each endpoint the weight of each stem: its name says most, then its tool, then its summary."""
    found: dict[str, Counter[str]] = {}
    for endpoint in endpoints().values():
        weights: Counter[str] = Counter()
        for text, weight in ((endpoint.name, _NAMED), (endpoint.tool, _TOOL), (endpoint.summary, _TOLD)):
            for stem in set(stems(text)):
                weights[stem] += weight  # type: ignore[assignment]
        found[endpoint.name] = weights
    return found


def search(words: str, *, most: int = 20) -> list[Endpoint]:
    """Endpoints that the words fit, best first; rare words count more. Empty when no word fits any."""
    asked = set(stems(words))
    spread = Counter(stem for weights in _weights().values() for stem in weights)
    scores = {
        name: sum(weights[stem] * log(1 + len(_weights()) / spread[stem]) for stem in asked & weights.keys())
        for name, weights in _weights().items()
    }
    ranked = sorted((name for name, score in scores.items() if score > 0), key=lambda n: (-scores[n], n))
    return [endpoints()[name] for name in ranked[:most]]
