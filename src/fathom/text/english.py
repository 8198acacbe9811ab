"""The closed word lists of English that every part shares, from `english.toml`."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple


class ByNeighbours(NamedTuple):
    """An abbreviation that means `otherwise` beside one of some words, and `usually` elsewhere."""

    usually: tuple[str, ...]
    otherwise: tuple[str, ...]
    beside: frozenset[str]


def _read() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))


def _phrases(table: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {short: tuple(full.split()) for short, full in table.items()}


_LISTS = _read()

STOP_WORDS = frozenset(_LISTS["stop"]["words"].split())
"""Words that carry grammar rather than content."""
CONTRACTED = frozenset(_LISTS["stop"]["endings"].split())
"""The endings that an apostrophe leaves of such a word: the s of "it's"."""
LEMMAS: Mapping[str, str] = _LISTS["irregular"]
"""Forms that no suffix rule brings to their lemma: nouns, verbs and adjectives."""
PLURALS: Mapping[str, str] = {
    **{LEMMAS[many]: many for many in _LISTS["nouns"]["plurals"].split()},
    **{one: f"{one}s" for one in _LISTS["nouns"]["ending_in_ie"].split()},
}
"""Plurals of nouns, by the singular, that the endings alone don't tell."""
SAME_IN_PLURAL = frozenset(_LISTS["nouns"]["same"].split())
ABBREVIATIONS = _phrases(_LISTS["abbreviations"])
"""Shortened words of identifiers, none of which is a word of its own."""
SHORT_WORDS = _phrases(_LISTS["short_words"])
"""Words that may stand for longer ones in an identifier, and are words themselves."""
BY_NEIGHBOURS: Mapping[str, ByNeighbours] = {
    short: ByNeighbours(
        tuple(of["usually"].split()), tuple(of["otherwise"].split()), frozenset(of["beside"].split())
    )
    for short, of in _LISTS["by_neighbours"].items()
}
