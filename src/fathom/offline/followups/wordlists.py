"""The English of follow-ups, from `words.toml`."""

import tomllib
from importlib import resources
from typing import Any

Phrase = tuple[str, ...]


def _read() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


_LISTS = _read()


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _phrases(listed: list[str]) -> tuple[Phrase, ...]:
    """Phrases as tuples of words, the longest first."""
    return tuple(sorted((tuple(p.split()) for p in listed), key=lambda p: (-len(p), p)))


SILENT = _words("silent")
"""Words that say nothing of their own in a follow-up."""
OPENINGS = _phrases(_LISTS["openings"])
"""The words that a text begins with that goes on from an answer."""
MAY_STAND_ALONE = frozenset(_phrases(_LISTS["may_stand_alone"]))
"""Openings with which a whole question may begin as well."""
POINTING = _words("pointing")
POINTING_WITHIN = _words("pointing_within")
"""Those that may point to something within a question as well: "customers with their emails"."""
ASKING, MARKS = _words("asking"), _words("marks")
"""Words of whole questions, and words that mark what goes on from an answer."""
BARE_COUNTS = frozenset(_phrases(_LISTS["bare_counts"]))
INSTEAD, NARROWING, UNITS = _words("instead"), _words("narrowing"), _words("units")
REMOVING, EXCLUDING = _phrases(_LISTS["removing"]), _phrases(_LISTS["excluding"])
WIDENING, LIFTING = _phrases(_LISTS["widening"]), _phrases(_LISTS["lifting"])
GROUPING, SORTING = _phrases(_LISTS["grouping"]), _phrases(_LISTS["sorting"])
FALLING, RISING, REVERSING = (_phrases(_LISTS[n]) for n in ("falling", "rising", "reversing"))
ALPHABETICAL, COUNTING = _phrases(_LISTS["alphabetical"]), _phrases(_LISTS["counting"])
HIGH, LOW, LATEST, EARLIEST = (_words(n) for n in ("high", "low", "latest", "earliest"))
SECOND: dict[str, int] = _LISTS["second"]
"""How many rows come before the one that an ordinal names."""
PLAIN_COMPARATIVES = _words("plain_comparatives")
FUNCTIONS = {name: frozenset(words.split()) for name, words in _LISTS["functions"].items()}
"""The words for each aggregate function."""
BEFORE, AFTER = _phrases(_LISTS["periods"]["before"]), _phrases(_LISTS["periods"]["after"])
"""The words that name the year or month before or after the one asked for last."""
EXACT_FUNCTIONS = frozenset(_LISTS["exact_functions"].split())
"""Those of them that name no end of what is shown: "total", but not "highest"."""
