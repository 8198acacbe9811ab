"""The shape of result that a question asks for, from its words: the number and kind of columns and rows."""

import re
from dataclasses import dataclass

from fathom.text.words import words

_ASKS_FOR_ONE_NUMBER = (("how", "many"), ("number", "of"), ("how", "much"))
_EACH = frozenset("each every per group respectively".split())
_BY_GROUP = _EACH | {"by"}
"""“By” tells groups of a count, but what ranks of a “top five”."""
_NUMBERS = {w: n for n, w in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_N = rf"(?P<n>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_MOST = (
    r"(?:most|least|highest|lowest|largest|smallest|biggest|oldest|youngest|longest|shortest|best|worst|"
    r"cheapest|latest|earliest|fastest|slowest|newest|top|bottom)"
)
_TIMES = r"(?:second|minute|hour|day|week|weekend|month|quarter|year|decade|centur)"
_TOP = re.compile(rf"\b(?:top|bottom|first|last)\s+{_N}\b(?!\s+{_TIMES})", re.IGNORECASE)
_MOST_OF = re.compile(rf"\b{_N}\s+{_MOST}\b", re.IGNORECASE)
_ITEMS = re.compile(
    r"^\s*(?:please\s+)?(?:list|show|give|find|return|display|state|provide|what\s+(?:is|are|was|were))"
    r"(?:\s+me)?(?:\s+all)?\s+(?:the|their|both|each)?\s*(?P<items>[^?.;:()\d'\"]+?)"
    r"\s+(?:of|for|from|in|on|at|where|that|who|whose|which|when|with|by)\b",
    re.IGNORECASE,
)
_BETWEEN_ITEMS = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_LONGEST_ITEM = 3
"""Words of one of several things asked for; what is longer is likely no such list."""
_WHEN = re.compile(
    r"^\s*(?:when\b|(?:in|on|at)?\s*(?:what|which)\s+(?:year|date|day|month|time)\b)", re.IGNORECASE
)
_WHO = re.compile(r"^\s*(?:who\b|(?:what|which)\s+(?:is|are|was|were)\s+the\s+names?\s+of\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedShape:
    """The shape that a question asks for. `one_number`: a single number, and nothing else; `columns`: at
    least so many values of each row; `rows`: at most so many; `when`: a time; `who`: a name. Parts that the
    question leaves open are empty."""

    one_number: bool = False
    columns: int = 0
    rows: int | None = None
    when: bool = False
    who: bool = False


def asked_shape(question: str) -> AskedShape:
    """Read a question's words for the shape of its answer; what is said of groups is left open."""
    said = words(question)
    grouped = bool(_BY_GROUP.intersection(said))
    return AskedShape(
        one_number=tuple(said[:2]) in _ASKS_FOR_ONE_NUMBER and not grouped,
        columns=_columns(question),
        rows=None if _EACH.intersection(said) else _rows(question),
        when=bool(_WHEN.match(question)),
        who=bool(_WHO.match(question)) and not _columns(question),
    )


def _columns(question: str) -> int:
    """How many things are listed as asked for; 0 where it is one, or that isn't clear."""
    found = _ITEMS.match(question)
    if found is None:
        return 0
    items = [item for item in _BETWEEN_ITEMS.split(found["items"].strip()) if item]
    if len(items) < 2 or any(len(item.split()) > _LONGEST_ITEM for item in items):
        return 0
    return len(items)


def _rows(question: str) -> int | None:
    found = _TOP.search(question) or _MOST_OF.search(question)
    if found is None:
        return None
    told = found["n"].casefold()
    return _NUMBERS.get(told) or (int(told) if told.isdecimal() else None)
