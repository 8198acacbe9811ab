"""Finds where a question says apart what it wants to see: "Who sold the most? Return the name and the number
of orders", "which shop is the largest, and what is its area"."""

import re
from itertools import pairwise
from typing import NamedTuple

from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_SHOW = r"return|give|list|show|include|provide|display|output|report|state|indicate"
_APART = Pattern(
    rf"(?P<main>.{{12,}}?[.?!])\s+(?:please\s+)?(?:also\s+)?(?:{_SHOW})\s+(?:me\s+|us\s+)?(?:only\s+|just\s+)?"
    r"(?:both\s+)?(?P<items>[^.?!]+?)(?:\s+as\s+an?\s+\w+|,?\s+respectively)?[\s.?!]*$",
    _I | re.DOTALL,
)
_BESIDE = Pattern(
    r"(?P<main>(?:which|what|who|list|show|find|give|return)\b.{10,}?),?\s+and\s+(?:what\s+(?:is|are|was|were)\s+)"
    r"(?P<items>(?:the|its|their|his|her)\s+[^,.?!]+?)[\s.?!]*$",
    _I | re.DOTALL,
)
_MANY = Pattern(
    r"(?P<main>(?:which|what|who|list|show|find|give|return)\b.{10,}?),?\s+and\s+(?P<items>how\s+many\s+[^,.?!]+?)[\s.?!]*$",
    _I | re.DOTALL,
)
_PARTS = Pattern(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+(?:along|together)\s+with\s+|\s+as\s+well\s+as\s+", _I)


class ToldColumns(NamedTuple):
    """The question alone, and from where to where, in characters, the words stand for each thing to show.

    Those `beside` are shown behind what the question asks for; else they are all that is shown.
    """

    question: str
    items: tuple[tuple[int, int], ...]
    beside: bool

    @property
    def least(self) -> int:
        """How many columns show all that is told."""
        return len(self.items) + self.beside


def told_columns(text: str) -> ToldColumns | None:
    """Read the columns that a question asks to show in a phrase of its own; None where it has none."""
    for pattern in (_APART, _BESIDE, _MANY):
        if found := pattern.match(text):
            beside = pattern is not _APART
            return ToldColumns(found["main"].rstrip(" .?!,") + "?", _parts(found, beside), beside)
    return None


def _parts(found: re.Match[str], whole: bool) -> tuple[tuple[int, int], ...]:
    start, text = found.start("items"), found["items"]
    if whole:
        return ((start, start + len(text)),)
    cuts = [(0, 0), *(m.span() for m in _PARTS.finditer(text)), (len(text), len(text))]
    return tuple((start + a[1], start + b[0]) for a, b in pairwise(cuts) if a[1] < b[0])
