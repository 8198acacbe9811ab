"""Texts in a column that hold no value for people: empty cells, "n/a", "-", "unknown"."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_MANY_VALUES = 10
"""Different values from which a column isn't one of a few states, of which "none" may be one."""
_COMMONER = 3
"""How often a placeholder stands at least, in values on average: a title "Unknown" is as rare as others."""


def signs_and_words(counts: Mapping[object, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Give the texts of a column that stand for no value, and those that may, with their counts."""
    signs, words = _texts()
    texts = {v: v.strip().casefold() for v in counts if isinstance(v, str) and len(v) <= _longest()}
    found = {v: counts[v] for v, text in texts.items() if text in signs}
    # Among signs a sign is a value: the strands of DNA are "+" and "-".
    worded = any(not isinstance(v, str) or any(map(str.isalnum, v)) for v in counts if v not in found)
    sure = {v: n for v, n in found.items() if worded or not v.strip()}
    return sure, {v: counts[v] for v, text in texts.items() if text in words}


def stands_out(count: int, others: Mapping[object, int]) -> bool:
    """Tell whether a text is that much commoner than the other values of its column that it is none."""
    return len(others) > _MANY_VALUES and count >= _COMMONER * sum(others.values()) / len(others)


@cache
def _texts() -> tuple[frozenset[str], frozenset[str]]:
    content = tomllib.loads(files(__package__).joinpath("placeholders.toml").read_text("utf-8"))
    return frozenset(content["signs"]), frozenset(content["words"])


@cache
def _longest() -> int:
    return max(len(text) for texts in _texts() for text in texts) + 2
